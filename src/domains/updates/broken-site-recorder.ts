import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import type { Alerts } from '../mail/index.ts';
import type { BrokenByUpdate } from '../sites/index.ts';
import { BrokenSitesRepository } from './broken-sites-repository.ts';
import type { HealthFinding } from './health-finding.ts';
import { ANSWERED, type HealthReadings, type ProbeName } from './health-readings.ts';
import type { UpdateHealth } from './update.ts';
import type { SiteHealth } from './site-health.ts';

interface HomePageStatus {
  siteId: number;
  status: number;
}

interface BrokenSiteRecorderDeps {
  knex: Knex;
  alerts: Alerts;
  health: SiteHealth;
}

export const brokenAlertKey = (siteId: number, since: number): string => `http_check:${siteId}:${since}`;

/**
 * Marks sites that an update broke. A mark is removed if every probe that was well before the update is well again.
 */
export class BrokenSiteRecorder {
  readonly #deps: BrokenSiteRecorderDeps;

  constructor(deps: BrokenSiteRecorderDeps) {
    this.#deps = deps;
  }

  async record(trx: Knex.Transaction, { site, health, readings, updates, at, jobId }: HealthFinding): Promise<void> {
    const marks = new BrokenSitesRepository(trx);
    const mark = await marks.of(site.id);
    const { state, probe = 'home_page', before: statusBefore, after: statusAfter } = health;
    if (mark && this.#deps.health.compare(readings.after, readingsBefore(mark)).state === 'well')
      await marks.clear(site.id);
    if (state !== 'broken' || mark !== null) return;
    await marks.put(site.id, { since: at, probe, readings: readings.before, statusBefore, statusAfter, updates });
    const { id, url, name } = site;
    await this.#deps.alerts.raise(trx, {
      type: 'http_check',
      key: brokenAlertKey(id, at),
      site: { id, url, name },
      facts: { probe, statusBefore, statusAfter, updates, jobId },
    });
  }

  /**
   * Returns the marked sites whose home page no longer shows an error. They may still be broken, because a page cache
   * can hide the error.
   */
  async findCandidates(db: Knex, visits: readonly HomePageStatus[]): Promise<number[]> {
    const marks = await new BrokenSitesRepository(db).ofSites(visits.map(({ siteId }) => siteId));
    return visits.flatMap(({ siteId, status }) => {
      const mark = marks.get(siteId);
      if (!mark) return [];
      const after = { home_page: { status, isFromWordPress: true } };
      return this.#deps.health.compare(after, readingsBefore(mark)).state === 'broken' ? [] : [siteId];
    });
  }

  async brokenHealth(siteId: number): Promise<UpdateHealth | null> {
    const mark = await this.clearIfWell(siteId);
    if (!mark) return null;
    const { probe = 'home_page', statusBefore: before, statusAfter: after } = mark;
    return { state: 'broken', probe: probe as ProbeName, before, after };
  }

  async clearIfWell(siteId: number): Promise<BrokenByUpdate | null> {
    const { knex, health } = this.#deps;
    const mark = await new BrokenSitesRepository(knex).of(siteId);
    if (!mark || !(await health.isWell(siteId, readingsBefore(mark)))) return mark;
    return inTransaction(knex, async ({ trx }) => {
      const marks = new BrokenSitesRepository(trx);
      const now = await marks.of(siteId);
      // Another update may have broken the site, and marked it again, while the probes ran.
      if (now?.since !== mark.since) return now;
      await marks.clear(siteId);
      return null;
    });
  }
}

/**
 * Returns the readings from before the update. A mark of a release before 0.2 has only the status of the home page. A
 * site is updated only if it answers signed calls, so `signed_stats` was well.
 */
const readingsBefore = ({ readings, statusBefore }: BrokenByUpdate): HealthReadings =>
  readings ?? {
    home_page: { status: statusBefore, isFromWordPress: true },
    signed_stats: ANSWERED,
  };
