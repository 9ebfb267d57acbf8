import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { Sealing } from '../../db/sealing.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Schedule } from '../../platform/part.ts';
import { DAY, type Clock } from '../../shared/clock.ts';
import type { Settings } from '../settings/index.ts';
import { dailyTimingAt } from '../schedules/index.ts';
import type { ReportChangeLog } from './report-change-log.ts';
import { isLinkToken, TOKEN_BYTES } from './report-link.ts';
import { ReportLinkRepository, type OpeningsOfDay } from './report-link-repository.ts';
import type { ReportActor } from './report-schedule.ts';
import { reportScopeOf } from './report-scope-read-model.ts';
import { reportNotFound, StoredReportRepository } from './stored-report-repository.ts';

/** Maximum number of change log entries per run. The rest follow a day later. */
const AT_ONCE = 1000;

export interface ReportLinksDeps {
  knex: Knex;
  clock: Clock;
  sealing: Sealing;
  log: ReportChangeLog;
  /** Number of days for which a link works. */
  days: () => number;
  /** Returns the day in the time zone of the settings, such as `2026-11-22`. */
  dayOf: (ms: number) => string;
}

/** Links that show a report without a login. The token is random, and only its keyed hash is stored. */
export class ReportLinks {
  readonly #deps: ReportLinksDeps;

  constructor(deps: ReportLinksDeps) {
    this.#deps = deps;
  }

  newToken(): { token: string; expiresAt: number } {
    const { clock, days } = this.#deps;
    return { token: randomBytes(TOKEN_BYTES).toString('base64url'), expiresAt: clock.now() + days() * DAY };
  }

  async add(
    trx: Knex.Transaction,
    { token, ...link }: { token: string; expiresAt: number; reportId: number; mailId: number },
  ): Promise<void> {
    const { clock, sealing } = this.#deps;
    await new ReportLinkRepository(trx).insert({ ...link, createdAt: clock.now() }, sealing.hash(token));
  }

  async open(token: string, { isCounted }: { isCounted: boolean }): Promise<string | null> {
    const { knex, clock, sealing, dayOf } = this.#deps;
    if (!isLinkToken(token)) return null;
    const link = await new ReportLinkRepository(knex).findByHash(sealing.hash(token));
    const now = clock.now();
    if (!link || link.revokedAt !== null || link.expiresAt <= now) return null;
    const html = await new StoredReportRepository(knex).bytes(link.reportId, 'html');
    if (html === null) return null;
    if (isCounted)
      await inTransaction(knex, ({ trx }) => new ReportLinkRepository(trx).countOpening(link, dayOf(now), now));
    return html.toString('utf8');
  }

  async revoke(caller: ReportActor, reportId: number): Promise<void> {
    const { knex, clock, log } = this.#deps;
    await inTransaction(knex, async ({ trx }) => {
      const report = await new StoredReportRepository(trx).lock(reportScopeOf(caller), reportId);
      if (!report) throw reportNotFound();
      const revoked = await new ReportLinkRepository(trx).revoke(reportId, clock.now());
      const description = `Revoked ${revoked === 1 ? 'a link' : `${revoked} links`} to the report ${report.name}.`;
      if (revoked > 0) await log(trx, report, 'report.links_revoked', description, caller.name);
    });
  }

  /** Writes the openings of days that are over into the change log, one entry per report and day. */
  async logOpenings(trx: Knex.Transaction): Promise<void> {
    const today = this.#deps.dayOf(this.#deps.clock.now());
    await this.#logOpenings(trx, await new ReportLinkRepository(trx).unloggedBefore(today, AT_ONCE));
  }

  async logOpeningsOf(trx: Knex.Transaction, reportId: number): Promise<void> {
    await this.#logOpenings(trx, await new ReportLinkRepository(trx).unloggedOf(reportId));
  }

  async #logOpenings(trx: Knex.Transaction, ofDays: readonly OpeningsOfDay[]): Promise<void> {
    for (const { reportId, day, openings, name, siteId } of ofDays) {
      const times = openings === 1 ? 'once' : `${openings} times`;
      const description = `The report ${name} was opened ${times} through its link on ${day}.`;
      await this.#deps.log(trx, { id: reportId, name, siteId }, 'report.opened', description, 'system');
    }
    await new ReportLinkRepository(trx).markLogged(ofDays);
  }
}

export const openingsSchedule = (links: ReportLinks, general: () => Settings<'general'>): Schedule => ({
  name: 'report-openings',
  module: 'pro-reports',
  description: 'Writes how often each report was opened through its link on the days before into the change log.',
  timing: () => dailyTimingAt('0:05', general()),
  begin: async ({ scope }) => {
    await links.logOpenings(scope.trx);
    return null;
  },
});
