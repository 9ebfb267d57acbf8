import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LeaseLostError } from '../../src/db/lease.ts';
import { DAY, HOUR } from '../../src/shared/clock.ts';
import type { Attempt } from '../../src/queue/index.ts';
import { ItemLeaseStore } from '../../src/queue/item-lease-store.ts';
import { JobStore } from '../../src/queue/job-store.ts';
import { createGate, registerHandler, testJob, QueueBench, until, withQueueBench } from './support.ts';

describe('several processes on one database', () => {
  let bench: QueueBench;
  withQueueBench((opened) => (bench = opened));

  it('when two processes share a job of 300 items, then each item runs once', async () => {
    const done: Record<string, number[]> = { one: [], two: [] };
    const begun = new Set<string>();
    const queues = ['one', 'two'].map((name) => {
      const queue = bench.queue({ concurrency: 16 });
      registerHandler(queue, 'sync', async ({ item, resumed }) => {
        assert.equal(resumed, false);
        done[name]?.push(item.position);
        begun.add(name);
        // Each process waits for the other, so that both take part.
        await until(() => begun.size === 2, 'both to begin');
        return { by: name };
      });
      return queue;
    });
    const [first] = queues;
    assert.ok(first);
    const id = await bench.enqueue(first, testJob('sync', 300));
    for (const queue of queues) await queue.start();
    await bench.waitForJob(id);
    assert.deepEqual(await bench.counts(id), ['completed', 300, 300, 300, {}]);
    const all = [...(done['one'] ?? []), ...(done['two'] ?? [])].sort((a, b) => a - b);
    assert.deepEqual(
      all,
      Array.from({ length: 300 }, (_, index) => index),
    );
    assert.ok((done['one']?.length ?? 0) > 0 && (done['two']?.length ?? 0) > 0, 'both took part');
    for (const { position, result } of await bench.items(id))
      assert.ok(done[(result as { by: string }).by]?.includes(position));
  });

  it('when a process dies, then its started items are resumed once and the others run for the first time', async () => {
    const dead = new ItemLeaseStore(bench.knex, bench.clock, 30_000);
    const queue = bench.queue();
    const id = await bench.enqueue(queue, testJob('sync', 5));
    assert.equal((await dead.claim('w-dead', 2)).length, 2);
    const seen: [number, boolean][] = [];
    registerHandler(queue, 'sync', async ({ item, resumed }) => void seen.push([item.position, resumed]));
    await queue.start();
    await until(() => seen.length === 3, 'the free items');
    await sleep(80);
    assert.deepEqual(
      seen.map(([position]) => position),
      [2, 3, 4],
      'a lease that has not run out is respected',
    );
    bench.clock.time += 30_001;
    await bench.waitForJob(id);
    assert.deepEqual(seen, [
      [2, false],
      [3, false],
      [4, false],
      [0, true],
      [1, true],
    ]);
    assert.deepEqual(
      (await bench.items(id)).map(({ attempt }) => attempt),
      [2, 2, 1, 1, 1],
    );
    assert.deepEqual(await bench.counts(id), ['completed', 5, 5, 5, {}]);
  });

  it('when a process returns after its lease expired, then each item still has one result', async () => {
    const store = new JobStore(bench.knex, bench.clock, 30_000);
    const leases = new ItemLeaseStore(bench.knex, bench.clock, 30_000);
    const id = await bench.enqueue(bench.queue(), testJob('sync', 2));
    const [late] = await leases.claim('w-late', 1);
    bench.clock.time += 30_001;
    const taken = await leases.claim('w-next', 2);
    assert.equal(taken.length, 2);
    assert.ok(late);
    const outcome = { state: 'succeeded', result: { by: 'late' } } as const;
    assert.deepEqual(await store.record('w-late', [{ item: late, outcome }]), []);
    assert.deepEqual(await bench.counts(id), ['processing', 2, 0, 0, {}]);
    const finished = taken.map((item) => ({ item, outcome: { state: 'succeeded', result: { by: 'next' } } as const }));
    assert.deepEqual(await store.record('w-next', finished), [id]);
    assert.deepEqual(await store.record('w-next', finished), [], 'a second time changes nothing');
    assert.deepEqual(await bench.counts(id), ['completed', 2, 2, 2, {}]);
    assert.deepEqual(
      (await bench.items(id)).map(({ result }) => result),
      [{ by: 'next' }, { by: 'next' }],
    );
  });

  it('when an item takes longer than a lease, then its process extends the lease', async () => {
    const [holder, other] = [bench.queue({ leaseMs: 60 }), bench.queue({ leaseMs: 60 })];
    const door = createGate();
    let calls = 0;
    for (const queue of [holder, other])
      registerHandler(queue, 'sync', async () => {
        calls++;
        await door.pass();
      });
    const id = await bench.enqueue(holder, testJob('sync', 3));
    await holder.start();
    await until(() => door.waiting() === 3, 'the items to begin');
    await other.start();
    const leases = () => bench.knex('job_items').where({ job_id: id }).pluck<number[]>('lease_until');
    // Longer than several leases. Each step waits for the holder, which can be slow on a busy machine.
    for (let step = 0; step < 10; step++) {
      const kept = (bench.clock.time += 30) + 60;
      await until(async () => (await leases()).every((time) => time === kept), 'the leases to be renewed');
    }
    assert.equal(calls, 3);
    door.open();
    await bench.waitForJob(id);
  });
});

describe('process that loses leases', () => {
  let bench: QueueBench;
  withQueueBench((opened) => (bench = opened));
  /** Takes items as another process does after the lease has expired. */
  const takeOver = (id: string, positions: number[]) =>
    bench
      .knex('job_items')
      .where({ job_id: id })
      .whereIn('position', positions)
      .update({ lease_owner: 'w-other', attempt: 2, lease_until: bench.clock.time + 30_000 });

  it('when another process has taken a running item, then its work is aborted and its result is dropped', async () => {
    const queue = bench.queue({ leaseMs: 90, pollMs: 1_000_000 });
    const ended: [number, boolean][] = [];
    const door = createGate();
    registerHandler(queue, 'sync', async ({ item, signal }) => {
      await Promise.race([door.pass(), once(signal, 'abort')]);
      ended.push([item.position, signal.aborted]);
      return { by: 'stalled' };
    });
    await queue.start();
    const id = await bench.begin(queue, testJob('sync', 2));
    await until(() => door.waiting() === 2, 'the items to begin');
    await takeOver(id, [0]);
    await until(() => ended.length === 1, 'the lost item to be aborted');
    door.open();
    await until(async () => (await bench.job(id)).processed === 1, 'the other item to be recorded');
    assert.deepEqual(ended, [
      [0, true],
      [1, false],
    ]);
    assert.deepEqual(
      (await bench.items(id)).map(({ state, lease_owner, result }) => [state, lease_owner, result]),
      [
        ['running', 'w-other', null],
        ['succeeded', null, { by: 'stalled' }],
      ],
    );
  });

  it('when an item has waited in the process for longer than its lease, then it begins only if no other process has it', async () => {
    const queue = bench.queue({ leaseMs: 50, concurrency: 1 });
    const begun: number[] = [];
    const door = createGate();
    registerHandler(queue, 'sync', async ({ item }) => {
      begun.push(item.position);
      await door.pass();
    });
    // The queue is not started, so it renews no lease.
    const id = await bench.begin(queue, testJob('sync', 3));
    await until(() => begun.length === 1, 'the first item to begin');
    await takeOver(id, [1]);
    await sleep(60);
    door.open();
    await until(async () => (await bench.job(id)).processed === 2, 'the other items to end');
    assert.deepEqual(begun, [0, 2]);
  });

  it('when the lease was lost, then the look before a change and the one before storing it fail', async () => {
    const queue = bench.queue();
    const errors: unknown[] = [];
    let id = '';
    registerHandler(queue, 'update', async ({ lease }) => {
      assert.equal((await lease.confirm())(), true);
      await bench.knex.transaction((trx) => lease.lock(trx));
      await takeOver(id, [0]);
      for (const look of [() => lease.confirm(), () => bench.knex.transaction((trx) => lease.lock(trx))])
        errors.push(await look().catch((error: unknown) => error));
      throw errors[0];
    });
    id = await bench.enqueue(queue, testJob('update', 1));
    await queue.start();
    await until(() => errors.length === 2 && queue.stats().running === 0, 'the item to end');
    assert.deepEqual(
      errors.map((error) => error instanceof LeaseLostError),
      [true, true],
    );
    assert.deepEqual(await bench.counts(id), ['processing', 1, 0, 0, {}]);
  });

  it('when nobody took the item of a process that stood still, then the process continues its attempt', async () => {
    const queue = bench.queue({ pollMs: 20 });
    const door = createGate();
    let begun = 0;
    registerHandler(queue, 'sync', async ({ lease }) => {
      begun++;
      await door.pass();
      await lease.confirm();
      return { begun };
    });
    const id = await bench.enqueue(queue, testJob('sync', 1));
    await queue.start();
    await until(() => door.waiting() === 1, 'the item to begin');
    bench.clock.time += 30_001;
    await until(async () => (await bench.items(id))[0]?.attempt === 2, 'the item to be claimed again');
    door.open();
    await bench.waitForJob(id);
    assert.deepEqual(
      (await bench.items(id)).map(({ attempt, result }) => [attempt, result]),
      [[2, { begun: 1 }]],
    );
  });
});

describe('queue that stops', () => {
  let bench: QueueBench;
  withQueueBench((opened) => (bench = opened));

  it('when items are running, then the stop waits for them and releases the others', async () => {
    const [first, next] = [bench.queue({ concurrency: 2 }), bench.queue()];
    const door = createGate();
    let calls = 0;
    const seen: [number, boolean][] = [];
    registerHandler(first, 'sync', async () => {
      calls++;
      await door.pass();
    });
    registerHandler(next, 'sync', async ({ item, resumed }) => void seen.push([item.position, resumed]));
    const id = await bench.begin(first, testJob('sync', 6));
    await until(() => door.waiting() === 2, 'two items to begin');
    const stopped = first.stop(10_000);
    await until(
      async () => (await bench.items(id)).filter(({ state }) => state === 'waiting').length === 4,
      'the rest to be given back',
    );
    assert.deepEqual(
      (await bench.items(id)).map(({ state, attempt }) => [state, attempt]),
      [
        ['running', 1],
        ['running', 1],
        ['waiting', 0],
        ['waiting', 0],
        ['waiting', 0],
        ['waiting', 0],
      ],
    );
    door.open();
    await stopped;
    assert.equal(calls, 2);
    assert.deepEqual(await bench.counts(id), ['processing', 6, 2, 2, {}]);
    await next.start();
    await bench.waitForJob(id);
    assert.deepEqual(seen, [
      [2, false],
      [3, false],
      [4, false],
      [5, false],
    ]);
  });

  it('when a job begins while the process stops, then another process runs its items for the first time', async () => {
    const [first, next] = [bench.queue(), bench.queue()];
    let calls = 0;
    registerHandler(first, 'sync', async () => void calls++);
    const stopped = first.stop(10_000);
    const id = await bench.begin(first, testJob('sync', 3));
    await stopped;
    const resumed: boolean[] = [];
    registerHandler(next, 'sync', async (call) => void resumed.push(call.resumed));
    await next.start();
    await bench.waitForJob(id);
    assert.deepEqual([calls, resumed], [0, [false, false, false]]);
  });

  it('when the stop comes just before the first step of an item, then its lease is released', async () => {
    const [first, next] = [bench.queue(), bench.queue()];
    let calls = 0;
    registerHandler(first, 'sync', async () => void calls++);
    const id = await bench.begin(first, testJob('sync', 2));
    const [running] = [first.stats().running];
    await first.stop(0);
    const resumed: boolean[] = [];
    registerHandler(next, 'sync', async (call) => void resumed.push(call.resumed));
    await next.start();
    await bench.waitForJob(id);
    assert.equal(calls + resumed.length, 2, `${running} were running`);
    assert.ok(resumed.every((each) => !each));
  });

  it('when an item does not end in time, then it stays to be resumed', async () => {
    const [first, next] = [bench.queue(), bench.queue()];
    const door = createGate();
    let aborted = false;
    registerHandler(first, 'sync', async ({ signal }) => {
      signal.addEventListener('abort', () => (aborted = true));
      await door.pass();
    });
    const id = await bench.begin(first, testJob('sync', 1));
    await until(() => door.waiting() === 1, 'the item to begin');
    await first.stop(0);
    assert.equal(aborted, true, 'the handler is told');
    assert.ok(bench.logs.some(({ msg }) => msg.startsWith('stopped before')));
    const resumed: boolean[] = [];
    registerHandler(next, 'sync', async (call) => void resumed.push(call.resumed));
    bench.clock.time += 30_001;
    await next.start();
    await bench.waitForJob(id);
    assert.deepEqual(resumed, [true]);
    door.open();
  });

  it('when an item of an abortable kind does not end in time, then it is aborted and resumed', async () => {
    const [first, next] = [bench.queue(), bench.queue()];
    let [begun, ended] = [0, 0];
    const waiting = async ({ signal }: Attempt): Promise<void> => {
      const aborted = once(signal, 'abort');
      begun++;
      await aborted;
      ended++;
      signal.throwIfAborted();
    };
    registerHandler(first, 'sync', waiting, { whenCancelled: 'abort' });
    const id = await bench.begin(first, testJob('sync', 2));
    await until(() => begun === 2, 'both items to begin');
    await first.stop(0);
    await until(() => ended === 2 && first.stats().running === 0, 'both items to be ended');
    await sleep(50);
    assert.deepEqual(await bench.counts(id), ['processing', 2, 0, 0, {}]);
    const resumed: boolean[] = [];
    registerHandler(next, 'sync', async (call) => void resumed.push(call.resumed));
    bench.clock.time += 30_001;
    await next.start();
    await bench.waitForJob(id);
    assert.deepEqual(resumed, [true, true]);
    assert.deepEqual(await bench.counts(id), ['completed', 2, 2, 2, {}]);
  });

  it('when outcomes are not stored yet, then none is lost', async () => {
    const queue = bench.queue({ concurrency: 100 });
    let ended = 0;
    registerHandler(queue, 'sync', async () => void ended++);
    const id = await bench.begin(queue, testJob('sync', 90));
    await until(() => ended === 90, 'all items to end');
    await queue.stop(0);
    assert.deepEqual(await bench.counts(id), ['completed', 90, 90, 90, {}]);
  });

  it('when the queue has stopped, then it claims no items', async () => {
    const queue = bench.queue();
    let calls = 0;
    registerHandler(queue, 'sync', async () => void calls++);
    await queue.start();
    await queue.stop(0);
    const id = await bench.enqueue(bench.queue(), testJob('sync', 2));
    await sleep(80);
    assert.equal(calls, 0);
    assert.deepEqual(await bench.counts(id), ['queued', 2, 0, 0, {}]);
  });
});

describe('outcomes that could not be stored', () => {
  it('when the lease of their items expires, then the items run again, also while the process has other work', async () => {
    const bench = await QueueBench.open();
    const queue = bench.queue({ leaseMs: 60, concurrency: 8 });
    const seen: boolean[] = [];
    const door = createGate();
    registerHandler(queue, 'sync', async ({ resumed }) => {
      if (seen.length === 0) await bench.knex.schema.renameTable('jobs', 'jobs_away');
      seen.push(resumed);
    });
    registerHandler(queue, 'long', () => door.pass());
    await bench.begin(queue, testJob('long', 1));
    const id = await bench.begin(queue, testJob('sync', 1));
    await until(() => bench.logs.some(({ msg }) => msg.startsWith('results could not')), 'the record to fail');
    await bench.knex.schema.renameTable('jobs_away', 'jobs');
    await queue.start();
    bench.clock.time += 61;
    await bench.waitForJob(id);
    door.open();
    assert.deepEqual(seen, [false, true]);
    assert.deepEqual(await bench.counts(id), ['completed', 1, 1, 1, {}]);
    await bench.close();
  });
});

describe('items whose statements fail', () => {
  let bench: QueueBench;
  withQueueBench((opened) => (bench = opened));

  it('when one result cannot be stored, then the results that ended with it are stored', async () => {
    const queue = bench.queue();
    const door = createGate();
    registerHandler(queue, 'sync', async ({ item: { position } }) => {
      await door.pass();
      return { value: position === 1 ? 1n : 1 };
    });
    await queue.start();
    const id = await bench.begin(queue, testJob('sync', 3));
    await until(() => door.waiting() === 3, 'all items to begin');
    door.open();
    await until(async () => (await bench.job(id)).processed === 2, 'the others to be stored');
    const states = (await bench.items(id)).map(({ state }) => state);
    assert.deepEqual(states, ['succeeded', 'running', 'succeeded']);
  });

  it('when the claim of a later job fails, then the items of the earlier jobs are returned', async () => {
    const queue = bench.queue();
    for (let count = 0; count < 3; count++) await bench.enqueue(queue, testJob('sync', 1));
    const leases = new ItemLeaseStore(bench.knex, bench.clock, 30_000);
    let claims = 0;
    const fail = ({ sql }: { sql: string }): void => {
      if (/^update .job_items/.test(sql) && ++claims === 3) throw new Error('The connection was lost.');
    };
    bench.knex.on('query', fail);
    const items = await leases.claim('w-one', 9);
    bench.knex.off('query', fail);
    assert.equal(items.length, 2);
    const rows = await bench.knex('job_items').whereNotNull('lease_owner').pluck<number[]>('id');
    assert.deepEqual(items.map((item) => item.id).sort(), rows.sort());
    assert.equal((await leases.claim('w-one', 9)).length, 1);
  });
});

describe('ended jobs', () => {
  it('when 30 days have passed, then ended jobs are deleted, and not earlier', async () => {
    const bench = await QueueBench.open();
    const queue = bench.queue();
    registerHandler(queue, 'sync', async () => undefined);
    const old = await bench.begin(queue, testJob('sync', 3));
    await bench.waitForJob(old);
    bench.clock.time += HOUR;
    const younger = await bench.begin(queue, testJob('sync', 3));
    await bench.waitForJob(younger);
    const open = await bench.enqueue(queue, testJob('never begun', 1));
    bench.clock.time += 30 * DAY - HOUR;
    const store = new JobStore(bench.knex, bench.clock, 30_000);
    assert.equal(await store.deleteExpired(), 0);
    bench.clock.time += 1;
    assert.equal(await store.deleteExpired(), 4, 'the job and its items');
    assert.deepEqual((await bench.knex('jobs').pluck<string[]>('id')).sort(), [younger, open].sort());
    assert.equal((await bench.items(old)).length, 0, 'its items go with it');
    await bench.close();
  });

  it('when a job has more items than a call deletes, then a call begins where the last one ended', async () => {
    const bench = await QueueBench.open();
    const queue = bench.queue();
    const job = await bench.enqueue(queue, testJob('never begun', 1_100));
    await bench.knex('jobs').where({ id: job }).update({ completed_at: bench.clock.time });
    bench.clock.time += 30 * DAY + 1;
    const store = new JobStore(bench.knex, bench.clock, 30_000);
    const positions = async (): Promise<number[]> =>
      bench.knex('job_items').orderBy('position').pluck<number[]>('position');
    const first = await bench.knex('job_items').where({ position: 0 }).first();
    assert.equal(await store.deleteExpired(), 500);
    assert.equal((await positions())[0], 500);
    // The row stands for one that MariaDB has deleted but not purged: it must not be read again.
    await bench.knex('job_items').insert(first);
    assert.equal(await store.deleteExpired(), 500);
    assert.deepEqual((await positions()).slice(0, 2), [0, 1_000]);
    assert.deepEqual(await bench.knex('jobs').pluck<string[]>('id'), [job]);
    assert.deepEqual([await store.deleteExpired(), await store.deleteExpired()], [101, 0]);
    assert.deepEqual(await bench.knex('jobs').pluck<string[]>('id'), []);
    assert.deepEqual(await positions(), []);
    await bench.close();
  });

  it('when small and large jobs have expired, then no call deletes more than 500 items', async () => {
    const bench = await QueueBench.open();
    const queue = bench.queue();
    for (const [index, count] of [300, 150, 100, 600, 1].entries()) {
      const job = await bench.enqueue(queue, testJob('never begun', count));
      await bench
        .knex('jobs')
        .where({ id: job })
        .update({ completed_at: bench.clock.time + index });
    }
    bench.clock.time += 31 * DAY;
    const store = new JobStore(bench.knex, bench.clock, 30_000);
    const calls: number[] = [];
    for (let call = 0; call < 6; call++) calls.push(await store.deleteExpired());
    // Jobs are counted too: 300 + 150 items and two jobs, 100 and one, 500, 100 and one, one and one.
    assert.deepEqual(calls, [452, 101, 500, 101, 2, 0]);
    assert.deepEqual(await bench.knex('job_items').pluck('id'), []);
    await bench.close();
  });
});
