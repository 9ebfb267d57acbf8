import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Knex } from 'knex';
import type { BucketFilter, BucketRecord } from '../../../src/domains/time-tracker/bucket.ts';
import { BucketReadModel } from '../../../src/domains/time-tracker/bucket-read-model.ts';
import { BucketRepository } from '../../../src/domains/time-tracker/bucket-repository.ts';
import { ClientSettingsRepository } from '../../../src/domains/time-tracker/client-settings-repository.ts';
import { noClientTrackerSettings } from '../../../src/domains/time-tracker/billing-terms.ts';
import type { TaskFilter, TaskOrder } from '../../../src/domains/time-tracker/task.ts';
import {
  TaskReadModel,
  type TaskRecord,
  type TrackingContext,
} from '../../../src/domains/time-tracker/task-read-model.ts';
import { TaskRepository } from '../../../src/domains/time-tracker/task-repository.ts';
import { newTimer } from '../../../src/domains/time-tracker/timer.ts';
import { TrackedClientReadModel } from '../../../src/domains/time-tracker/tracked-client-read-model.ts';
import { ALL_SITES, isLimited, type SiteScope } from '../../../src/shared/site-scope.ts';
import { countEachCall, withFreshDatabase } from '../../support/database.ts';
import { sitesInScope, storeLimitedFleet, type LimitedFleet } from '../../support/limited-fleet.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const TODAY = '2026-11-21';
const EVERY = { page: 1, perPage: 100 };
const BY_DATE: TaskOrder = { by: 'task_date', direction: 'asc' };
const RUNS = 6;

const moment: TrackingContext = {
  now: NOW,
  today: TODAY,
  settings: {
    ...{ timer_mode: 'count_up', currency: 'EUR', currency_position: 'left', thousand_separator: ',' },
    ...{ decimal_separator: '.', decimals: 2, rounding_enabled: 0, rounding_mode: 'up', rounding_minutes: 15 },
    default_hourly_price: 60,
  },
};

/**
 * Places in the lists of clients, sites and buckets. A task without a site may have had one that was deleted. One that
 * `fits` has the client of its bucket and, if it has a site, one of this client.
 */
interface RandomTask {
  client: number | null;
  site: number | null;
  hadSite: boolean;
  fits: boolean;
  bucket: number | null;
  status: 'idle' | 'running' | 'stopped';
  countsDown: boolean;
  minutes: number;
  day: number;
}

interface RandomBucket {
  clients: number[];
  archived: boolean;
}

const BUCKETS = 6;
const orNull = (values: number): fc.Arbitrary<number | null> => fc.option(fc.nat(values - 1), { freq: 4 });
const anyTask: fc.Arbitrary<RandomTask> = fc.record({
  client: orNull(4),
  site: orNull(7),
  hadSite: fc.boolean(),
  fits: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  bucket: fc.option(fc.nat(BUCKETS - 1), { freq: 1 }),
  status: fc.constantFrom('idle', 'running', 'stopped'),
  countsDown: fc.boolean(),
  minutes: fc.integer({ min: 1, max: 300 }),
  day: fc.integer({ min: 1, max: 9 }),
});
const anyBucket: fc.Arbitrary<RandomBucket> = fc.record({
  clients: fc.uniqueArray(fc.nat(3), { maxLength: 2 }),
  archived: fc.boolean(),
});
const anyTracker = fc.record({
  buckets: fc.array(anyBucket, { minLength: BUCKETS, maxLength: BUCKETS }),
  tasks: fc.array(anyTask, { minLength: 6, maxLength: 14 }),
});

/** What a limited caller sees, computed from the records of an unlimited one. */
class Visible {
  readonly #fleet: LimitedFleet;
  readonly #scope: SiteScope;
  readonly #sites: ReadonlySet<number>;

  constructor(fleet: LimitedFleet, scope: SiteScope) {
    this.#fleet = fleet;
    this.#scope = scope;
    this.#sites = new Set(sitesInScope(fleet, scope).map(({ id }) => id));
  }

  client(id: number | null): boolean {
    return !isLimited(this.#scope) || this.#ofClient(id).some((site) => this.#sites.has(site.id));
  }

  whole(id: number | null): boolean {
    const sites = this.#ofClient(id);
    return sites.length > 0 && sites.every((site) => this.#sites.has(site.id));
  }

  task({ siteId, siteUrl, clientId }: Pick<TaskRecord, 'siteId' | 'siteUrl' | 'clientId'>): boolean {
    if (!isLimited(this.#scope)) return true;
    return siteId === null ? siteUrl === '' && this.whole(clientId) : this.#sites.has(siteId);
  }

  bucket({ id, clients }: BucketRecord, tasks: readonly TaskRecord[]): boolean {
    if (!isLimited(this.#scope)) return true;
    const debiting = tasks.filter(({ bucketId }) => bucketId === id);
    return (
      clients.length > 0 &&
      clients.every((client) => this.whole(client.id)) &&
      debiting.every(({ clientId, siteId }) => this.whole(clientId) && (siteId === null || this.#sites.has(siteId)))
    );
  }

  #ofClient(id: number | null) {
    return id === null ? [] : this.#fleet.sites.filter(({ clientId }) => clientId === id);
  }
}

/** The revision covers only what a caller sees. The tests of rights compare it. */
const withoutRevision = (task: TaskRecord): TaskRecord => ({ ...task, revision: '' });

describe('the time tracker of a limited caller', () => {
  let knex: Knex;
  let fleet: LimitedFleet;
  let tasks: TaskReadModel;
  let buckets: BucketReadModel;

  withFreshDatabase(({ database }) => {
    knex = database.knex;
    tasks = new TaskReadModel(knex, moment);
    buckets = new BucketReadModel(knex, moment);
  });
  beforeEach(async () => (fleet = await storeLimitedFleet(knex)));

  async function store(random: { buckets: readonly RandomBucket[]; tasks: readonly RandomTask[] }): Promise<void> {
    await knex('time_tasks').delete();
    await knex('time_buckets').delete();
    const bucketIds: number[] = [];
    const repository = new BucketRepository(knex, NOW);
    for (const [n, { clients, archived }] of random.buckets.entries()) {
      const id = await repository.insert({
        ...{ title: `Bucket ${n % 3}`, description: '', seconds: 3600 * (n + 1), hourlyUnits: null, currency: 'EUR' },
        ...{ recurrence: 'none', anchorDay: TODAY, carryOver: false, carriedSeconds: 0, carriedDay: TODAY, archived },
      });
      const ids = clients.map((client) => fleet.clients[client] as number);
      await repository.setClients(id, ids);
      bucketIds.push(id);
    }
    for (const [n, task] of random.tasks.entries()) await storeTask(fitted(task, random.buckets), n, bucketIds);
  }

  function fitted(task: RandomTask, of: readonly RandomBucket[]): RandomTask {
    const client = task.bucket === null ? undefined : of[task.bucket]?.clients[0];
    if (!task.fits || client === undefined) return task;
    const owned = fleet.sites.flatMap(({ clientId }, place) => (clientId === fleet.clients[client] ? [place] : []));
    const site = task.site === null ? null : (owned[task.site % Math.max(1, owned.length)] ?? null);
    return { ...task, client, site, hadSite: false };
  }

  async function storeTask(task: RandomTask, n: number, bucketIds: readonly number[]): Promise<void> {
    const { client, site, bucket, status, minutes } = task;
    const seconds = minutes * 60;
    const timer = { ...newTimer(NOW), status, recordedSeconds: status === 'idle' ? 0 : seconds };
    const debit = bucket === null ? null : { seconds, day: TODAY };
    const total = { minor: seconds, decimals: 2 };
    const repository = new TaskRepository(knex, NOW + n);
    await repository.insert({
      ...{
        title: `Task ${n % 4}`,
        description: '',
        clientId: client === null ? null : (fleet.clients[client] ?? null),
      },
      ...{ clientName: 'Stored', siteId: site === null ? null : (fleet.sites[site]?.id ?? null) },
      siteUrl: site !== null || task.hadSite ? 'https://stored.example/' : '',
      bucketId: bucket === null ? null : (bucketIds[bucket] ?? null),
      ...{ timerMode: task.countsDown ? 'count_down' : 'count_up', paymentStatus: 'unbilled', billable: true },
      ...{ hourlyUnits: null, taskDate: `2026-11-0${task.day}`, operator: 'ann' },
      timer: status === 'running' ? { ...timer, runningSince: NOW - 60_000 } : timer,
      settlement:
        status === 'stopped' ? { seconds, hourlyUnits: 1, source: 'settings', currency: 'EUR', total, debit } : null,
    });
  }

  /** Runs the check for random trackers, and for each scope. */
  const always = (
    check: (
      scope: SiteScope,
      visible: Visible,
      name: string,
      all: { tasks: TaskRecord[]; buckets: BucketRecord[] },
    ) => Promise<void>,
  ) =>
    fc.assert(
      fc.asyncProperty(anyTracker, async (random) => {
        await store(random);
        const all = {
          tasks: (await tasks.list(ALL_SITES, {}, BY_DATE, EVERY)).items,
          buckets: (await buckets.list(ALL_SITES, {}, EVERY)).items,
        };
        for (const [name, scope] of Object.entries(fleet.scopes))
          await check(scope, new Visible(fleet, scope), name, all);
      }),
      { numRuns: RUNS },
    );

  const seenTasks = (visible: Visible, all: { tasks: TaskRecord[]; buckets: BucketRecord[] }): TaskRecord[] => {
    const bucketIds = all.buckets.filter((bucket) => visible.bucket(bucket, all.tasks)).map(({ id }) => id);
    return all.tasks
      .filter((task) => visible.task(task))
      .map((task) => ({
        ...withoutRevision(task),
        ...(visible.client(task.clientId) ? {} : { clientId: null, clientName: '' }),
        ...(task.bucketId === null || bucketIds.includes(task.bucketId)
          ? {}
          : { bucketId: null, bucketTitle: '', remainingSeconds: null }),
      }));
  };

  it('when tasks are listed, then a limited caller gets those of its sites and whole clients', async () => {
    let [shown, hidden] = [0, 0];
    await always(async (scope, visible, name, all) => {
      const seen = seenTasks(visible, all);
      if (isLimited(scope)) shown += seen.length;
      hidden += all.tasks.length - seen.length;
      const lists = async (filter: TaskFilter, wanted: TaskRecord[]): Promise<void> => {
        const { items, total } = await tasks.list(scope, filter, BY_DATE, EVERY);
        assert.deepEqual([items.map(withoutRevision), total], [wanted, wanted.length], name);
      };
      await lists({}, seen);
      const second = await tasks.list(scope, {}, BY_DATE, { page: 2, perPage: 2 });
      assert.deepEqual([second.items.map(withoutRevision), second.total], [seen.slice(2, 4), seen.length], name);
      for (const clientId of fleet.clients)
        await lists(
          { clientId },
          seen.filter((task) => task.clientId === clientId),
        );
      for (const { id: bucketId } of all.buckets)
        await lists(
          { bucketId },
          seen.filter((task) => task.bucketId === bucketId),
        );
      const siteId = fleet.sites[3]?.id ?? 0;
      await lists(
        { siteId },
        seen.filter((task) => task.siteId === siteId),
      );
      const exported: TaskRecord[] = [];
      for await (const task of tasks.all(scope, {})) exported.push(withoutRevision(task));
      assert.deepEqual(exported, seen, name);
    });
    assert.ok(shown > 0 && hidden > 0, `${shown} ${hidden}`);
  });

  it('when a task is not visible, then it does not exist', async () => {
    const missing = await tasks.get(ALL_SITES, 999_999).catch((error: unknown) => error);
    assert.ok(missing instanceof Error);
    await always(async (scope, visible, name, all) => {
      const seen = seenTasks(visible, all);
      for (const { id } of all.tasks) {
        const task = seen.find((each) => each.id === id);
        if (task) assert.deepEqual(withoutRevision(await tasks.get(scope, id)), task, name);
        else await assert.rejects(tasks.get(scope, id), missing, name);
        const isLocked = await new TaskRepository(knex, NOW).lock(scope, id).then(
          () => true,
          () => false,
        );
        assert.equal(isLocked, task !== undefined, name);
      }
    });
  });

  it('when buckets are read, then only those are visible whose clients and tasks all are', async () => {
    let [shown, hidden] = [0, 0];
    const missing = await buckets.get(ALL_SITES, 999_999).catch((error: unknown) => error);
    assert.ok(missing instanceof Error);
    await always(async (scope, visible, name, all) => {
      const seen = all.buckets.filter((bucket) => visible.bucket(bucket, all.tasks));
      if (isLimited(scope)) shown += seen.length;
      hidden += all.buckets.length - seen.length;
      const lists = async (filter: BucketFilter, wanted: BucketRecord[]): Promise<void> => {
        const { items, total } = await buckets.list(scope, filter, EVERY);
        assert.deepEqual([items, total], [wanted, wanted.length], name);
      };
      await lists({}, seen);
      for (const status of ['active', 'exhausted', 'archived'] as const)
        await lists(
          { status },
          seen.filter(({ standing }) => standing.status === status),
        );
      for (const clientId of fleet.clients)
        await lists(
          { clientId },
          seen.filter(({ clients }) => clients.some(({ id }) => id === clientId)),
        );
      for (const bucket of all.buckets)
        if (seen.includes(bucket)) assert.deepEqual(await buckets.get(scope, bucket.id), bucket, name);
        else await assert.rejects(buckets.get(scope, bucket.id), missing, name);
    });
    assert.ok(shown > 0 && hidden > 0, `${shown} ${hidden}`);
  });

  it('when clients are listed, then their sums are those of the visible tasks and buckets', async () => {
    await always(async (scope, visible, name, all) => {
      const open = all.buckets.filter((bucket) => !bucket.archived && visible.bucket(bucket, all.tasks));
      const limited = await new TrackedClientReadModel(knex, moment).list(scope, {}, EVERY);
      const running = await new TrackedClientReadModel(knex, moment).list(scope, { hasRunning: true }, EVERY);
      const unseen = all.tasks.filter((task) => !visible.task(task)).map(({ id }) => id);
      const trx = await knex.transaction();
      await trx('time_tasks').whereIn('id', unseen).delete();
      // A database that has nothing but the visible tasks, read without a limit.
      const { items } = await new TrackedClientReadModel(trx, moment).list(ALL_SITES, {}, EVERY);
      await trx.rollback();
      const wanted = items
        .filter(({ id }) => visible.client(id))
        .map((client) => {
          const own = open.filter(({ clients }) => clients.some(({ id }) => id === client.id));
          const remainingSeconds = own.reduce((sum, { standing }) => sum + standing.remainingSeconds, 0);
          return { ...client, buckets: own.length, remainingSeconds };
        });
      assert.deepEqual([limited.items, limited.total], [wanted, wanted.length], name);
      const busy = wanted.filter(({ runningTaskId }) => runningTaskId !== null);
      assert.deepEqual([running.items, running.total], [busy, busy.length], name);
    });
  });

  it('when a default bucket is not visible, then the settings of its client do not name it', async () => {
    await store({ buckets: [0, 1, 2].map((client) => ({ clients: [client], archived: false })), tasks: [] });
    const settings = new ClientSettingsRepository(knex);
    const { items } = await buckets.list(ALL_SITES, {}, EVERY);
    for (const bucket of items) {
      const [client] = bucket.clients;
      assert.ok(client);
      await settings.put({ ...noClientTrackerSettings(client.id), defaultBucketId: bucket.id });
    }
    for (const [name, scope] of Object.entries(fleet.scopes))
      for (const bucket of items) {
        const clientId = bucket.clients[0]?.id ?? 0;
        const isSeen = new Visible(fleet, scope).bucket(bucket, []);
        const { defaultBucketId } = await settings.of(scope, clientId);
        assert.equal(defaultBucketId, isSeen ? bucket.id : null, name);
      }
  });

  it('when a caller is limited, then the reads need no more SQL statements', async () => {
    await store({
      buckets: [{ clients: [0], archived: false }],
      tasks: [0, 1].map((site) => ({
        ...{ client: 0, site, hadSite: true, fits: false, bucket: 0, status: 'stopped' },
        ...{ countsDown: true, minutes: 5, day: 1 },
      })),
    });
    const [task] = (await tasks.list(ALL_SITES, {}, BY_DATE, EVERY)).items;
    const [bucket] = (await buckets.list(ALL_SITES, {}, EVERY)).items;
    assert.ok(task && bucket);
    const clients = new TrackedClientReadModel(knex, moment);
    const counts = (scope: SiteScope) =>
      countEachCall(knex, [
        () => tasks.list(scope, {}, BY_DATE, EVERY),
        () => tasks.detail(scope, task.id),
        () => tasks.recentOf(scope, fleet.clients[0] ?? 0, 5),
        () => buckets.list(scope, {}, EVERY),
        () => buckets.get(scope, bucket.id),
        () => clients.list(scope, {}, EVERY),
        () => new ClientSettingsRepository(knex).of(scope, fleet.clients[0] ?? 0),
      ]);
    assert.deepEqual(await counts(fleet.scopes['one client'] as SiteScope), await counts(ALL_SITES));
  });
});
