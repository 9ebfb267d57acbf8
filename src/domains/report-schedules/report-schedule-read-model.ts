import type { Knex } from 'knex';
import { readCountedPage } from '../../db/counted-page.ts';
import { orderByOf } from '../../db/order-by.ts';
import { whereContains } from '../../db/search.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { SiteScope } from '../../shared/site-scope.ts';
import { whereScheduleInScope } from './report-scope-read-model.ts';
import type {
  ReportScheduleFilter,
  ReportScheduleRecord,
  ScheduleOrder,
  StoredReportSchedule,
} from './report-schedule.ts';
import {
  ReportScheduleRepository,
  SCHEDULE_COLUMNS,
  scheduleNotFound,
  toSchedule,
  type ReportScheduleRow,
} from './report-schedule-repository.ts';
import { toScheduleRecord, ReportTargetReadModel } from './report-target-read-model.ts';

const ORDER_COLUMNS = {
  name: ['name_key', 'id'],
  next_run: ['next_run_at', 'id'],
  last_run: ['last_run_at', 'id'],
  created_at: ['created_at', 'id'],
} as const;

export class ReportScheduleReadModel {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async get(scope: SiteScope, id: number): Promise<ReportScheduleRecord> {
    const schedule = await new ReportScheduleRepository(this.#db).find(scope, id);
    if (!schedule) throw scheduleNotFound();
    return this.withTarget(schedule);
  }

  async withTarget(schedule: StoredReportSchedule): Promise<ReportScheduleRecord> {
    const [record] = await this.#records([schedule]);
    return record as ReportScheduleRecord;
  }

  list(
    scope: SiteScope,
    filter: ReportScheduleFilter,
    order: ScheduleOrder,
    request: PageRequest,
  ): Promise<Page<ReportScheduleRecord>> {
    const orderBy = orderByOf(ORDER_COLUMNS, order);
    const toItems = (rows: ReportScheduleRow[]): Promise<ReportScheduleRecord[]> => this.#records(rows.map(toSchedule));
    const chosen = (): Knex.QueryBuilder => this.#chosen(scope, filter);
    return readCountedPage({ chosen, orderBy, columns: SCHEDULE_COLUMNS, toItems }, request);
  }

  async #records(schedules: readonly StoredReportSchedule[]): Promise<ReportScheduleRecord[]> {
    const abouts = await new ReportTargetReadModel(this.#db).of(schedules);
    return schedules.map((schedule) =>
      toScheduleRecord(schedule, abouts.get(schedule.id) ?? { site: null, client: null }),
    );
  }

  #chosen(scope: SiteScope, { siteId, clientId, active, frequency, search }: ReportScheduleFilter): Knex.QueryBuilder {
    const query = this.#db('report_schedules');
    whereScheduleInScope(this.#db, query, scope);
    if (siteId !== undefined) void query.where('site_id', siteId);
    if (clientId !== undefined)
      void query.where((either) => {
        const sites = this.#db('sites').where({ client_id: clientId }).select('id');
        void either.where('client_id', clientId).orWhereIn('site_id', sites);
      });
    if (active !== undefined) void query.where('active', active ? 1 : 0);
    if (frequency) void query.where({ frequency });
    whereContains(query, search, 'name_key');
    return query;
  }
}
