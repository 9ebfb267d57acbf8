import type { ChildLink } from '../../connector/child-site.ts';
import { ChildRefusedError } from '../../shared/child-call-errors.ts';
import type { DomainError } from '../../shared/errors.ts';
import { ANSWERED, type HealthReadings, type ProbeReading, type WatchStart } from './health-readings.ts';
import type { HealthComparison, SiteHealth } from './site-health.ts';
import { isSame, type UpdateHealth, type UpdateStep } from './update.ts';
import { appliedUpdateOf, claimsSuccess, runsWithEveryRequest } from './update-outcome.ts';

/**
 * Compares the readings from before and after a change that is undone if it broke the site. Returns `unknown` instead
 * of `broken` if WordPress did not answer.
 */
export function compareGuarded(
  health: Pick<SiteHealth, 'compare'>,
  after: HealthReadings,
  before: HealthReadings,
): HealthComparison {
  const compared = health.compare(after, before);
  return compared.state === 'broken' && !hasAnswered(after) ? { ...compared, state: 'unknown' } : compared;
}

/**
 * Watches the health of a site during a run, to find the update that broke it. Only the final state counts, because an
 * update that needs another one may break the site for a moment.
 */
export class HealthWatch {
  readonly start: WatchStart;
  readonly #health: SiteHealth;
  readonly #siteId: number;
  readonly #link: ChildLink | null;
  #sent: UpdateStep[] = [];
  #unchecked: UpdateStep[] = [];
  #brokenBy: readonly UpdateStep[] = [];
  #after: HealthReadings = {};

  constructor(
    health: SiteHealth,
    { siteId, link = null }: { siteId: number; link?: ChildLink | null },
    { isThorough, before, isGuarded = false }: WatchStart,
  ) {
    this.#health = health;
    this.#siteId = siteId;
    this.#link = link;
    this.start = { isThorough, before: { ...before }, ...(isGuarded && { isGuarded }) };
  }

  recordSent(...steps: readonly UpdateStep[]): void {
    this.#sent.push(...steps);
    this.#unchecked.push(...steps);
  }

  /**
   * Records that the site answered a signed call before it was updated. The response to an update counts too: PHP still
   * runs the old version when it sends it.
   */
  recordAnswered(): void {
    this.start.before.signed_stats ??= ANSWERED;
  }

  recordSigned(reading: ProbeReading | null): void {
    if (reading) this.#after.signed_stats = reading;
    if (this.#isBroken() && this.#brokenBy.length === 0) this.#brokenBy = this.#sent;
  }

  /** Checks the site again after the old version was restored. No update is blamed for the result of this check. */
  async checkRestored(restored: UpdateStep): Promise<void> {
    this.#sent = this.#sent.filter((step) => step !== restored);
    this.#unchecked = [];
    this.#brokenBy = [];
    this.#after = await this.#health.takeUnsignedAfter(this.#siteId, this.start.before, this.#link);
  }

  blame(step: UpdateStep): void {
    this.#sent.push(step);
    this.#brokenBy = [step];
  }

  pause(): Promise<void> {
    return this.#health.pause();
  }

  get verdict(): HealthComparison {
    return this.#compare(this.start.before);
  }

  /** True if a check also needs a signed call: always if it is thorough, otherwise if `admin_ajax` has no reading. */
  get needsSignedCall(): boolean {
    return this.start.isThorough || (this.#unchecked.length === 0 && this.#after.admin_ajax === undefined);
  }

  get isThorough(): boolean {
    return this.start.isThorough;
  }

  /**
   * True if the home page has a fatal error, or if any other probe finds the site broken. The run then stops: further
   * updates could fail too, and nobody could say which update broke the site.
   */
  get hasFatalError(): boolean {
    const { home_page: _page, ...others } = this.start.before;
    if (this.#compare(others).state === 'broken') return true;
    const { state, probe } = this.#compare(this.start.before);
    return state === 'broken' && probe !== null && isFatalStatus(this.#after[probe]?.status ?? 0);
  }

  /**
   * Checks the site with the probes. Does nothing while the site may be working on an update, because a site is in
   * maintenance mode during an update.
   */
  async check(): Promise<void> {
    if (this.#unchecked.length === 0 || this.#unchecked.some(({ mayStillRun }) => mayStillRun)) return;
    this.#after = await this.#health.takeUnsignedAfter(this.#siteId, this.start.before, this.#link);
    if (!this.#isBroken()) this.#brokenBy = [];
    else if (this.#brokenBy.length === 0) this.#brokenBy = this.#unchecked;
    this.#unchecked = [];
  }

  /** Describes, as part of a sentence, why the last readings do not prove the health of the site. */
  unprovenBecause(error: DomainError | null): string {
    const readings = Object.values(this.#after);
    const [temporary] = readings.filter(({ isTemporary }) => isTemporary === true);
    if (temporary) return `the site answers with HTTP ${temporary.status} and seems to be busy or in maintenance`;
    const [answered] = readings.filter(({ status }) => status === 503);
    if (answered) return `the site answers with HTTP ${answered.status}`;
    if (error instanceof ChildRefusedError) return `the site refuses calls (${error.reason})`;
    return error || readings.some(({ status }) => status === 0)
      ? 'the site cannot be reached'
      : 'not every check has a result';
  }

  get readings(): { before: HealthReadings; after: HealthReadings } {
    return { before: this.start.before, after: this.#after };
  }

  /** Null if the site was not checked, or if only a fatal error counts and there is none. */
  get health(): UpdateHealth | null {
    const [{ isThorough, before }, after] = [this.start, this.#after];
    const { state, probe } = this.#compare(before);
    if (probe === null) return null;
    const health = { state, probe, before: before[probe]?.status ?? 0, after: after[probe]?.status ?? 0 };
    return isThorough || (state === 'broken' && this.hasFatalError) ? health : null;
  }

  /**
   * Returns the updates that may have broken the site: those whose code runs with every request; if there are none,
   * those that were installed; if there are none either, all that were sent.
   */
  get brokenBy(): readonly UpdateStep[] {
    if (this.health?.state !== 'broken') return [];
    const replaced = this.#brokenBy.filter((step) => claimsSuccess(step) || appliedUpdateOf(step) !== null);
    return [replaced.filter(runsWithEveryRequest), replaced, this.#brokenBy].find(({ length }) => length > 0) ?? [];
  }

  #isBroken(): boolean {
    return this.#compare(this.start.before).state === 'broken';
  }

  #compare(before: HealthReadings): HealthComparison {
    return this.start.isGuarded
      ? compareGuarded(this.#health, this.#after, before)
      : this.#health.compare(this.#after, before);
  }
}

/**
 * True if a probe got a response of WordPress. A status of 503 may come from an overloaded web server, unless the page
 * is an error page of WordPress. A signed call has a reading only if WordPress was reached.
 */
const hasAnswered = ({ signed_stats: signed, ...readings }: HealthReadings): boolean =>
  signed !== undefined ||
  Object.values(readings).some(
    ({ status, isTemporary, pages = [] }) =>
      isTemporary !== true &&
      status !== 0 &&
      (status !== 503 || pages.some((page) => page.hasCriticalError && page.isTemporary !== true)),
  );

/** A 503 is not fatal: the maintenance mode has ended with the update, so the 503 has a cause other than the update. */
const isFatalStatus = (status: number): boolean => status >= 500 && status !== 503;

export const brokenWithOf =
  (watch: HealthWatch | null) =>
  (step: UpdateStep): UpdateHealth | null =>
    watch?.health && watch.brokenBy.some(({ update }) => isSame(update, step.update)) ? watch.health : null;
