import type { Knex } from 'knex';
import { chunks } from '../../db/chunks.ts';
import { deleteOldest } from '../../db/delete-oldest.ts';
import { lockForUpdate } from '../../db/dialect.ts';
import { fromJson, toJson } from '../../db/json.ts';
import { truncate } from '../../shared/text.ts';
import type {
  AuditErrorCode,
  AuditFault,
  DeviceAudit,
  DeviceAudits,
  AuditState,
  Engine,
  Scores,
  Strategy,
  StrategyChoice,
} from './audit.ts';

/** Newest audit of a site. Times are milliseconds since 1970. */
export interface Audit {
  siteId: number;
  auditId: string | null;
  state: AuditState;
  /** Requested devices. Null if the setting applies. */
  strategy: StrategyChoice | null;
  jobId: string | null;
  engine: Engine | null;
  queuedAt: number | null;
  startedAt: number | null;
  lastCheckAt: number | null;
  error: AuditFault | null;
  isBelow: boolean;
}

export interface AuditRow {
  site_id: number;
  audit_id: string | null;
  state: AuditState;
  strategy: StrategyChoice | null;
  job_id: string | null;
  engine: Engine | null;
  queued_at: number | null;
  started_at: number | null;
  last_check_at: number | null;
  error_code: AuditErrorCode | null;
  error_message: string | null;
  is_below: number;
}

export const AUDIT_COLUMNS = [
  'audit_id',
  'state',
  'strategy',
  'job_id',
  'engine',
  'queued_at',
  'started_at',
  'last_check_at',
  'error_code',
  'error_message',
  'is_below',
] as const;

export const toAudit = (row: AuditRow): Audit => ({
  siteId: row.site_id,
  auditId: row.audit_id,
  state: row.state,
  strategy: row.strategy,
  jobId: row.job_id,
  engine: row.engine,
  queuedAt: row.queued_at,
  startedAt: row.started_at,
  lastCheckAt: row.last_check_at,
  error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
  isBelow: row.is_below === 1,
});

const toRow = (audit: Audit): AuditRow => ({
  site_id: audit.siteId,
  audit_id: audit.auditId,
  state: audit.state,
  strategy: audit.strategy,
  job_id: audit.jobId,
  engine: audit.engine,
  queued_at: audit.queuedAt,
  started_at: audit.startedAt,
  last_check_at: audit.lastCheckAt,
  error_code: audit.error?.code ?? null,
  error_message: audit.error && truncate(audit.error.message, 500),
  is_below: Number(audit.isBelow),
});

export const emptyAuditOf = (siteId: number): Audit => ({
  siteId,
  auditId: null,
  state: 'never',
  strategy: null,
  jobId: null,
  engine: null,
  queuedAt: null,
  startedAt: null,
  lastCheckAt: null,
  error: null,
  isBelow: false,
});

interface DeviceAuditRow {
  site_id: number;
  strategy: Strategy;
  details: string;
}

interface ScoreColumns {
  performance: number | null;
  accessibility: number | null;
  best_practices: number | null;
  seo: number | null;
}

const scoreColumns = ({ performance, accessibility, bestPractices, seo }: Scores): ScoreColumns => ({
  performance,
  accessibility,
  best_practices: bestPractices,
  seo,
});

export interface HistoryEntry {
  siteId: number;
  auditId: string;
  strategy: Strategy;
  fetchedAt: number;
  scores: Scores;
}

export class AuditRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /**
   * Locks the audits until the transaction ends. Creates missing rows (state `never`) after the lock: an insert of a
   * row that exists keeps a shared lock on it, and two such transactions would deadlock. Leaves out sites that are
   * deleted.
   */
  async lock(siteIds: readonly number[]): Promise<Map<number, Audit>> {
    const audits = new Map<number, Audit>();
    for (const ids of chunks(siteIds)) {
      const locked = await this.#locked(ids);
      const missing = ids.filter((id) => !locked.has(id));
      for (const [id, audit] of [...locked, ...(await this.#created(missing))]) audits.set(id, audit);
    }
    return audits;
  }

  async #created(siteIds: readonly number[]): Promise<Map<number, Audit>> {
    if (siteIds.length === 0) return new Map();
    const sites = this.#db('sites')
      .whereIn('id', [...siteIds])
      .orderBy('id')
      .select<{ id: number }[]>('id');
    const present = await lockForUpdate(this.#db, sites);
    if (present.length === 0) return new Map();
    await this.#db('perf_audits')
      .insert(present.map(({ id }) => toRow(emptyAuditOf(id))))
      .onConflict('site_id')
      .ignore();
    return this.#locked(siteIds);
  }

  async #locked(siteIds: readonly number[]): Promise<Map<number, Audit>> {
    const rows = await lockForUpdate(
      this.#db,
      this.#db('perf_audits')
        .whereIn('site_id', [...siteIds])
        .orderBy('site_id')
        .select<AuditRow[]>('site_id', ...AUDIT_COLUMNS),
    );
    return new Map(rows.map((row) => [row.site_id, toAudit(row)]));
  }

  async save(audits: readonly Audit[]): Promise<void> {
    for (const some of chunks(audits))
      await this.#db('perf_audits')
        .insert(some.map(toRow))
        .onConflict('site_id')
        .merge([...AUDIT_COLUMNS]);
  }

  async deviceAudits(siteId: number): Promise<DeviceAudits> {
    return (await this.deviceAuditsOf([siteId])).get(siteId) ?? { desktop: null, mobile: null };
  }

  async deviceAuditsOf(siteIds: readonly number[]): Promise<Map<number, DeviceAudits>> {
    if (siteIds.length === 0) return new Map();
    const rows = await this.#db('perf_audit_sides')
      .whereIn('site_id', [...siteIds])
      .select<DeviceAuditRow[]>('site_id', 'strategy', 'details');
    const sides = new Map<number, DeviceAudits>();
    for (const { site_id, strategy, details } of rows) {
      const ofSite = sides.get(site_id) ?? { desktop: null, mobile: null };
      sides.set(site_id, { ...ofSite, [strategy]: fromJson<DeviceAudit>(details) });
    }
    return sides;
  }

  async addDeviceAudit(
    { siteId, auditId }: Pick<HistoryEntry, 'siteId' | 'auditId'>,
    strategy: Strategy,
    side: DeviceAudit,
  ) {
    const row = { site_id: siteId, strategy, ...scoreColumns(side.scores) };
    await this.#db('perf_audit_sides')
      .insert({ ...row, details: toJson(side) })
      .onConflict(['site_id', 'strategy'])
      .merge();
    await this.#db('perf_audit_history').insert({ ...row, audit_id: auditId, fetched_at: side.fetchedAt });
  }

  pruneHistory(before: number, most: number): Promise<number> {
    return deleteOldest(this.#db, { table: 'perf_audit_history', column: 'fetched_at', before, most });
  }
}
