import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import { MINUTE, type Clock } from '../../shared/clock.ts';
import { DatabaseUnavailableError, DomainError, NotFoundError, StoppingError } from '../../shared/errors.ts';
import type { CredentialOwner } from '../../shared/requester.ts';
import { ALL_SITES, scopeWithinBoth, type SiteScope } from '../../shared/site-scope.ts';
import { outsideError } from '../sites/index.ts';
import type { ReportDays, ReportRange, ReportReader, ReportSubject } from '../pro-reports/index.ts';
import { StoredReportRepository, compressFiles, reportNotFound } from './stored-report-repository.ts';
import type { StoredReport, ReportFault } from './stored-report.ts';
import type { MakeReportResult } from './make-report.job.ts';
import type { RenderedReportPage, ReportRenderRequest, ReportRendererPort } from './ports.ts';
import type { ReportMailer } from './report-mailer.ts';
import type { ReportChangeLog } from './report-change-log.ts';
import { ReportScheduleReadModel } from './report-schedule-read-model.ts';
import { ReportScheduleRepository } from './report-schedule-repository.ts';
import { ALL_REPORTS, hasSiteInScope, refuseReportsOutside } from './report-scope-read-model.ts';
import { isHolding, type FileFormat, type ReportScheduleRecord } from './report-schedule.ts';

export interface ReportMakerDeps {
  knex: Knex;
  clock: Clock;
  renderer: ReportRendererPort;
  mailer: ReportMailer;
  range: ReportReader['range'];
  log: ReportChangeLog;
  scopeOfOwner: (owner: CredentialOwner) => Promise<SiteScope>;
}

interface RenderedReportFiles {
  page: RenderedReportPage;
  files: Map<FileFormat, Uint8Array>;
  pdfFault: ReportFault | null;
}

export class ReportMaker {
  readonly #deps: ReportMakerDeps;

  constructor(deps: ReportMakerDeps) {
    this.#deps = deps;
  }

  /**
   * Makes a report. Stores it and its mail in one transaction: even if a process is killed or the job item is repeated,
   * the report is stored once and mailed once. Throws `svc_outside_limits` if the limited caller that started the
   * report (`owner`) does not see all of its sites now.
   */
  async make(reportId: number, owner: CredentialOwner | null, signal: AbortSignal): Promise<MakeReportResult> {
    const { knex } = this.#deps;
    const queued = await new StoredReportRepository(knex).find(ALL_REPORTS, reportId);
    if (!queued || queued.scheduleId === null) throw reportNotFound();
    if (queued.state === 'made') return { reportId, mailId: queued.mailId };
    try {
      const schedule = await new ReportScheduleReadModel(knex).get(ALL_SITES, queued.scheduleId);
      if (owner) await this.#refuseOutside(owner, schedule);
      const printed = await this.#render(queued, schedule, signal);
      return { reportId, mailId: await this.#store(queued, schedule, printed, owner ?? schedule.owner) };
    } catch (error) {
      if (!signal.aborted && !isServiceFailure(error)) await this.#recordFailure(reportId, error);
      throw error;
    }
  }

  /**
   * Returns a report of the sites of the schedule that both the caller and the owner of the schedule see now. `text` is
   * printed in this report only. Throws `svc_outside_limits` if there is no such site.
   */
  async request(
    caller: SiteScope,
    schedule: ReportScheduleRecord,
    days: ReportDays,
    text: string | null,
  ): Promise<ReportRenderRequest> {
    const { segments, owner } = schedule;
    const { knex, scopeOfOwner } = this.#deps;
    const scope = owner === null ? caller : scopeWithinBoth(caller, await scopeOfOwner(owner));
    if (!(await hasSiteInScope(knex, scope, schedule)))
      throw outsideError('The caller that set the recipients has none of the sites now.');
    const range = await this.rangeOf(schedule, days);
    return { scope, about: subjectOf(schedule), segments, range, ...(text !== null && { text }) };
  }

  rangeOf(schedule: ReportScheduleRecord, days: ReportDays): Promise<ReportRange> {
    return this.#deps.range(ALL_SITES, days, subjectOf(schedule));
  }

  async #refuseOutside(owner: CredentialOwner, schedule: ReportScheduleRecord): Promise<void> {
    const { knex, scopeOfOwner } = this.#deps;
    await refuseReportsOutside(knex, await scopeOfOwner(owner), schedule, () =>
      outsideError('The caller that started the report has none of its sites now.'),
    );
  }

  async #render(
    queued: StoredReport,
    schedule: ReportScheduleRecord,
    signal: AbortSignal,
  ): Promise<RenderedReportFiles> {
    const wanted = await this.request(ALL_SITES, schedule, queued, queued.text);
    const page = await this.#deps.renderer.render({ ...wanted, askedForMs: ASKED_FOR_MS });
    if (page.siteIds.length === 0)
      throw new NotFoundError('svc_no_website_found', 'The client has no site for a report.');
    const files = new Map<FileFormat, Uint8Array>([['html', Buffer.from(page.html)]]);
    if (schedule.format === 'html') return { page, files, pdfFault: null };
    try {
      return { page, files: files.set('pdf', await page.print(signal)), pdfFault: null };
    } catch (error) {
      if (signal.aborted || error instanceof StoppingError) throw error;
      // Without a PDF, the report is sent as HTML.
      return { page, files, pdfFault: errorToReportFault(error, 'The browser could not print the report.') };
    }
  }

  async #store(
    queued: StoredReport,
    schedule: ReportScheduleRecord,
    printed: RenderedReportFiles,
    owner: CredentialOwner | null,
  ): Promise<number | null> {
    const { knex, clock, mailer } = this.#deps;
    const { page, files, pdfFault } = printed;
    const kept = await compressFiles(files);
    const { zone, summary, language, siteIds, fileName } = page;
    const { sendsTo: recipients, subject } = schedule;
    const clientId = schedule.client?.id ?? null;
    const made = {
      clientId,
      zone,
      summary,
      language,
      sitesCount: siteIds.length,
      fileName,
      pdfFault,
      recipients,
      subject,
    };
    const format = files.has('pdf') ? 'pdf' : 'html';
    const bytes = files.get(format) ?? Buffer.alloc(0);
    return inTransaction(knex, async (scope) => {
      const reports = new StoredReportRepository(scope.trx);
      const report = await reports.lock(ALL_REPORTS, queued.id);
      if (!report) throw reportNotFound();
      if (report.state === 'made') return report.mailId;
      await reports.saveMade(report.id, made, page.mailLook, kept, clock.now());
      await reports.setSites(report.id, siteIds);
      if (report.scheduleId !== null && (await this.#isHeld(scope.trx, report.scheduleId))) {
        await reports.hold(report.id, clock.now());
        await mailer.sendNotice(scope, { ...report, ...made, heldAt: clock.now() }, { isReminder: false });
        const description = `Created the report ${report.name}, which waits for its release.`;
        await this.#deps.log(scope.trx, report, 'report.held', description, 'system');
        return null;
      }
      const mailId = await mailer.send(
        scope,
        { ...report, ...made, format, bytes },
        { name: `report:${report.id}`, owner },
      );
      if (mailId !== null) await reports.addMail(report.id, mailId);
      await this.#deps.log(scope.trx, report, 'report.made', `Created the report ${report.name}.`, 'system');
      return mailId;
    });
  }

  /**
   * True if the report must wait for a release: its schedule holds the first report and has released none, or an
   * earlier report waits.
   */
  async #isHeld(trx: Knex.Transaction, scheduleId: number): Promise<boolean> {
    if (isHolding(await new ReportScheduleRepository(trx).lock(ALL_SITES, scheduleId))) return true;
    return (await new StoredReportRepository(trx).lockWaitingOf(scheduleId)).length > 0;
  }

  async #recordFailure(reportId: number, error: unknown): Promise<void> {
    await inTransaction(this.#deps.knex, async ({ trx }) => {
      const reports = new StoredReportRepository(trx);
      const report = await reports.lock(ALL_REPORTS, reportId);
      if (report && report.state !== 'made') await reports.saveFailed(reportId, errorToReportFault(error));
    });
  }
}

/** Sites of a slow server are asked one after another. Nobody waits for a scheduled report. */
const ASKED_FOR_MS = 15 * MINUTE;

const subjectOf = ({ siteId, clientId }: ReportScheduleRecord): ReportSubject =>
  siteId === null ? { client: clientId ?? 0 } : { siteId };

/** True if the service failed and not the report. Then the report is not marked as failed, but made later. */
const isServiceFailure = (error: unknown): boolean =>
  error instanceof StoppingError || error instanceof DatabaseUnavailableError;

const errorToReportFault = (error: unknown, otherwise = 'Something went wrong on our side.'): ReportFault =>
  error instanceof DomainError
    ? { code: error.code, message: error.message }
    : { code: 'svc_internal_error', message: otherwise };
