import type { Knex } from 'knex';
import { readCountedPage } from '../../db/counted-page.ts';
import { orderByOf } from '../../db/order-by.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { Mail, MailServices } from '../mail/index.ts';
import { ReportLinkRepository } from './report-link-repository.ts';
import { whereReportInScope, type ReportScope } from './report-scope-read-model.ts';
import type { StoredReport, StoredReportFilter, StoredReportRecord, ReportOrder } from './stored-report.ts';
import {
  REPORT_COLUMNS,
  reportNotFound,
  StoredReportRepository,
  toReport,
  type StoredReportRow,
} from './stored-report-repository.ts';

const COLUMNS = REPORT_COLUMNS.map((name) => `kept_reports.${name}`);
const ORDER_COLUMNS = {
  created_at: ['kept_reports.created_at', 'kept_reports.id'],
  start_date: ['kept_reports.start_date', 'kept_reports.id'],
  name: ['kept_reports.name_key', 'kept_reports.id'],
} as const;

export class StoredReportReadModel {
  readonly #db: Knex;
  readonly #mails: MailServices['mails'];

  constructor(db: Knex, mails: MailServices['mails']) {
    this.#db = db;
    this.#mails = mails.within(db);
  }

  async get(scope: ReportScope, id: number): Promise<StoredReportRecord> {
    const report = await new StoredReportRepository(this.#db).find(scope, id);
    if (!report) throw reportNotFound();
    const [record] = await this.#records([report]);
    return record as StoredReportRecord;
  }

  list(
    scope: ReportScope,
    filter: StoredReportFilter,
    order: ReportOrder,
    request: PageRequest,
  ): Promise<Page<StoredReportRecord>> {
    const orderBy = orderByOf(ORDER_COLUMNS, order);
    const toItems = (rows: StoredReportRow[]): Promise<StoredReportRecord[]> => this.#records(rows.map(toReport));
    const chosen = (): Knex.QueryBuilder => this.#chosen(scope, filter);
    return readCountedPage({ chosen, orderBy, columns: COLUMNS, toItems }, request);
  }

  async #records(reports: readonly StoredReport[]): Promise<StoredReportRecord[]> {
    const carried = await this.#db('kept_report_mails')
      .whereIn(
        'report_id',
        reports.map(({ id }) => id),
      )
      .orderBy('mail_id', 'desc')
      .select<{ report_id: number; mail_id: number }[]>('report_id', 'mail_id');
    const mails = await this.#mails.byIds(carried.map(({ mail_id: id }) => id));
    const mailsOfReport = (id: number): Mail[] =>
      carried.filter(({ report_id: report }) => report === id).flatMap(({ mail_id: mail }) => mails.get(mail) ?? []);
    const links = await new ReportLinkRepository(this.#db).ofReports(reports.map(({ id }) => id));
    return reports.map((report) => ({
      ...report,
      mails: mailsOfReport(report.id),
      links: links.filter(({ reportId }) => reportId === report.id),
    }));
  }

  #chosen(
    scope: ReportScope,
    { siteId, clientId, scheduleId, state, mailState, from, to }: StoredReportFilter,
  ): Knex.QueryBuilder {
    const query = this.#db('kept_reports');
    whereReportInScope(this.#db, query, scope);
    if (siteId !== undefined) void query.where('kept_reports.site_id', siteId);
    if (clientId !== undefined) void query.where('kept_reports.client_id', clientId);
    if (scheduleId !== undefined) void query.where('kept_reports.schedule_id', scheduleId);
    if (state) void query.where('kept_reports.state', state);
    if (mailState === 'none') void query.whereNull('kept_reports.mail_id');
    else if (mailState) void query.join('mails', 'mails.id', 'kept_reports.mail_id').where('mails.state', mailState);
    if (from !== undefined) void query.where('kept_reports.end_date', '>=', from);
    if (to !== undefined) void query.where('kept_reports.start_date', '<=', to);
    return query;
  }
}
