import type { Knex } from 'knex';
import { readCountedPage } from '../../db/counted-page.ts';
import { whereContains } from '../../db/search.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type {
  ReportScheduleFilter,
  ReportScheduleRecord,
  ScheduleSorting,
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

const SORTED_BY: Record<ScheduleSorting['by'], string> = {
  name: 'name_key',
  next_run: 'next_run_at',
  last_run: 'last_run_at',
  created_at: 'created_at',
};

export class ReportScheduleReadModel {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async get(id: number): Promise<ReportScheduleRecord> {
    const schedule = await new ReportScheduleRepository(this.#db).find(id);
    if (!schedule) throw scheduleNotFound();
    return this.withTarget(schedule);
  }

  async withTarget(schedule: StoredReportSchedule): Promise<ReportScheduleRecord> {
    const [record] = await this.#records([schedule]);
    return record as ReportScheduleRecord;
  }

  list(
    filter: ReportScheduleFilter,
    { by, order }: ScheduleSorting,
    request: PageRequest,
  ): Promise<Page<ReportScheduleRecord>> {
    const orderBy = [SORTED_BY[by], 'id'].map((column) => ({ column, order }));
    const toItems = (rows: ReportScheduleRow[]): Promise<ReportScheduleRecord[]> => this.#records(rows.map(toSchedule));
    const chosen = (): Knex.QueryBuilder => this.#chosen(filter);
    return readCountedPage({ chosen, orderBy, columns: SCHEDULE_COLUMNS, toItems }, request);
  }

  async #records(schedules: readonly StoredReportSchedule[]): Promise<ReportScheduleRecord[]> {
    const abouts = await new ReportTargetReadModel(this.#db).of(schedules);
    return schedules.map((schedule) =>
      toScheduleRecord(schedule, abouts.get(schedule.id) ?? { site: null, client: null }),
    );
  }

  #chosen({ siteId, clientId, active, frequency, search }: ReportScheduleFilter): Knex.QueryBuilder {
    const query = this.#db('report_schedules');
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
