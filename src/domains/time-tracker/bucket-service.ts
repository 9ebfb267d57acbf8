import { ConflictError } from '../../shared/errors.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { Precondition } from '../../shared/precondition.ts';
import type { SiteScope } from '../../shared/site-scope.ts';
import { countSitesOutside, outsideError } from '../sites/index.ts';
import {
  carryOverAfterChange,
  type Bucket,
  type BucketFilter,
  type BucketPatch,
  type BucketRecord,
  type NewBucket,
} from './bucket.ts';
import { BucketReadModel } from './bucket-read-model.ts';
import { checkedBucket } from './task-and-bucket-checks.ts';
import type { TrackerUnitOfWork, TrackerTransaction } from './tracker-unit-of-work.ts';

export class BucketService {
  readonly #tracker: TrackerUnitOfWork;

  constructor(tracker: TrackerUnitOfWork) {
    this.#tracker = tracker;
  }

  async get(scope: SiteScope, id: number): Promise<BucketRecord> {
    return (await this.#records()).get(scope, id);
  }

  async list(scope: SiteScope, filter: BucketFilter, request: PageRequest): Promise<Page<BucketRecord>> {
    return (await this.#records()).list(scope, filter, request);
  }

  /** Throws `svc_client_not_found`, and `svc_outside_limits` if the bucket would not be in the scope. */
  async create(scope: SiteScope, input: NewBucket, actor: string): Promise<BucketRecord> {
    const { title = '', description = '', seconds = 0, hourlyUnits = null, clientIds = [] } = checkedBucket(input);
    const id = await this.#tracker.inTransaction(actor, async (work) => {
      const { buckets, owners, settings, today, log } = work;
      await owners.lockClients(scope, clientIds);
      const bucket: Bucket = {
        title,
        description,
        seconds,
        hourlyUnits,
        currency: input.currency ?? settings.currency,
        recurrence: input.recurrence ?? 'none',
        anchorDay: input.periodStart ?? today,
        carryOver: input.carryOver ?? false,
        carriedSeconds: 0,
        carriedDay: today,
        archived: false,
      };
      const inserted = await buckets.insert(bucket);
      await buckets.setClients(inserted, clientIds);
      await refuseOutside(work, scope, inserted, clientIds);
      await log({ id: inserted, title }, 'bucket.added', `Added the bucket ${title}.`, [
        null,
        loggedBucketValues(bucket),
      ]);
      return inserted;
    });
    return this.get(scope, id);
  }

  /**
   * Writes nothing if no value changes. Throws `svc_bucket_not_found`, `svc_client_not_found`, `svc_in_use` if a
   * removed client has open tasks in the bucket, and `svc_outside_limits` if the bucket would leave the scope.
   */
  async update(
    scope: SiteScope,
    id: number,
    patch: BucketPatch,
    actor: string,
    precondition?: Precondition<{ revision: number }>,
  ): Promise<BucketRecord> {
    const { clientIds, ...fields } = checkedBucket(patch);
    await this.#tracker.inTransaction(actor, async (work) => {
      const { buckets, owners, log, today } = work;
      if (clientIds) await owners.lockClients(scope, clientIds);
      const stored = await buckets.lock(scope, id);
      precondition?.(stored);
      const wanted: Bucket = { ...stored, ...omitUndefined({ ...fields, ...bucketRulesInPatch(patch, today) }) };
      const isRefilled = CARRY_OVER_FIELDS.some((name) => wanted[name] !== stored[name]);
      const usage = isRefilled ? ((await buckets.usage([stored], today)).get(id) ?? []) : [];
      const bucket = isRefilled ? { ...wanted, ...carryOverAfterChange(stored, wanted, usage, today) } : wanted;
      const isReassigned = clientIds !== undefined && (await reassignClients(work, id, clientIds));
      if (isReassigned) await refuseOutside(work, scope, id, clientIds);
      const edited = [
        ...NAMES.flatMap(([name, word]) => (wanted[name] === stored[name] ? [] : [word])),
        ...(isReassigned ? ['clients'] : []),
      ];
      if (edited.length === 0) return;
      await buckets.update(id, bucket);
      await log(
        { id, title: bucket.title },
        'bucket.updated',
        `Changed ${edited.join(', ')} of the bucket ${bucket.title}.`,
        [loggedBucketValues(stored), loggedBucketValues(wanted)],
      );
    });
    return this.get(scope, id);
  }

  /** Throws `svc_bucket_not_found`, or `svc_in_use` if the bucket has tasks. */
  async delete(
    scope: SiteScope,
    id: number,
    actor: string,
    precondition?: Precondition<{ revision: number }>,
  ): Promise<BucketRecord> {
    return this.#tracker.inTransaction(actor, async (work) => {
      const stored = await work.buckets.lock(scope, id);
      precondition?.(stored);
      const tasks = await work.buckets.countTasks(id);
      if (tasks > 0)
        throw new ConflictError(
          'svc_in_use',
          `The bucket ${stored.title} has tasks (${tasks}) and cannot be deleted. Archive it instead.`,
        );
      const record = await work.bucketRecords.get(scope, id);
      await work.buckets.delete(id);
      await work.log(stored, 'bucket.deleted', `Deleted the bucket ${stored.title}.`, [
        loggedBucketValues(stored),
        null,
      ]);
      return record;
    });
  }

  async #records(): Promise<BucketReadModel> {
    return new BucketReadModel(this.#tracker.knex, await this.#tracker.moment());
  }
}

const CARRY_OVER_FIELDS = ['seconds', 'recurrence', 'anchorDay', 'carryOver'] as const;

const NAMES: [keyof Bucket, string][] = [
  ['title', 'title'],
  ['description', 'description'],
  ['seconds', 'hours'],
  ['hourlyUnits', 'price'],
  ['currency', 'currency'],
  ['recurrence', 'recurrence'],
  ['anchorDay', 'start of the period'],
  ['carryOver', 'carry over'],
  ['archived', 'status'],
];

const bucketRulesInPatch = (
  { currency, recurrence, carryOver, archived, periodStart }: BucketPatch,
  today: string,
) => ({
  currency,
  recurrence,
  carryOver,
  archived,
  anchorDay: periodStart === null ? today : periodStart,
});

const omitUndefined = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;

async function reassignClients(
  { buckets }: TrackerTransaction,
  id: number,
  clientIds: readonly number[],
): Promise<boolean> {
  const before = await buckets.clientIds(id);
  const left = before.filter((clientId) => !clientIds.includes(clientId));
  if (left.length === 0 && before.length === clientIds.length) return false;
  const open = await buckets.countOpenTasks(id, left);
  if (open > 0)
    throw new ConflictError('svc_in_use', `A client that would be removed has open tasks in the bucket (${open}).`);
  await buckets.setClients(id, clientIds);
  return true;
}

async function refuseOutside(
  { trx, buckets }: TrackerTransaction,
  scope: SiteScope,
  id: number,
  clientIds: readonly number[],
): Promise<void> {
  if (await buckets.isInScope(scope, id)) return;
  const message = 'All sites of the clients of a bucket must be in your limits, and it must have a client.';
  throw outsideError(message, await countSitesOutside(trx, scope, clientIds));
}

const loggedBucketValues = (bucket: Bucket) => Object.fromEntries(NAMES.map(([name]) => [name, bucket[name]]));
