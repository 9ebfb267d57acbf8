import type { Knex } from 'knex';
import { readCountedPage } from '../../db/counted-page.ts';
import { fromJson } from '../../db/json.ts';
import {
  countStages,
  END_STATES,
  identifierFrom,
  type ItemCounts,
  type ItemState,
  type JobState,
  type NewItemRow,
  type StageCounts,
  type JobStages,
  type StageStop,
} from '../../queue/index.ts';
import { NotFoundError, type ItemError, type ItemErrorCode } from '../../shared/errors.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';

interface JobProgress extends ItemCounts {
  id: string;
  kind: string;
  state: JobState;
  total: number;
  processed: number;
}

export interface Job extends JobProgress {
  requestedBy: string;
  createdAt: number;
  startedAt: number | null;
  completedAt: number | null;
  stages: JobStages | null;
  openStage: number;
  stoppedStage: number | null;
  stageStop: StageStop | null;
}

const LISTED_FAILURES = 500;

export const progressOf = ({ total, processed }: Pick<Job, 'total' | 'processed'>): number =>
  total === 0 ? 100 : Math.floor((100 * processed) / total);

export interface JobItem {
  identifier: string | number;
  siteId: number | null;
  stage: number;
  state: ItemState;
  result: object | null;
  error: { code: ItemErrorCode; message: string } | null;
  startedAt: number | null;
  completedAt: number | null;
}

interface JobRow extends JobProgress {
  requested_by: string;
  created_at: number;
  started_at: number | null;
  completed_at: number | null;
  stages: string | null;
  open_stage: number;
  stopped_stage: number | null;
  stage_stop: string | null;
}

interface ItemRow {
  identifier: string;
  site_id: number | null;
  stage: number;
  state: ItemState;
  result: string | null;
  error_code: ItemErrorCode | null;
  error_message: string | null;
  started_at: number | null;
  completed_at: number | null;
}

const JOB_COLUMNS = [
  'id',
  'kind',
  'state',
  'total',
  'processed',
  ...END_STATES,
  'requested_by',
  'created_at',
  'started_at',
  'completed_at',
  'stages',
  'open_stage',
  'stopped_stage',
  'stage_stop',
] as const;
const ITEM_COLUMNS = [
  'identifier',
  'site_id',
  'stage',
  'state',
  'result',
  'error_code',
  'error_message',
  'started_at',
  'completed_at',
] as const;

export const itemCountsOf = ({ succeeded, partial, failed, unknown, not_begun }: ItemCounts): ItemCounts => ({
  succeeded,
  partial,
  failed,
  unknown,
  not_begun,
});

export const hasFailures = ({ processed, succeeded }: Pick<Job, 'processed' | 'succeeded'>): boolean =>
  processed > succeeded;

type FailedItemRow = Pick<ItemRow, 'site_id' | 'identifier' | 'stage' | 'state'> & { position: number };
const FAILED_ITEMS_A_TIME = 500;
const FAILURES = END_STATES.filter((state) => state !== 'succeeded');
const MAYBE_CHANGED: readonly ItemState[] = ['partial', 'unknown'];

const toJob = (row: JobRow): Job => ({
  id: row.id,
  kind: row.kind,
  state: row.state,
  total: row.total,
  processed: row.processed,
  ...itemCountsOf(row),
  requestedBy: row.requested_by,
  createdAt: row.created_at,
  startedAt: row.started_at,
  completedAt: row.completed_at,
  stages: fromJson<JobStages>(row.stages),
  openStage: row.open_stage,
  stoppedStage: row.stopped_stage,
  stageStop: fromJson<StageStop>(row.stage_stop),
});

const toItem = (row: ItemRow): JobItem => ({
  identifier: identifierFrom(row.identifier),
  siteId: row.site_id,
  stage: row.stage,
  state: row.state,
  result: fromJson<object>(row.result),
  // A postponed item has the error with which it would end if its job was canceled.
  error:
    row.error_code === null || row.completed_at === null
      ? null
      : { code: row.error_code, message: row.error_message ?? '' },
  startedAt: row.started_at,
  completedAt: row.completed_at,
});

export interface JobFilter {
  state?: JobState;
  kind?: string;
  requestedBy?: string;
}

export class JobReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  async get(id: string): Promise<Job> {
    const row = await this.#knex<JobRow>('jobs')
      .where({ id })
      .first<JobRow | undefined>(...JOB_COLUMNS);
    if (!row) throw new NotFoundError('svc_job_not_found', 'No job has this ID, or the job is older than 30 days.');
    return toJob(row);
  }

  list(filter: JobFilter, request: PageRequest): Promise<Page<Job>> {
    const chosen = (): Knex.QueryBuilder => {
      const query = this.#knex('jobs');
      if (filter.state) void query.where({ state: filter.state });
      if (filter.kind) void query.where({ kind: filter.kind });
      if (filter.requestedBy) void query.where({ requested_by: filter.requestedBy });
      return query;
    };
    const orderBy = (['created_at', 'id'] as const).map((column) => ({ column, order: 'desc' as const }));
    const toItems = (rows: JobRow[]): Job[] => rows.map(toJob);
    return readCountedPage({ chosen, orderBy, columns: JOB_COLUMNS, toItems }, request);
  }

  items(id: string, state: ItemState | undefined, request: PageRequest): Promise<Page<JobItem>> {
    const chosen = (): Knex.QueryBuilder => {
      const query = this.#knex('job_items').where({ job_id: id });
      return state ? query.where({ state }) : query;
    };
    const toItems = (rows: ItemRow[]): JobItem[] => rows.map(toItem);
    return readCountedPage({ chosen, orderBy: ['position'], columns: ITEM_COLUMNS, toItems }, request);
  }

  stageCounts(jobs: readonly Job[]): Promise<Map<string, StageCounts[]>> {
    return countStages(this.#knex, jobs);
  }

  /**
   * Returns the items that a retry runs again. A retry by rings includes those that left their site broken, so that it
   * looks at them before the next ring begins.
   */
  async failedItems({ id, stages }: Pick<Job, 'id' | 'stages'>): Promise<NewItemRow[]> {
    const items: NewItemRow[] = [];
    for (let after = -1, size = FAILED_ITEMS_A_TIME; size === FAILED_ITEMS_A_TIME;) {
      const rows = await this.#knex('job_items')
        .where({ job_id: id })
        .where((item) =>
          item
            .whereIn('state', FAILURES)
            .modify((each) => (stages === null ? each : each.orWhere({ verdict: 'flawed' }))),
        )
        .where('position', '>', after)
        .orderBy('position')
        .limit(FAILED_ITEMS_A_TIME)
        .select<FailedItemRow[]>('site_id', 'identifier', 'stage', 'state', 'position');
      for (const { site_id: siteId, identifier, stage, state } of rows)
        items.push({
          siteId,
          identifier: identifierFrom(identifier),
          stage,
          resumed: MAYBE_CHANGED.includes(state),
        });
      size = rows.length;
      after = rows.at(-1)?.position ?? after;
    }
    return items;
  }

  async underWay(kind: string): Promise<{ id: string; total: number; input: unknown }[]> {
    const rows = await this.#knex('jobs')
      .where({ kind })
      .whereIn('state', ['queued', 'processing'])
      .orderBy(['created_at', 'id'])
      .select<{ id: string; total: number; input: string }[]>('id', 'total', 'input');
    return rows.map(({ id, total, input }) => ({ id, total, input: fromJson<unknown>(input) }));
  }

  /** True until the last item of the job has ended. This also applies to a canceled job. */
  async isUnfinished(id: string | null): Promise<boolean> {
    if (id === null) return false;
    const row = await this.#knex('jobs')
      .where({ id })
      .whereNull('completed_at')
      .first<{ id: string } | undefined>('id');
    return row !== undefined;
  }

  async unfinishedAmong(ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const unfinished = await this.#knex('jobs')
      .whereIn('id', [...new Set(ids)])
      .whereNull('completed_at')
      .pluck<string[]>('id');
    return new Set(unfinished);
  }

  async input(id: string): Promise<unknown> {
    const row = await this.#knex('jobs').where({ id }).first<{ input: string } | undefined>('input');
    return fromJson(row?.input ?? null) ?? {};
  }

  async failures(id: string, limit = LISTED_FAILURES): Promise<ItemError[]> {
    const rows = await this.#knex('job_items')
      .where({ job_id: id })
      .whereIn('state', FAILURES)
      .orderBy('position')
      .limit(limit)
      .select<ItemRow[]>(...ITEM_COLUMNS);
    return rows
      .map(toItem)
      .flatMap(({ identifier, siteId, error }) =>
        error ? [{ identifier, ...error, ...(siteId === null ? {} : { site_id: siteId }) }] : [],
      );
  }
}
