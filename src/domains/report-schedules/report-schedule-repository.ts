import type { Knex } from 'knex';
import { lockForClaim, lockForUpdate } from '../../db/dialect.ts';
import { fromJson, toJson } from '../../db/json.ts';
import { NotFoundError } from '../../shared/errors.ts';
import type { CredentialOwner } from '../../shared/requester.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { nameKeyOf } from '../../shared/text.ts';
import type { SegmentName } from '../pro-reports/index.ts';
import type { NextRun, FileFormat, Frequency, ScheduleFields, StoredReportSchedule } from './report-schedule.ts';
import { whereScheduleInScope } from './report-scope-read-model.ts';

export interface ReportScheduleRow {
  id: number;
  name: string;
  site_id: number | null;
  client_id: number | null;
  frequency: Frequency;
  day: number;
  time_of_day: string;
  segments: string | null;
  recipients: string;
  subject: string | null;
  format: FileFormat;
  active: number;
  hold_first_report: number;
  owner_user_id: number | null;
  owner_key_id: number | null;
  released_at: number | null;
  next_run_at: number | null;
  zone: string | null;
  last_run_at: number | null;
  created_at: number;
  updated_at: number;
}

export const SCHEDULE_COLUMNS = [
  ...(['id', 'name', 'site_id', 'client_id', 'frequency', 'day', 'time_of_day', 'segments', 'recipients'] as const),
  ...([
    'subject',
    'format',
    'active',
    'hold_first_report',
    'owner_user_id',
    'owner_key_id',
    'released_at',
    'next_run_at',
    'zone',
    'last_run_at',
    'created_at',
    'updated_at',
  ] as const),
] satisfies (keyof ReportScheduleRow)[];

export const toSchedule = (row: ReportScheduleRow): StoredReportSchedule => ({
  id: row.id,
  name: row.name,
  siteId: row.site_id,
  clientId: row.client_id,
  frequency: row.frequency,
  day: row.day,
  time: row.time_of_day,
  segments: row.segments === null ? null : (fromJson<SegmentName[]>(row.segments) ?? null),
  recipients: fromJson<string[]>(row.recipients) ?? [],
  subject: row.subject,
  format: row.format,
  active: row.active === 1,
  holdFirstReport: row.hold_first_report === 1,
  owner: row.owner_user_id === null ? null : { userId: row.owner_user_id, keyId: row.owner_key_id },
  releasedAt: row.released_at,
  nextRunAt: row.next_run_at,
  zone: row.zone,
  lastRunAt: row.last_run_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

type WrittenSchedule = ScheduleFields & NextRun & Pick<StoredReportSchedule, 'owner'>;

const toRow = (fields: WrittenSchedule) => ({
  name: fields.name,
  name_key: nameKeyOf(fields.name),
  frequency: fields.frequency,
  day: fields.day,
  time_of_day: fields.time,
  segments: fields.segments && toJson(fields.segments),
  recipients: toJson(fields.recipients),
  subject: fields.subject,
  format: fields.format,
  active: fields.active ? 1 : 0,
  hold_first_report: fields.holdFirstReport ? 1 : 0,
  owner_user_id: fields.owner?.userId ?? null,
  owner_key_id: fields.owner?.keyId ?? null,
  next_run_at: fields.nextRunAt,
  zone: fields.zone,
});

export const scheduleNotFound = (): NotFoundError =>
  new NotFoundError('svc_report_schedule_not_found', 'No report schedule has this ID.');

export class ReportScheduleRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async insert(
    fields: WrittenSchedule,
    about: { siteId: number | null; clientId: number | null },
    now: number,
  ): Promise<number> {
    const times = { created_at: now, updated_at: now };
    const row = { ...toRow(fields), site_id: about.siteId, client_id: about.clientId, ...times };
    const [id] = await this.#db('report_schedules').insert(row);
    return id as number;
  }

  async update(id: number, fields: WrittenSchedule, now: number): Promise<void> {
    await this.#db('report_schedules')
      .where({ id })
      .update({ ...toRow(fields), updated_at: now });
  }

  /**
   * Checks a limited scope first, so that a schedule outside the scope is not locked and costs the same SQL as a
   * missing one: the duration must not show that it exists.
   */
  async lock(scope: SiteScope, id: number): Promise<StoredReportSchedule> {
    if (isLimited(scope) && !(await this.find(scope, id))) throw scheduleNotFound();
    const query = this.#db('report_schedules')
      .where({ id })
      .select<ReportScheduleRow[]>(...SCHEDULE_COLUMNS);
    const [row]: ReportScheduleRow[] = await lockForUpdate(this.#db, query);
    if (!row) throw scheduleNotFound();
    return toSchedule(row);
  }

  async setReleased(id: number, now: number): Promise<void> {
    await this.#db('report_schedules').where({ id }).whereNull('released_at').update({ released_at: now });
  }

  async find(scope: SiteScope, id: number): Promise<StoredReportSchedule | null> {
    const query = this.#db('report_schedules').where({ id });
    whereScheduleInScope(this.#db, query, scope);
    const row = await query.first<ReportScheduleRow | undefined>(...SCHEDULE_COLUMNS);
    return row ? toSchedule(row) : null;
  }

  /**
   * Changes the schedules without recipients, which send to the client's address. `owner` is the limited caller that
   * set this address, or null if that caller is not limited.
   */
  async setOwnerOfMailsTo(clientId: number, owner: CredentialOwner | null): Promise<void> {
    const sites = this.#db('sites').where({ client_id: clientId }).select('id');
    await this.#db('report_schedules')
      .where({ recipients: toJson([]) })
      .where((about) => about.where({ client_id: clientId }).orWhereIn('site_id', sites))
      .update({ owner_user_id: owner?.userId ?? null, owner_key_id: owner?.keyId ?? null });
  }

  async delete(id: number): Promise<void> {
    await this.#db('report_schedules').where({ id }).delete();
  }

  async claimDue(now: number, most: number): Promise<StoredReportSchedule[]> {
    const query = this.#db('report_schedules')
      .where('next_run_at', '<=', now)
      .orderBy(['next_run_at', 'id'])
      .limit(most)
      .select<ReportScheduleRow[]>(...SCHEDULE_COLUMNS);
    const rows: ReportScheduleRow[] = await lockForClaim(this.#db, query);
    return rows.map(toSchedule);
  }

  async claimOfOtherZones(zone: string, now: number, most: number): Promise<StoredReportSchedule[]> {
    const query = this.#db('report_schedules')
      .where({ active: 1 })
      .where((next) => void next.whereNull('next_run_at').orWhere('next_run_at', '>', now))
      .whereNot({ zone })
      .orderBy('id')
      .limit(most)
      .select<ReportScheduleRow[]>(...SCHEDULE_COLUMNS);
    const rows: ReportScheduleRow[] = await lockForClaim(this.#db, query);
    return rows.map(toSchedule);
  }

  async reschedule(id: number, due: NextRun & { lastRunAt?: number }): Promise<void> {
    const { nextRunAt, zone, lastRunAt } = due;
    const last = lastRunAt === undefined ? {} : { last_run_at: lastRunAt };
    await this.#db('report_schedules')
      .where({ id })
      .update({ next_run_at: nextRunAt, zone, ...last });
  }

  async deleteOf(target: 'site_id' | 'client_id', id: number): Promise<void> {
    await this.#db('report_schedules').where(target, id).delete();
  }

  idsOf(target: 'site_id' | 'client_id', id: number): Promise<number[]> {
    return this.#db('report_schedules').where(target, id).pluck<number[]>('id');
  }
}
