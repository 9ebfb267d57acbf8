import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import { DatabaseUnavailableError, DomainError, NotFoundError, StoppingError } from '../../shared/errors.ts';
import type { ReportService } from '../pro-reports/index.ts';
import { KeptReportRepository, packed, reportNotFound } from './kept-report-repository.ts';
import type { KeptReport, ReportFault } from './kept-report.ts';
import type { MadeResult } from './make-report.job.ts';
import type { ReportPage, ReportPress } from './ports.ts';
import type { ReportLetters } from './report-letters.ts';
import type { ReportLog } from './report-log.ts';
import { ReportScheduleReadModel } from './report-schedule-read-model.ts';
import type { FileFormat, ReportScheduleRecord } from './report-schedule.ts';

export interface ReportMakerParts {
  knex: Knex;
  clock: Clock;
  press: ReportPress;
  letters: ReportLetters;
  range: ReportService['range'];
  log: ReportLog;
}

type Days = Pick<KeptReport, 'startDate' | 'endDate'>;

interface Printed {
  page: ReportPage;
  files: Map<FileFormat, Uint8Array>;
  pdfFault: ReportFault | null;
}

export class ReportMaker {
  readonly #parts: ReportMakerParts;

  constructor(parts: ReportMakerParts) {
    this.#parts = parts;
  }

  /**
   * Makes a queued report. Stores the report and its mail in one transaction: even if a process is killed or the item
   * is repeated, the report is stored once and mailed once.
   */
  async make(reportId: number, signal: AbortSignal): Promise<MadeResult> {
    const { knex } = this.#parts;
    const queued = await new KeptReportRepository(knex).find(reportId);
    if (!queued || queued.scheduleId === null) throw reportNotFound();
    if (queued.state === 'made') return { reportId, mailId: queued.mailId };
    try {
      const schedule = await new ReportScheduleReadModel(knex).get(queued.scheduleId);
      const printed = await this.#print(queued, schedule, signal);
      return { reportId, mailId: await this.#keep(queued, schedule, printed) };
    } catch (error) {
      if (!signal.aborted && !isOurs(error)) await this.#recordFailure(reportId, error);
      throw error;
    }
  }

  /** Creates the report with current data, without storing it. */
  page(schedule: ReportScheduleRecord, days: Days): Promise<ReportPage> {
    const { press, range } = this.#parts;
    const { siteId, clientId, segments } = schedule;
    const about = siteId === null ? { clientId: clientId ?? 0 } : { siteId };
    return press.page({ about, segments, range: range(days) });
  }

  async #print(days: Days, schedule: ReportScheduleRecord, signal: AbortSignal): Promise<Printed> {
    const page = await this.page(schedule, days);
    if (page.sitesCount === 0)
      throw new NotFoundError('svc_no_website_found', 'The client has no site that a report could be about.');
    const files = new Map<FileFormat, Uint8Array>([['html', Buffer.from(page.html)]]);
    if (schedule.format === 'html') return { page, files, pdfFault: null };
    try {
      return { page, files: files.set('pdf', await page.print(signal)), pdfFault: null };
    } catch (error) {
      if (signal.aborted || error instanceof StoppingError) throw error;
      // Without a PDF, the report is sent as HTML.
      return { page, files, pdfFault: faultOf(error, 'The browser could not print the report.') };
    }
  }

  async #keep(queued: KeptReport, schedule: ReportScheduleRecord, printed: Printed): Promise<number | null> {
    const { knex, clock, letters } = this.#parts;
    const { page, files, pdfFault } = printed;
    const kept = await packed(files);
    const { summary, sitesCount, fileName } = page;
    const made = { summary, sitesCount, fileName, pdfFault, recipients: schedule.sendsTo, subject: schedule.subject };
    const format = files.has('pdf') ? 'pdf' : 'html';
    const bytes = files.get(format) ?? Buffer.alloc(0);
    return inTransaction(knex, async (scope) => {
      const reports = new KeptReportRepository(scope.trx);
      const report = await reports.lock(queued.id);
      // The report was deleted in the meantime, so it is not sent.
      if (!report) throw reportNotFound();
      if (report.state === 'made') return report.mailId;
      await reports.saveMade(report.id, made, kept, clock.now());
      const mailId = await letters.send(scope, { ...report, ...made, format, bytes }, `report:${report.id}`);
      if (mailId !== null) await reports.addMail(report.id, mailId);
      await this.#parts.log(scope.trx, report, 'report.made', `Made the report ${report.name}.`, 'system');
      return mailId;
    });
  }

  async #recordFailure(reportId: number, error: unknown): Promise<void> {
    await inTransaction(this.#parts.knex, async ({ trx }) => {
      const reports = new KeptReportRepository(trx);
      const report = await reports.lock(reportId);
      if (report && report.state !== 'made') await reports.saveFailed(reportId, faultOf(error));
    });
  }
}

/** True if the report is not the cause: the service stops or the database is unavailable. The report is made later. */
const isOurs = (error: unknown): boolean => error instanceof StoppingError || error instanceof DatabaseUnavailableError;

const faultOf = (error: unknown, otherwise = 'Something went wrong on our side.'): ReportFault =>
  error instanceof DomainError
    ? { code: error.code, message: error.message }
    : { code: 'svc_internal_error', message: otherwise };
