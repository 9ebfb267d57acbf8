import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import { DAY, type Clock } from '../../shared/clock.ts';
import { ConflictError } from '../../shared/errors.ts';
import { FieldErrors } from '../../shared/fields.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { Precondition } from '../../shared/precondition.ts';
import type { MailServices } from '../mail/index.ts';
import { checkedRecipients } from './checks.ts';
import { KeptReportReadModel } from './kept-report-read-model.ts';
import { KeptReportRepository, reportNotFound } from './kept-report-repository.ts';
import {
  CONTENT_TYPES,
  type KeptReport,
  type KeptReportFilter,
  type KeptReportRecord,
  type ReportFile,
  type ReportSorting,
} from './kept-report.ts';
import type { ReportLetters } from './report-letters.ts';
import type { ReportLog } from './report-log.ts';
import type { FileFormat } from './report-schedule.ts';

/** The number is small, because the files of each report are deleted with it. */
const DELETED_AT_ONCE = 20;

export interface KeptReportServiceParts {
  knex: Knex;
  clock: Clock;
  log: ReportLog;
  letters: ReportLetters;
  mails: MailServices['mails'];
  keptDays: () => number;
}

export class KeptReportService {
  readonly #parts: KeptReportServiceParts;

  constructor(parts: KeptReportServiceParts) {
    this.#parts = parts;
  }

  /** Throws `svc_report_not_found`. */
  get(id: number): Promise<KeptReportRecord> {
    return this.#records(this.#parts.knex).get(id);
  }

  list(filter: KeptReportFilter, sorting: ReportSorting, request: PageRequest): Promise<Page<KeptReportRecord>> {
    return this.#records(this.#parts.knex).list(filter, sorting, request);
  }

  /**
   * Returns the PDF if there is one, unless `format` is given. Throws `svc_report_not_found` and `svc_report_not_made`.
   */
  async file(id: number, format?: FileFormat): Promise<ReportFile> {
    const { knex } = this.#parts;
    const reports = new KeptReportRepository(knex);
    const report = await reports.find(id);
    if (!report) throw reportNotFound();
    const chosen = chosenFormat(report, format);
    return {
      format: chosen,
      name: report.fileName,
      contentType: CONTENT_TYPES[chosen],
      bytes: await reports.bytes(id, chosen),
    };
  }

  /**
   * Sends another mail with the report. By default, it goes to the recipients of the first mail. Throws
   * `svc_report_not_found`, `svc_report_not_made`, and `svc_mail_not_sendable` if report mails are turned off.
   */
  async send(id: number, recipients: readonly string[] | undefined, actor: string): Promise<KeptReportRecord> {
    const errors = new FieldErrors();
    const others = recipients && checkedRecipients(errors, recipients);
    errors.refuse();
    const { format, bytes } = await this.file(id);
    const { knex, letters, log } = this.#parts;
    await inTransaction(knex, async (scope) => {
      const reports = new KeptReportRepository(scope.trx);
      const report = await reports.lock(id);
      if (!report) throw reportNotFound();
      const mailable = { ...report, recipients: others ?? report.recipients, format, bytes };
      const mailId = await letters.send(scope, mailable, actor);
      if (mailId === null)
        throw new ConflictError('svc_mail_not_sendable', 'Mails of reports are switched off in the e-mail settings.');
      await reports.addMail(id, mailId);
      await log(scope.trx, report, 'report.sent', `Sent the report ${report.name} once more.`, actor);
    });
    return this.get(id);
  }

  /** Returns the deleted report. Throws `svc_report_not_found`. */
  async delete(id: number, actor: string, precondition?: Precondition<KeptReportRecord>): Promise<KeptReportRecord> {
    const { knex, log } = this.#parts;
    return inTransaction(knex, async ({ trx }) => {
      const reports = new KeptReportRepository(trx);
      if (!(await reports.lock(id))) throw reportNotFound();
      const record = await this.#records(trx).get(id);
      precondition?.(record);
      await reports.delete(id);
      await log(trx, record, 'report.deleted', `Deleted the report ${record.name}.`, actor);
      return record;
    });
  }

  /** Deletes a batch of reports that are older than the setting allows. */
  prune(): Promise<number> {
    const { knex, clock, keptDays } = this.#parts;
    return new KeptReportRepository(knex).deleteOlder(clock.now() - keptDays() * DAY, DELETED_AT_ONCE);
  }

  #records(db: Knex): KeptReportReadModel {
    return new KeptReportReadModel(db, this.#parts.mails);
  }
}

function chosenFormat({ state, pdfSize }: KeptReport, format?: FileFormat): FileFormat {
  if (state !== 'made') throw new ConflictError('svc_report_not_made', 'The report is not made yet, or could not be.');
  if (format === 'pdf' && pdfSize === null) throw new ConflictError('svc_report_not_made', 'There is no PDF of it.');
  return format ?? (pdfSize === null ? 'html' : 'pdf');
}
