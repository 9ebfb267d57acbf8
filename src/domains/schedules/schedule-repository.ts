import type { Knex } from 'knex';
import { databaseTimeSql } from '../../db/database-clock.ts';
import { lockForUpdate } from '../../db/dialect.ts';
import type { Clock } from '../../shared/clock.ts';

interface ScheduleRow {
  name: string;
  fingerprint: string | null;
  next_run_at: number | null;
  last_run_at: number | null;
  last_job_id: string | null;
  last_skipped_at: number | null;
  last_error: string | null;
  last_error_at: number | null;
}

export interface ScheduleState {
  /** Fingerprint of the timing that `nextRunAt` was calculated for. Null if it was never calculated. */
  fingerprint: string | null;
  nextRunAt: number | null;
  lastRunAt: number | null;
  /** Null if the last run had nothing to do. */
  lastJobId: string | null;
  /** Time of the last run that was skipped because the previous job was still running. */
  lastSkippedAt: number | null;
  /** Reason why the last run could not start; null after a successful start. */
  lastError: string | null;
  lastErrorAt: number | null;
}

export type PlannedRun = Pick<ScheduleState, 'fingerprint' | 'nextRunAt' | 'lastRunAt'>;

export const NEVER_RUN: ScheduleState = {
  fingerprint: null,
  nextRunAt: null,
  lastRunAt: null,
  lastJobId: null,
  lastSkippedAt: null,
  lastError: null,
  lastErrorAt: null,
};

const COLUMNS = [
  'name',
  'fingerprint',
  'next_run_at',
  'last_run_at',
  'last_job_id',
  'last_skipped_at',
  'last_error',
  'last_error_at',
] as const;

const toState = (row: ScheduleRow): ScheduleState => ({
  fingerprint: row.fingerprint,
  nextRunAt: row.next_run_at,
  lastRunAt: row.last_run_at,
  lastJobId: row.last_job_id,
  lastSkippedAt: row.last_skipped_at,
  lastError: row.last_error,
  lastErrorAt: row.last_error_at,
});

const COLUMN_OF = {
  fingerprint: 'fingerprint',
  nextRunAt: 'next_run_at',
  lastRunAt: 'last_run_at',
  lastJobId: 'last_job_id',
  lastSkippedAt: 'last_skipped_at',
  lastError: 'last_error',
  lastErrorAt: 'last_error_at',
} as const satisfies Record<keyof ScheduleState, keyof ScheduleRow>;

export class ScheduleRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async plannedRuns(clock: Clock): Promise<{ now: number; runs: Map<string, PlannedRun> }> {
    const rows = await this.#db<ScheduleRow>('schedules').select<(ScheduleRow & { now: number | string })[]>(
      'name',
      'fingerprint',
      'next_run_at',
      'last_run_at',
      this.#db.raw('? as now', [databaseTimeSql(this.#db, clock)]),
    );
    const runs = rows.map(
      (row) =>
        [row.name, { fingerprint: row.fingerprint, nextRunAt: row.next_run_at, lastRunAt: row.last_run_at }] as const,
    );
    return { now: Number(rows[0]?.now ?? clock.now()), runs: new Map(runs) };
  }

  async states(): Promise<Map<string, ScheduleState>> {
    const rows = await this.#db<ScheduleRow>('schedules').select(...COLUMNS);
    return new Map(rows.map((row) => [row.name, toState(row)]));
  }

  async add(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    await this.#db('schedules')
      .insert(names.map((name) => ({ name })))
      .onConflict('name')
      .ignore();
  }

  async lock(name: string): Promise<ScheduleState> {
    const query = this.#db('schedules')
      .where({ name })
      .select<ScheduleRow[]>(...COLUMNS);
    const [row]: ScheduleRow[] = await lockForUpdate(this.#db, query);
    return row ? toState(row) : NEVER_RUN;
  }

  async save(name: string, patch: Partial<ScheduleState>): Promise<void> {
    const fields = Object.keys(patch) as (keyof ScheduleState)[];
    const row = Object.fromEntries(fields.map((field) => [COLUMN_OF[field], patch[field]]));
    await this.#db('schedules').where({ name }).update(row);
  }
}
