import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import { DAY, type Clock } from '../../shared/clock.ts';
import { ConflictError } from '../../shared/errors.ts';
import { FieldErrors } from '../../shared/field-errors.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { Precondition } from '../../shared/precondition.ts';
import { requesterOf } from '../../shared/requester.ts';
import type { MailServices } from '../mail/index.ts';
import { checkedRecipients } from './report-schedule-checks.ts';
import { ALL_REPORTS, reportScopeOf, type ReportScope } from './report-scope-read-model.ts';
import { StoredReportReadModel } from './stored-report-read-model.ts';
import { StoredReportRepository, reportNotFound } from './stored-report-repository.ts';
import {
  CONTENT_TYPES,
  REPORTS_TURNED_OFF,
  type StoredReport,
  type StoredReportFilter,
  type StoredReportRecord,
  type StoredReportFile,
  type ReportOrder,
} from './stored-report.ts';
import type { ReportMailer } from './report-mailer.ts';
import type { ReportLinks } from './report-links.ts';
import type { ReportChangeLog } from './report-change-log.ts';
import type { FileFormat, ReportActor } from './report-schedule.ts';

/** Number of reports per batch of a purge. It is small, because the files of each report are deleted with it. */
const DELETED_AT_ONCE = 20;

export interface StoredReportServiceDeps {
  knex: Knex;
  clock: Clock;
  log: ReportChangeLog;
  links: ReportLinks;
  mailer: ReportMailer;
  mails: MailServices['mails'];
  retentionDays: () => number;
}

export class StoredReportService {
  readonly #deps: StoredReportServiceDeps;

  constructor(deps: StoredReportServiceDeps) {
    this.#deps = deps;
  }

  get(scope: ReportScope, id: number): Promise<StoredReportRecord> {
    return this.#records(this.#deps.knex).get(scope, id);
  }

  list(
    scope: ReportScope,
    filter: StoredReportFilter,
    order: ReportOrder,
    request: PageRequest,
  ): Promise<Page<StoredReportRecord>> {
    return this.#records(this.#deps.knex).list(scope, filter, order, request);
  }

  /**
   * Returns the file of a report. Without `format`, returns the PDF if there is one. Throws `svc_report_not_found` and
   * `svc_report_not_made`.
   */
  async file(scope: ReportScope, id: number, format?: FileFormat): Promise<StoredReportFile> {
    const { knex } = this.#deps;
    const reports = new StoredReportRepository(knex);
    const report = await reports.find(scope, id);
    if (!report) throw reportNotFound();
    const chosen = chosenFormat(report, format);
    const bytes = await reports.bytes(id, chosen);
    if (!bytes) throw reportNotFound();
    return { format: chosen, name: report.fileName, contentType: CONTENT_TYPES[chosen], bytes };
  }

  /**
   * Sends another mail with the report. By default, it goes to the recipients of the first mail. Throws
   * `svc_report_not_found`, `svc_report_not_made`, `svc_report_waiting`, and `svc_mail_not_sendable` if report mails
   * are turned off.
   */
  async send(id: number, recipients: readonly string[] | undefined, caller: ReportActor): Promise<StoredReportRecord> {
    const errors = new FieldErrors();
    const others = recipients && checkedRecipients(errors, recipients);
    errors.throwIfAny();
    const { format, bytes } = await this.file(reportScopeOf(caller), id);
    const { knex, mailer, log } = this.#deps;
    await inTransaction(knex, async (scope) => {
      const reports = new StoredReportRepository(scope.trx);
      const report = await reports.lock(reportScopeOf(caller), id);
      if (!report) throw reportNotFound();
      if (report.releaseState === 'waiting')
        throw new ConflictError('svc_report_waiting', 'The report waits for its release. Release or discard it first.');
      const mailable = { ...report, recipients: others ?? report.recipients, format, bytes };
      const mailId = await mailer.send(scope, mailable, requesterOf(caller));
      if (mailId === null) throw new ConflictError('svc_mail_not_sendable', REPORTS_TURNED_OFF);
      await reports.addMail(id, mailId);
      await log(scope.trx, report, 'report.sent', `Queued the mail of the report ${report.name} again.`, caller.name);
    });
    return this.get(ALL_REPORTS, id);
  }

  /** Throws `svc_report_not_found`. */
  async revokeLinks(id: number, caller: ReportActor): Promise<StoredReportRecord> {
    await this.#deps.links.revoke(caller, id);
    return this.get(ALL_REPORTS, id);
  }

  async delete(
    id: number,
    caller: ReportActor,
    precondition?: Precondition<StoredReportRecord>,
  ): Promise<StoredReportRecord> {
    const { knex, log, links } = this.#deps;
    return inTransaction(knex, async ({ trx }) => {
      const reports = new StoredReportRepository(trx);
      if (!(await reports.lock(reportScopeOf(caller), id))) throw reportNotFound();
      const record = await this.#records(trx).get(ALL_REPORTS, id);
      precondition?.(record);
      await links.logOpeningsOf(trx, id);
      await reports.delete(id);
      await log(trx, record, 'report.deleted', `Deleted the report ${record.name}.`, caller.name);
      return record;
    });
  }

  prune(): Promise<number> {
    const { knex, clock, retentionDays } = this.#deps;
    return new StoredReportRepository(knex).deleteOlder(clock.now() - retentionDays() * DAY, DELETED_AT_ONCE);
  }

  #records(db: Knex): StoredReportReadModel {
    return new StoredReportReadModel(db, this.#deps.mails);
  }
}

function chosenFormat({ state, pdfSize }: StoredReport, format?: FileFormat): FileFormat {
  if (state !== 'made')
    throw new ConflictError('svc_report_not_made', 'The report is not created yet, or it could not be created.');
  if (format === 'pdf' && pdfSize === null)
    throw new ConflictError('svc_report_not_made', 'The report has no PDF file.');
  return format ?? (pdfSize === null ? 'html' : 'pdf');
}
