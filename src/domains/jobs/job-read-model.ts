import type { Knex } from 'knex';
import { FEW_ROWS, longRead } from '../../db/long-read.ts';
import { countRows } from '../../db/count-rows.ts';
import { chunks } from '../../db/chunks.ts';
import { readCountedPage } from '../../db/counted-page.ts';
import { orderByOf } from '../../db/order-by.ts';
import { fromJson } from '../../db/json.ts';
import {
  countStages,
  END_STATES,
  identifierFrom,
  type ItemCounts,
  type ItemState,
  type JobState,
  type ItemPages,
  type NewItemRow,
  type StageCounts,
  type JobStages,
  type StageStop,
} from '../../queue/index.ts';
import type { ItemErrorCode } from '../../shared/error-codes.ts';
import { NotFoundError } from '../../shared/errors.ts';
import type { ItemError } from '../../shared/item-error.ts';
import type { ListOrder } from '../../shared/list-order.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { whereInScope } from '../sites/index.ts';
import type { Job, JobProgress } from './job.ts';
import { toVisibleJob } from './visible-job.ts';

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
interface FailedCountRow {
  total: number | string;
  stage: number | null;
}
const FAILED_ITEMS_A_TIME = 500;
const FAILURES = END_STATES.filter((state) => state !== 'succeeded');
const MAYBE_CHANGED: readonly ItemState[] = ['partial', 'unknown'];

async function* pagesOf(failed: () => Knex.QueryBuilder): AsyncGenerator<NewItemRow[]> {
  for (let after = -1, size = FAILED_ITEMS_A_TIME; size === FAILED_ITEMS_A_TIME;) {
    const rows = await failed()
      .where('position', '>', after)
      .orderBy('position')
      .limit(FAILED_ITEMS_A_TIME)
      .select<FailedItemRow[]>('site_id', 'identifier', 'stage', 'state', 'position');
    size = rows.length;
    after = rows.at(-1)?.position ?? after;
    for (const chunk of chunks(rows))
      yield chunk.map(({ site_id: siteId, identifier, stage, state }) => ({
        siteId,
        identifier: identifierFrom(identifier),
        stage,
        resumed: MAYBE_CHANGED.includes(state),
      }));
  }
}

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
  // A postponed item has no error yet: its columns have the one with which it would end if its job was canceled.
  error:
    row.error_code === null || row.completed_at === null
      ? null
      : { code: row.error_code, message: row.error_message ?? '' },
  startedAt: row.started_at,
  completedAt: row.completed_at,
});

/** The items of a job without stages are in stage 0. */
const ONE_STAGE: JobStages = { names: [''], stopAfter: 1 };
const HAS_SUCCESS = "case when state in ('succeeded', 'partial') then 1 else 0 end";

export interface JobFilter {
  state?: JobState;
  kind?: string;
  requestedBy?: string;
}

/** In ascending order of `completed_at`, jobs that have not completed come first. */
export type JobOrder = ListOrder<'created_at' | 'completed_at'>;

const NEWEST_FIRST: JobOrder = { by: 'created_at', direction: 'desc' };
const ORDER_COLUMNS = {
  created_at: ['jobs.created_at', 'jobs.id'],
  completed_at: ['jobs.completed_at', 'jobs.id'],
} as const;

/** A limited caller sees only a part of the items, so their number does not show how many a statement reads. */
const isLarge = (scope: SiteScope, total: number): boolean => isLimited(scope) || total > FEW_ROWS;

export class JobReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** Throws `svc_job_not_found`, also if no item of the job has a site of the scope. */
  async get(scope: SiteScope, id: string): Promise<Job> {
    const query = this.#knex('jobs').where({ id });
    // A job outside the scope costs the same SQL as a missing one, so that the duration does not show that it exists.
    if (isLimited(scope)) void query.whereExists(this.#itemsOf(scope, id).select('job_items.job_id'));
    const row = await query.first<JobRow | undefined>(...JOB_COLUMNS);
    const [job] = row ? await this.#visible(scope, [toJob(row)]) : [];
    if (!job) throw new NotFoundError('svc_job_not_found', 'No job has this ID, or the job is older than 30 days.');
    return job;
  }

  list(scope: SiteScope, filter: JobFilter, request: PageRequest, order = NEWEST_FIRST): Promise<Page<Job>> {
    const chosen = (): Knex.QueryBuilder => {
      const query = this.#knex('jobs');
      this.#whereVisible(query, scope, filter.state);
      if (filter.kind) void query.where({ kind: filter.kind });
      if (filter.requestedBy) void query.where({ requested_by: filter.requestedBy });
      return query;
    };
    const orderBy = orderByOf(ORDER_COLUMNS, order);
    const toItems = (rows: JobRow[]): Promise<Job[]> => this.#visible(scope, rows.map(toJob));
    return readCountedPage({ chosen, orderBy, columns: JOB_COLUMNS, toItems, isLong: isLimited(scope) }, request);
  }

  /** `total` is the number of items of the job, if it is known. */
  items(
    scope: SiteScope,
    id: string,
    state: ItemState | undefined,
    request: PageRequest,
    total = Infinity,
  ): Promise<Page<JobItem>> {
    const chosen = (): Knex.QueryBuilder => {
      const query = this.#itemsOf(scope, id);
      return state ? query.where({ state }) : query;
    };
    const toItems = (rows: ItemRow[]): JobItem[] => rows.map(toItem);
    const isLong = isLarge(scope, total);
    return readCountedPage({ chosen, orderBy: ['position'], columns: ITEM_COLUMNS, toItems, isLong }, request);
  }

  async stageCounts(scope: SiteScope, jobs: readonly Job[]): Promise<Map<string, StageCounts[]>> {
    const staged = jobs.filter(({ stages }) => stages !== null);
    const totals = isLimited(scope) && staged.length > 0 ? await this.#totalsOf(staged) : new Map<string, number>();
    const counted = staged.map(({ id, stages, total }) => ({ id, stages, total: totals.get(id) ?? total }));
    return countStages(this.#knex, counted, isLimited(scope) ? (items) => this.#whereInScope(items, scope) : undefined);
  }

  /** Counts all items of each job. A job that is read for a limited caller has only the number of its visible items. */
  async #totalsOf(jobs: readonly Job[]): Promise<Map<string, number>> {
    const ids = jobs.map(({ id }) => id);
    const rows = await this.#knex('jobs').whereIn('id', ids).select<Pick<JobRow, 'id' | 'total'>[]>('id', 'total');
    return new Map(rows.map(({ id, total }) => [id, total]));
  }

  async countOutside(scope: SiteScope, id: string): Promise<number> {
    if (!isLimited(scope)) return 0;
    const total = await countRows(longRead(this.#knex('job_items').where({ job_id: id })));
    return total - (await countRows(longRead(this.#itemsOf(scope, id))));
  }

  /**
   * Returns the items that a retry runs again. If the job has stages, these include items that left their site broken,
   * so that their sites are checked before the next stage begins. The caller must see all items of the job.
   */
  async failedItems(trx: Knex.Transaction, { id, stages }: Pick<Job, 'id' | 'stages'>): Promise<ItemPages> {
    const failed = (): Knex.QueryBuilder =>
      trx('job_items')
        .where({ job_id: id })
        .where((item) =>
          item
            .whereIn('state', FAILURES)
            .modify((each) => (stages === null ? each : each.orWhere({ verdict: 'flawed' }))),
        );
    const [counted]: FailedCountRow[] = await failed().count({ total: '*' }).min({ stage: 'stage' });
    return { total: Number(counted?.total), firstStage: counted?.stage ?? 0, pages: pagesOf(failed) };
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

  /** Returns the ID of a job of this kind in which one of these items has not ended, or null if there is none. */
  async unfinishedJobOf(kind: string, identifiers: readonly number[]): Promise<string | null> {
    const jobs = await this.#knex('jobs').where({ kind }).whereNull('completed_at').pluck<string[]>('id');
    const item = await this.#knex('job_items')
      .whereIn('job_id', jobs)
      .whereIn('identifier', identifiers.map(String))
      .whereNull('completed_at')
      .first<{ job_id: string } | undefined>('job_id');
    return item?.job_id ?? null;
  }

  async input(id: string): Promise<unknown> {
    const row = await this.#knex('jobs').where({ id }).first<{ input: string } | undefined>('input');
    return fromJson(row?.input ?? null) ?? {};
  }

  /** `total` is the number of items of the job, if it is known. */
  async failures(scope: SiteScope, id: string, limit = LISTED_FAILURES, total = Infinity): Promise<ItemError[]> {
    const rows = await longRead(this.#itemsOf(scope, id), isLarge(scope, total))
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

  #itemsOf(scope: SiteScope, id: string): Knex.QueryBuilder {
    const query = this.#knex('job_items').where({ job_id: id });
    this.#whereInScope(query, scope);
    return query;
  }

  #whereInScope(items: Knex.QueryBuilder, scope: SiteScope): void {
    whereInScope(this.#knex, items, scope, 'job_items.site_id');
  }

  /**
   * Restricts a query to the jobs with an item of the scope. A completed job whose visible items all failed is a failed
   * job for the caller.
   */
  #whereVisible(jobs: Knex.QueryBuilder, scope: SiteScope, state: JobState | undefined): void {
    const isOutcome = state === 'completed' || state === 'failed';
    if (state && !(isOutcome && isLimited(scope))) void jobs.where({ state });
    if (!isLimited(scope)) return;
    const visible = this.#knex('job_items').groupBy('job_items.job_id').select('job_items.job_id');
    this.#whereInScope(visible, scope);
    if (isOutcome) void visible.max({ has_success: this.#knex.raw(HAS_SUCCESS) });
    void jobs.join(visible.as('visible'), 'visible.job_id', 'jobs.id');
    if (state === 'completed') void jobs.where({ state, has_success: 1 });
    if (state === 'failed')
      void jobs.where((either) => {
        void either.where({ state }).orWhere({ state: 'completed', has_success: 0 });
      });
  }

  async #visible(scope: SiteScope, jobs: readonly Job[]): Promise<Job[]> {
    if (!isLimited(scope)) return [...jobs];
    const counted = jobs.map(({ id, stages, total }) => ({ id, stages: stages ?? ONE_STAGE, total }));
    const counts = await countStages(this.#knex, counted, (items) => this.#whereInScope(items, scope));
    return jobs.flatMap((job) => {
      const ofJob = counts.get(job.id) ?? [];
      return ofJob.some(({ total }) => total > 0) ? [toVisibleJob(job, ofJob)] : [];
    });
  }
}
