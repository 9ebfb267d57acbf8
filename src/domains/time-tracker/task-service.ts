import type { Knex } from 'knex';
import { ConflictError } from '../../shared/errors.ts';
import { throwFieldError } from '../../shared/field-errors.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { Precondition } from '../../shared/precondition.ts';
import { ALL_SITES, isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { countSitesOutside, outsideError } from '../sites/index.ts';
import { checkedTask } from './task-and-bucket-checks.ts';
import {
  refuseBilled,
  recalculateSettlement,
  type NewTask,
  type StoredTask,
  type Task,
  type TaskFilter,
  type TaskOrder,
  type TaskPatch,
  type BillingTerms,
} from './task.ts';
import { taskRevisionOf, type TaskDetail, type TaskRecord } from './task-read-model.ts';
import type { TimerOperator } from './task-repository.ts';
import { effectiveTrackerSettings, billingTermsOf } from './billing-terms.ts';
import { timeOfTimerEvent, newTimer } from './timer.ts';
import type { TrackerUnitOfWork, TrackerTransaction } from './tracker-unit-of-work.ts';

export class TaskService {
  readonly #tracker: TrackerUnitOfWork;

  constructor(tracker: TrackerUnitOfWork) {
    this.#tracker = tracker;
  }

  async get(scope: SiteScope, id: number): Promise<TaskDetail> {
    return (await this.#tracker.tasks()).detail(scope, id);
  }

  async list(scope: SiteScope, filter: TaskFilter, order: TaskOrder, request: PageRequest): Promise<Page<TaskRecord>> {
    return (await this.#tracker.tasks()).list(scope, filter, order, request);
  }

  async *all(scope: SiteScope, filter: TaskFilter): AsyncGenerator<TaskRecord> {
    yield* (await this.#tracker.tasks()).all(scope, filter);
  }

  /** Yields the tasks of `all` in pages, which takes less time for many tasks. */
  async *pages(scope: SiteScope, filter: TaskFilter): AsyncGenerator<TaskRecord[]> {
    yield* (await this.#tracker.tasks()).pages(scope, filter);
  }

  /**
   * Throws `svc_client_not_found`, `svc_site_not_found`, `svc_bucket_not_found`, and `svc_outside_limits` if the task
   * would not be in the scope.
   */
  async create(scope: SiteScope, input: NewTask, operator: TimerOperator): Promise<TaskRecord> {
    const { title = '', description = '', hourlyUnits = null } = checkedTask(input);
    const id = await this.#tracker.inTransaction(operator.name, async (work) => {
      const { clientId } = input;
      const clientName = await work.owners.lockClient(scope, clientId);
      const own = await work.clientSettings.of(scope, clientId);
      const siteId = input.siteId ?? null;
      const siteUrl = siteId === null ? '' : await lockSiteOfClient(work, scope, siteId, clientId);
      const bucketId =
        input.bucketId === undefined
          ? await findDefaultBucket(work, scope, own.defaultBucketId, clientId)
          : input.bucketId;
      if (bucketId !== null) await lockUsableBucket(work, scope, bucketId, clientId);
      const preferred = input.timerMode ?? effectiveTrackerSettings(work.settings, own).timer_mode;
      if (input.timerMode === 'count_down' && bucketId === null) refuseCountDown();
      const task: Task = {
        title,
        description,
        clientId,
        clientName,
        siteId,
        siteUrl,
        bucketId,
        timerMode: bucketId === null ? 'count_up' : preferred,
        paymentStatus: input.paymentStatus ?? 'unbilled',
        billable: input.billable ?? true,
        hourlyUnits,
        taskDate: input.taskDate ?? work.today,
        operator: '',
        timer: newTimer(work.now),
        settlement: null,
      };
      const inserted = await work.tasks.insert(task);
      await refuseOutside(work, scope, inserted, task);
      const words = `Added the task ${title} for ${clientName}.`;
      await work.log({ id: inserted, title, siteId }, 'task.added', words, [null, loggedTaskValues(task)]);
      return inserted;
    });
    return (await this.#tracker.tasks()).get(scope, id);
  }

  async update(
    scope: SiteScope,
    id: number,
    patch: TaskPatch,
    operator: TimerOperator,
    precondition?: Precondition<Version>,
  ): Promise<TaskRecord> {
    const fields = checkedTask(patch);
    await this.#tracker.inTransaction(operator.name, async (work) => {
      const stored = await work.tasks.lock(scope, id);
      await checkVersion(work, scope, stored, precondition);
      const places = await seenPlaces(work, scope, stored, patch);
      const edits = { ...stored, ...taskFieldsInPatch(patch, fields, work.today) };
      const moved = await moveTask(work, scope, edits, stored, places);
      const corrected = correctElapsedTime(moved, patch, work.now);
      const edited = editedNames(stored, corrected);
      if (edited.length === 0) return;
      const isRepriced = PRICED_BY.some((name) => edited.includes(name));
      if (isRepriced) refuseBilled(stored);
      const task = isRepriced
        ? recalculateSettlement(corrected, await currentTerms(work, corrected), work.today)
        : corrected;
      const seconds = task.timer.recordedSeconds - stored.timer.recordedSeconds;
      if (seconds !== 0) await work.tasks.addCorrection(id, task.timer.latestAt, seconds, operator.name);
      // A change of only the bucket keeps `updatedAt`, because callers who do not see the bucket would learn of it.
      const isOnlyRefilled = edited.length === 1 && edited[0] === 'bucket';
      await work.tasks.update(id, task, undefined, isOnlyRefilled ? stored.updatedAt : undefined);
      await refuseOutside(work, scope, id, task);
      const description = `Changed ${edited.join(', ')} of the task ${task.title}.`;
      // The log entry of a moved task names the old and the new site, client and bucket. A limited caller may not see
      // both, so the entry has no site and no limited caller sees it.
      const isMoved = (['siteId', 'clientId', 'bucketId'] as const).some((place) => task[place] !== stored[place]);
      const siteId = isMoved ? null : task.siteId;
      await work.log({ ...task, siteId }, 'task.updated', description, [
        loggedTaskValues(stored),
        loggedTaskValues(task),
      ]);
    });
    return (await this.#tracker.tasks()).get(scope, id);
  }

  /** Throws `svc_task_not_found` and `svc_task_billed`. */
  async delete(
    scope: SiteScope,
    id: number,
    operator: TimerOperator,
    precondition?: Precondition<Version>,
  ): Promise<TaskRecord> {
    return this.#tracker.inTransaction(operator.name, async (work) => {
      const stored = await work.tasks.lock(scope, id);
      await checkVersion(work, scope, stored, precondition);
      refuseBilled(stored);
      const record = await work.records.get(scope, id);
      await work.tasks.delete(id);
      await work.log(stored, 'task.deleted', `Deleted the task ${stored.title}.`, [loggedTaskValues(stored), null]);
      return record;
    });
  }
}

type Version = Pick<TaskRecord, 'revision'>;

async function checkVersion(
  { records }: TrackerTransaction,
  scope: SiteScope,
  stored: StoredTask,
  precondition: Precondition<Version> | undefined,
): Promise<void> {
  if (!precondition) return;
  precondition(isLimited(scope) ? await records.get(scope, stored.id) : { revision: taskRevisionOf(stored) });
}

export async function currentTerms(work: TrackerTransaction, task: Task): Promise<BillingTerms> {
  const { bucketId, clientId } = task;
  const bucket = bucketId === null ? null : ((await work.buckets.byIds([bucketId])).get(bucketId) ?? null);
  const client = clientId === null ? null : await work.clientSettings.of(ALL_SITES, clientId);
  return billingTermsOf(task, bucket, work.settings, client);
}

function taskFieldsInPatch(patch: TaskPatch, fields: ReturnType<typeof checkedTask>, today: string): Partial<Task> {
  const { hourlyUnits, ...texts } = fields;
  return {
    ...texts,
    ...(hourlyUnits === undefined ? {} : { hourlyUnits }),
    ...(patch.paymentStatus === undefined ? {} : { paymentStatus: patch.paymentStatus }),
    ...(patch.timerMode === undefined ? {} : { timerMode: patch.timerMode }),
    ...(patch.billable === undefined ? {} : { billable: patch.billable }),
    ...(patch.taskDate === undefined ? {} : { taskDate: patch.taskDate ?? today }),
  };
}

/**
 * Applies a change of the client, site or bucket. Throws if the timer runs, because its time belongs to the old client,
 * site or bucket.
 */
async function moveTask(
  work: TrackerTransaction,
  scope: SiteScope,
  task: StoredTask,
  stored: StoredTask,
  patch: Pick<TaskPatch, 'clientId' | 'siteId' | 'bucketId' | 'timerMode'>,
): Promise<StoredTask> {
  const clientId = patch.clientId ?? stored.clientId;
  const isOther = clientId !== stored.clientId;
  const siteId = patch.siteId !== undefined ? patch.siteId : isOther ? null : stored.siteId;
  const bucketId = patch.bucketId !== undefined ? patch.bucketId : isOther ? null : stored.bucketId;
  const [isMoved, isRefilled] = [isOther || siteId !== stored.siteId, isOther || bucketId !== stored.bucketId];
  if (isMoved || isRefilled) refuseRunning(stored);
  const clientName = isOther && clientId !== null ? await work.owners.lockClient(scope, clientId) : stored.clientName;
  const siteUrl =
    siteId === null ? '' : isMoved ? await lockSiteOfClient(work, scope, siteId, clientId) : stored.siteUrl;
  if (isRefilled && bucketId !== null) await lockUsableBucket(work, scope, bucketId, clientId);
  if (patch.timerMode === 'count_down' && bucketId === null) refuseCountDown();
  const timerMode = bucketId === null ? 'count_up' : task.timerMode;
  const keptUrl = siteId === null && stored.siteId === null && !isOther ? stored.siteUrl : siteUrl;
  return { ...task, clientId, clientName, siteId, siteUrl: keptUrl, bucketId, timerMode };
}

/**
 * Checks the patch of a limited caller and returns it. The caller must see each client, site and bucket that the patch
 * names, even if the task already has it. If the caller reads the bucket of the task as `null`, a `null` in the patch
 * keeps the bucket.
 */
async function seenPlaces(
  { owners, buckets }: TrackerTransaction,
  scope: SiteScope,
  stored: StoredTask,
  patch: TaskPatch,
): Promise<TaskPatch> {
  if (!isLimited(scope)) return patch;
  const { clientId, siteId = null, bucketId } = patch;
  if (clientId !== undefined) await owners.lockClient(scope, clientId);
  if (siteId !== null) await owners.lockSite(scope, siteId);
  if (bucketId === undefined) return patch;
  if (bucketId !== null) await buckets.lock(scope, bucketId);
  const isKept = bucketId === null && stored.bucketId !== null && !(await buckets.isInScope(scope, stored.bucketId));
  return isKept ? { ...patch, bucketId: undefined } : patch;
}

async function refuseOutside(
  { trx, tasks }: TrackerTransaction,
  scope: SiteScope,
  id: number,
  task: Task,
): Promise<void> {
  if (await tasks.isInScope(scope, id)) return;
  const message = 'A task must have a site of your limits, or a client whose sites are all in your limits.';
  throw outsideError(message, await sitesOutsideOf(trx, scope, task));
}

export const sitesOutsideOf = (trx: Knex, scope: SiteScope, { siteId, clientId }: Task): Promise<number> =>
  siteId === null ? countSitesOutside(trx, scope, clientId === null ? [] : [clientId]) : Promise.resolve(1);

function correctElapsedTime(task: StoredTask, { elapsedSeconds }: TaskPatch, now: number): StoredTask {
  const { timer } = task;
  if (elapsedSeconds === undefined) return task;
  refuseRunning(task);
  if (elapsedSeconds === timer.recordedSeconds) return task;
  return { ...task, timer: { ...timer, recordedSeconds: elapsedSeconds, latestAt: timeOfTimerEvent(timer, now) } };
}

function refuseRunning({ timer }: Task): void {
  if (timer.status === 'running')
    throw new ConflictError('svc_timer_running', 'The timer of the task is running. Pause it first.');
}

const refuseCountDown = (): never => throwFieldError('timerMode', 'must be count_up without a bucket');

async function lockSiteOfClient(
  work: TrackerTransaction,
  scope: SiteScope,
  siteId: number,
  clientId: number | null,
): Promise<string> {
  const site = await work.owners.lockSite(scope, siteId);
  if (clientId === null || site.clientId !== clientId) throwFieldError('siteId', 'must be a site of the client');
  return site.url;
}

async function findDefaultBucket(
  { buckets }: TrackerTransaction,
  scope: SiteScope,
  bucketId: number | null,
  clientId: number,
): Promise<number | null> {
  if (bucketId === null || !(await buckets.isAssigned(bucketId, clientId))) return null;
  return (await buckets.lock(scope, bucketId)).archived ? null : bucketId;
}

async function lockUsableBucket(
  work: TrackerTransaction,
  scope: SiteScope,
  bucketId: number,
  clientId: number | null,
): Promise<void> {
  const { archived } = await work.buckets.lock(scope, bucketId);
  if (clientId === null || !(await work.buckets.isAssigned(bucketId, clientId)))
    throwFieldError('bucketId', 'must be a bucket that is assigned to the client');
  if (archived) throwFieldError('bucketId', 'must be a bucket that is not archived');
}

const PRICED_BY = ['client', 'bucket', 'billable', 'hourly price', 'elapsed seconds'];

function editedNames(before: Task, after: Task): string[] {
  const [old, now] = [loggedTaskValues(before), loggedTaskValues(after)];
  const names = Object.keys(now) as (keyof typeof now)[];
  return names.filter((name) => old[name] !== now[name]).map((name) => name.replaceAll('_', ' '));
}

const loggedTaskValues = ({ timer, ...task }: Task) => ({
  title: task.title,
  description: task.description,
  client: task.clientId,
  site: task.siteId,
  bucket: task.bucketId,
  payment_status: task.paymentStatus,
  timer_mode: task.timerMode,
  billable: task.billable,
  hourly_price: task.hourlyUnits,
  task_date: task.taskDate,
  elapsed_seconds: timer.recordedSeconds,
});
