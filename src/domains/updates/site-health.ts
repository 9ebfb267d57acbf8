import { setTimeout as sleep } from 'node:timers/promises';
import type { ChildLink } from '../../connector/child-site.ts';
import { SECOND } from '../../shared/clock.ts';
import type { HealthProbe } from './health-probes.ts';
import type { HealthReadings, ProbeName, ProbeReading } from './health-readings.ts';

export interface HealthComparison {
  state: 'well' | 'broken' | 'unknown';
  /** Probe whose readings are shown with the state. Null if no probe has readings from before and after the update. */
  probe: ProbeName | null;
}

/** Delay before a second reading. Just after an update, PHP may run a mixture of old and new files (opcache). */
const AGAIN_AFTER = 3 * SECOND;

/**
 * Compares the readings of each probe from before and after an update. A probe that failed before proves nothing and is
 * left out.
 */
export class SiteHealth {
  readonly #probes: readonly HealthProbe[];
  readonly #againAfterMs: number;

  constructor(probes: readonly HealthProbe[], againAfterMs: number = AGAIN_AFTER) {
    this.#probes = probes;
    this.#againAfterMs = againAfterMs;
  }

  takeUnsigned(
    siteId: number,
    { isExtensive: isAll = false, link = null }: { isExtensive?: boolean; link?: ChildLink | null } = {},
  ): Promise<HealthReadings> {
    const probes = this.#probes.filter(({ isSigned, isExtensive = false }) => !isSigned && (isAll || !isExtensive));
    return this.#take(siteId, probes, { link });
  }

  /** Takes readings of all probes. Only for use outside of a run, because signed probes send calls of their own. */
  takeAll(siteId: number): Promise<HealthReadings> {
    return this.#take(siteId, this.#probes, {});
  }

  /** Takes readings of all probes that were well before. Repeats readings as `takeUnsignedAfter` does. */
  takeAllAfter(siteId: number, before: HealthReadings): Promise<HealthReadings> {
    return this.#takeAfter(siteId, this.#usable(before), before, null);
  }

  /**
   * Takes readings of the unsigned probes that were well before. Repeats those that find the site broken, because a
   * single failure proves nothing.
   */
  takeUnsignedAfter(siteId: number, before: HealthReadings, link: ChildLink | null = null): Promise<HealthReadings> {
    const usable = this.#usable(before).filter(({ isSigned }) => !isSigned);
    return this.#takeAfter(siteId, usable, before, link);
  }

  async #takeAfter(
    siteId: number,
    usable: readonly HealthProbe[],
    before: HealthReadings,
    link: ChildLink | null,
  ): Promise<HealthReadings> {
    const after = await this.#take(siteId, usable, { before, link });
    const broken = usable.filter((probe) => isBroken(probe, after, before));
    if (broken.length === 0) return after;
    await this.pause();
    // If the second reading is missing, the first one is dropped too, because a single failure proves nothing.
    for (const { name } of broken) delete after[name];
    return { ...after, ...(await this.#take(siteId, broken, { before, link })) };
  }

  pause(): Promise<void> {
    return sleep(this.#againAfterMs);
  }

  async isWell(siteId: number, before: HealthReadings): Promise<boolean> {
    const usable = this.#usable(before);
    for (const probe of usable) {
      const after = await this.#take(siteId, [probe], { before });
      if (!provesHealth(after[probe.name]) || isBroken(probe, after, before)) return false;
    }
    return usable.length > 0;
  }

  compare(after: HealthReadings, before: HealthReadings): HealthComparison {
    const usable = this.#usable(before);
    const broken = usable.find((probe) => isBroken(probe, after, before));
    if (broken) return { state: 'broken', probe: broken.name };
    const isComplete = usable.length > 0 && usable.every(({ name }) => provesHealth(after[name]));
    const probe =
      usable.find(({ name }) => after[name]?.isTemporary) ??
      usable.find(({ name }) => after[name]) ??
      this.#probes.find(({ name }) => before[name] && after[name]);
    return { state: isComplete ? 'well' : 'unknown', probe: probe?.name ?? null };
  }

  #usable(before: HealthReadings): HealthProbe[] {
    return this.#probes.filter(({ name, isWell }) => {
      const reading = before[name];
      return provesHealth(reading) && isWell(reading);
    });
  }

  async #take(
    siteId: number,
    probes: readonly HealthProbe[],
    { before = {}, link = null }: { before?: HealthReadings; link?: ChildLink | null },
  ): Promise<HealthReadings> {
    const readings: HealthReadings = {};
    // One probe after another, because a site gets only one call at a time.
    for (const { name, take } of probes) {
      const reading = await take(siteId, before[name], { link, taken: readings });
      if (reading) readings[name] = reading;
    }
    return readings;
  }
}

function isBroken({ name, isBroken: compare }: HealthProbe, after: HealthReadings, before: HealthReadings): boolean {
  const [now, then] = [after[name], before[name]];
  return provesHealth(now) && then !== undefined && compare(now, then);
}

const provesHealth = (reading: ProbeReading | undefined): reading is ProbeReading =>
  reading !== undefined && reading.isTemporary !== true;
