import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import type { Schedule } from '../../platform/part.ts';
import { DAY, type Clock } from '../../shared/clock.ts';
import { ConflictError } from '../../shared/errors.ts';
import type { PreviewedMail } from '../mail/index.ts';
import type { ReportChangeLog } from './report-change-log.ts';
import type { MailedReport, ReportMailer } from './report-mailer.ts';
import type { ReportActor } from './report-schedule.ts';
import { requesterOf } from '../../shared/requester.ts';
import { ALL_SITES } from '../../shared/site-scope.ts';
import { ReportScheduleRepository } from './report-schedule-repository.ts';
import { reportScopeOf, type ReportScope } from './report-scope-read-model.ts';
import { reportNotFound, StoredReportRepository } from './stored-report-repository.ts';
import { REPORTS_TURNED_OFF, type StoredReport } from './stored-report.ts';

const REMINDER_AFTER_MS = 3 * DAY;
/** Maximum number of reminders per run. The next run starts a quarter of an hour later. */
const AT_ONCE = 100;

export interface ReportReleaseDeps {
  knex: Knex;
  clock: Clock;
  log: ReportChangeLog;
  mailer: ReportMailer;
}

export class ReportRelease {
  readonly #deps: ReportReleaseDeps;

  constructor(deps: ReportReleaseDeps) {
    this.#deps = deps;
  }

  async mail(scope: ReportScope, id: number): Promise<PreviewedMail> {
    const { knex, mailer } = this.#deps;
    const report = await new StoredReportRepository(knex).find(scope, id);
    if (!report) throw reportNotFound();
    if (report.state !== 'made')
      throw new ConflictError('svc_report_not_made', 'The report is not created yet, or it could not be created.');
    return mailer.preview(knex, await withFile(knex, report));
  }

  /**
   * Sends a report that waits for its release, and the later reports of its schedule that wait for this report. The row
   * of the report is locked, so if two calls run at once, only the first one sends. Throws `svc_report_not_found`,
   * `svc_report_not_waiting` and `svc_mail_not_sendable`.
   */
  async release(caller: ReportActor, id: number): Promise<void> {
    const { knex, clock, log, mailer } = this.#deps;
    await inTransaction(knex, async (scope) => {
      const { trx } = scope;
      const reports = new StoredReportRepository(trx);
      const report = await lockReport(reports, caller, id);
      if (report.releaseState === 'released') return;
      if (report.releaseState !== 'waiting') throw notWaiting();
      const { scheduleId } = report;
      if (scheduleId !== null) await new ReportScheduleRepository(trx).lock(ALL_SITES, scheduleId);
      const waiting = scheduleId === null ? [report] : await reports.lockWaitingOf(scheduleId);
      const [first] = waiting;
      if (first && first.id !== id)
        throw new ConflictError(
          'svc_report_not_waiting',
          `The report waits behind report ${first.id}. Release or discard that one first.`,
        );
      for (const each of waiting) {
        const mailId = await mailer.send(scope, await withFile(trx, each), requesterOf(caller));
        if (mailId === null) throw new ConflictError('svc_mail_not_sendable', REPORTS_TURNED_OFF);
        await reports.setReleaseState(each.id, 'released');
        await reports.addMail(each.id, mailId);
        await log(trx, each, 'report.released', `Released the report ${each.name}.`, caller.name);
      }
      if (scheduleId !== null) await new ReportScheduleRepository(trx).setReleased(scheduleId, clock.now());
    });
  }

  async discard(caller: ReportActor, id: number): Promise<void> {
    await inTransaction(this.#deps.knex, async ({ trx }) => {
      const reports = new StoredReportRepository(trx);
      const report = await lockReport(reports, caller, id);
      if (report.releaseState === 'discarded') return;
      if (report.releaseState !== 'waiting') throw notWaiting();
      await reports.setReleaseState(id, 'discarded');
      await this.#deps.log(trx, report, 'report.discarded', `Discarded the report ${report.name}.`, caller.name);
    });
  }

  reminders(): Schedule {
    const { clock, mailer } = this.#deps;
    return {
      name: 'report-reminders',
      module: 'pro-reports',
      description: 'Reminds staff of reports that have waited for their release for three days.',
      timing: () => ({ pattern: '*/15 * * * *', timeZone: 'UTC' }),
      begin: async ({ scope }) => {
        const reports = new StoredReportRepository(scope.trx);
        const waiting = await reports.claimUnreminded(clock.now() - REMINDER_AFTER_MS, AT_ONCE);
        for (const report of waiting) await mailer.sendNotice(scope, report, { isReminder: true });
        if (waiting.length > 0) {
          const ids = waiting.map(({ id }) => id);
          await reports.setReminded(ids, clock.now());
        }
        return null;
      },
    };
  }
}

async function lockReport(reports: StoredReportRepository, caller: ReportActor, id: number): Promise<StoredReport> {
  const report = await reports.lock(reportScopeOf(caller), id);
  if (!report) throw reportNotFound();
  return report;
}

async function withFile(db: Knex, report: StoredReport): Promise<MailedReport> {
  const format = report.pdfSize === null ? 'html' : 'pdf';
  const bytes = await new StoredReportRepository(db).bytes(report.id, format);
  if (!bytes) throw reportNotFound();
  return { ...report, format, bytes };
}

const notWaiting = (): ConflictError =>
  new ConflictError('svc_report_not_waiting', 'The report does not wait for its release.');
