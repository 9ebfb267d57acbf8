import type { Knex } from 'knex';
import { ALL_SITES } from '../../shared/site-scope.ts';
import type { ClientTrackerSettings } from './billing-terms.ts';
import type { BucketBalance, StoredBucket } from './bucket.ts';
import { BucketRepository } from './bucket-repository.ts';
import { ClientSettingsRepository } from './client-settings-repository.ts';
import type { Task } from './task.ts';

type OwnedTask = Pick<Task, 'bucketId' | 'clientId' | 'timerMode'>;

/** Buckets and settings of clients that tasks share. Each is read once, however many tasks have it. */
export class TaskOwners {
  readonly #buckets: BucketRepository;
  readonly #settings: ClientSettingsRepository;
  readonly #today: string;
  readonly #bucketById = new Map<number, StoredBucket | null>();
  readonly #clientById = new Map<number, ClientTrackerSettings | null>();
  /** Balances take longest, so only tasks that count down have them. */
  readonly #balanceById = new Map<number, BucketBalance | null>();

  constructor(db: Knex, { now, today }: { now: number; today: string }) {
    this.#buckets = new BucketRepository(db, now);
    this.#settings = new ClientSettingsRepository(db);
    this.#today = today;
  }

  /** Reads the buckets, balances and client settings of these tasks, except those that were read for earlier tasks. */
  async load(tasks: readonly OwnedTask[]): Promise<void> {
    const countingDown = tasks.filter(({ timerMode }) => timerMode === 'count_down');
    await addMissing(this.#bucketById, tasks.map(bucketIdOf), (ids) => this.#buckets.byIds(ids));
    await addMissing(this.#balanceById, countingDown.map(bucketIdOf), (ids) => this.#balances(ids));
    await addMissing(
      this.#clientById,
      tasks.map(({ clientId }) => clientId),
      (ids) => this.#settings.byClient(ALL_SITES, ids),
    );
  }

  #balances(ids: readonly number[]): Promise<Map<number, BucketBalance>> {
    const buckets = ids.flatMap((id) => this.#bucketById.get(id) ?? []);
    return this.#buckets.balances(buckets, this.#today);
  }

  bucketOf({ bucketId }: Pick<Task, 'bucketId'>): StoredBucket | null {
    return bucketId === null ? null : (this.#bucketById.get(bucketId) ?? null);
  }

  clientOf({ clientId }: Pick<Task, 'clientId'>): ClientTrackerSettings | null {
    return clientId === null ? null : (this.#clientById.get(clientId) ?? null);
  }

  /** Returns null unless the task counts down. */
  balanceOf({ bucketId, timerMode }: Pick<Task, 'bucketId' | 'timerMode'>): BucketBalance | null {
    return bucketId === null || timerMode !== 'count_down' ? null : (this.#balanceById.get(bucketId) ?? null);
  }
}

const bucketIdOf = ({ bucketId }: OwnedTask): number | null => bucketId;

async function addMissing<Value>(
  known: Map<number, Value | null>,
  ids: readonly (number | null)[],
  read: (ids: number[]) => Promise<ReadonlyMap<number, Value>>,
): Promise<void> {
  const missing = [...new Set(ids)].filter((id) => id !== null && !known.has(id)) as number[];
  if (missing.length === 0) return;
  const values = await read(missing);
  for (const id of missing) known.set(id, values.get(id) ?? null);
}
