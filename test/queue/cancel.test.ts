import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { PostponedItem, type Attempt } from '../../src/queue/index.ts';
import { ItemLeaseStore } from '../../src/queue/item-lease-store.ts';
import { createGate, registerHandler, testJob, type QueueBench, until, withQueueBench } from './support.ts';

const NOT_BEGUN = ['not_begun', 'svc_cancelled'];
const ABORTED = ['failed', 'svc_cancelled'];

describe('cancellation of a job', () => {
  let bench: QueueBench;
  withQueueBench((opened) => (bench = opened));

  const outcomes = async (id: string) => (await bench.items(id)).map(({ state, error_code }) => [state, error_code]);

  it('when the job has not started, then none of its items runs', async () => {
    const queue = bench.queue();
    let calls = 0;
    registerHandler(queue, 'sync', async () => void calls++);
    const id = await bench.enqueue(queue, testJob('sync', 3));
    bench.clock.time += 500;
    assert.equal(await queue.cancel(id), true);
    assert.deepEqual(await bench.counts(id), ['cancelled', 3, 3, 0, { not_begun: 3 }]);
    assert.equal(Number((await bench.job(id)).completed_at), bench.clock.time);
    assert.deepEqual(await outcomes(id), [NOT_BEGUN, NOT_BEGUN, NOT_BEGUN]);
    await queue.start();
    await sleep(80);
    assert.equal(calls, 0);
    assert.equal(await queue.waitFor(id, 1000), true);
  });

  it('when a job has more items than a statement ends, then all of them end', async () => {
    const id = await bench.enqueue(bench.queue(), testJob('sync', 1_201));
    assert.equal(await bench.queue().cancel(id), true);
    assert.deepEqual(await bench.counts(id), ['cancelled', 1_201, 1_201, 0, { not_begun: 1_201 }]);
    assert.notEqual((await bench.job(id)).completed_at, null);
  });

  it('when the job is running, then started items end and no other item runs', async () => {
    const queue = bench.queue({ concurrency: 2 });
    const door = createGate();
    let calls = 0;
    registerHandler(queue, 'sync', async () => {
      calls++;
      await door.pass();
    });
    await queue.start();
    const id = await bench.begin(queue, testJob('sync', 6));
    await until(() => door.waiting() === 2, 'two items to begin');
    assert.equal(await queue.cancel(id), true);
    assert.equal((await bench.job(id)).state, 'cancelled');
    assert.equal((await bench.job(id)).completed_at, null);
    door.open();
    await bench.waitForJob(id);
    assert.equal(calls, 2);
    assert.deepEqual(await bench.counts(id), ['cancelled', 6, 6, 2, { not_begun: 4 }]);
    const done = ['succeeded', null];
    assert.deepEqual(await outcomes(id), [done, done, NOT_BEGUN, NOT_BEGUN, NOT_BEGUN, NOT_BEGUN]);
  });

  it('when another process cancels the job, then the waiting items of this process are dropped', async () => {
    const [holder, other] = [bench.queue({ concurrency: 1, leaseMs: 60 }), bench.queue()];
    const door = createGate();
    let calls = 0;
    registerHandler(holder, 'sync', async () => {
      calls++;
      await door.pass();
    });
    await holder.start();
    const id = await bench.begin(holder, testJob('sync', 4));
    await until(() => door.waiting() === 1, 'an item to begin');
    assert.equal(await other.cancel(id), true);
    await until(async () => (await bench.job(id)).processed === 3, 'the held items to be dropped');
    door.open();
    await bench.waitForJob(id);
    assert.equal(calls, 1);
    assert.deepEqual(await bench.counts(id), ['cancelled', 4, 4, 1, { not_begun: 3 }]);
  });

  it('when the job kind allows an abort, then running items are aborted in all processes', async () => {
    const [holder, other] = [bench.queue({ concurrency: 2, leaseMs: 60 }), bench.queue()];
    let underWay = 0;
    const abortable = async ({ signal }: Attempt): Promise<void> => {
      underWay++;
      await once(signal, 'abort');
      underWay--;
      signal.throwIfAborted();
    };
    registerHandler(holder, 'sync', abortable, { whenCancelled: 'abort' });
    await holder.start();
    for (const queue of [holder, other]) {
      const id = await bench.begin(holder, testJob('sync', 3));
      await until(() => underWay === 2, 'two items to begin');
      assert.equal(await queue.cancel(id), true);
      await bench.waitForJob(id);
      assert.equal(underWay, 0);
      assert.deepEqual(await bench.counts(id), ['cancelled', 3, 3, 0, { failed: 2, not_begun: 1 }]);
      assert.deepEqual(await outcomes(id), [ABORTED, ABORTED, NOT_BEGUN]);
      const messages = (await bench.items(id)).map(({ error_message }) => error_message);
      assert.deepEqual(messages, [
        'The job was cancelled while this item was running.',
        'The job was cancelled while this item was running.',
        'The job was cancelled before this item started.',
      ]);
    }
  });

  it('when an aborted item still returns a result, then it is kept, and items of other kinds are not aborted', async () => {
    const queue = bench.queue();
    const door = createGate();
    const signals = new Map<string, AbortSignal>();
    const workOn =
      (kind: string) =>
      async ({ signal }: Attempt): Promise<object> => {
        signals.set(kind, signal);
        await door.pass();
        return { done: true };
      };
    registerHandler(queue, 'sync', workOn('sync'), { whenCancelled: 'abort' });
    registerHandler(queue, 'update', workOn('update'), { whenCancelled: 'finish' });
    const ids = [await bench.begin(queue, testJob('sync', 1)), await bench.begin(queue, testJob('update', 1))];
    await until(() => door.waiting() === 2, 'both items to begin');
    for (const id of ids) await queue.cancel(id);
    assert.equal(signals.get('sync')?.aborted, true);
    assert.equal(signals.get('update')?.aborted, false);
    door.open();
    for (const id of ids) {
      await bench.waitForJob(id);
      assert.deepEqual(await bench.counts(id), ['cancelled', 1, 1, 1, {}]);
      assert.deepEqual((await bench.items(id))[0]?.result, { done: true });
    }
  });

  it('when the job has ended or is cancelled already, then nothing changes', async () => {
    const queue = bench.queue();
    registerHandler(queue, 'sync', async () => undefined);
    const id = await bench.begin(queue, testJob('sync', 2));
    await bench.waitForJob(id);
    assert.equal(await queue.cancel(id), false);
    assert.deepEqual(await bench.counts(id), ['completed', 2, 2, 2, {}]);
    const waiting = await bench.enqueue(queue, testJob('sync', 2));
    assert.equal(await queue.cancel(waiting), true);
    assert.equal(await queue.cancel(waiting), false);
    assert.deepEqual(await bench.counts(waiting), ['cancelled', 2, 2, 0, { not_begun: 2 }]);
  });

  it('when the job does not exist, then the result is null', async () => {
    assert.equal(await bench.queue().cancel('sync_00000000-0000-0000-0000-000000000000'), null);
  });

  it('when the process that holds the items stops before it notices, then the job still ends', async () => {
    const [holder, other] = [bench.queue({ concurrency: 1 }), bench.queue()];
    const door = createGate();
    registerHandler(holder, 'sync', () => door.pass());
    registerHandler(other, 'sync', async () => undefined);
    const id = await bench.begin(holder, testJob('sync', 4));
    await until(() => door.waiting() === 1, 'an item to begin');
    await other.cancel(id);
    const stopped = holder.stop(10_000);
    door.open();
    await stopped;
    await other.start();
    await bench.waitForJob(id);
    assert.deepEqual(await bench.counts(id), ['cancelled', 4, 4, 1, { not_begun: 3 }]);
  });

  it('when the process that holds the items has died, then the job ends and their outcome is unknown', async () => {
    const queue = bench.queue({ leaseMs: 60 });
    let calls = 0;
    registerHandler(queue, 'sync', async () => void calls++);
    const id = await bench.enqueue(queue, testJob('sync', 3));
    await new ItemLeaseStore(bench.knex, bench.clock, 30_000).claim('w-dead', 1);
    assert.equal(await queue.cancel(id), true);
    await queue.start();
    await sleep(60);
    assert.equal((await bench.job(id)).completed_at, null);
    bench.clock.time += 30_001;
    await bench.waitForJob(id);
    assert.equal(calls, 0);
    assert.deepEqual(await outcomes(id), [['unknown', 'svc_outcome_unknown'], NOT_BEGUN, NOT_BEGUN]);
    assert.deepEqual(await bench.counts(id), ['cancelled', 3, 3, 0, { unknown: 1, not_begun: 2 }]);
  });

  it('when the process that has begun an item has died, then another one finishes it after its lease', async () => {
    const queue = bench.queue({ leaseMs: 60 });
    const resumed: boolean[] = [];
    registerHandler(queue, 'sync', async (attempt) => void resumed.push(attempt.resumed), {
      hasBegun: () => Promise.resolve(true),
    });
    const id = await bench.enqueue(queue, testJob('sync', 3));
    await new ItemLeaseStore(bench.knex, bench.clock, 30_000).claim('w-dead', 1);
    assert.equal(await queue.cancel(id), true);
    await queue.start();
    await sleep(60);
    assert.deepEqual(resumed, []);
    bench.clock.time += 30_001;
    await bench.waitForJob(id);
    assert.deepEqual(resumed, [true]);
    assert.deepEqual(await outcomes(id), [['succeeded', null], NOT_BEGUN, NOT_BEGUN]);
    assert.deepEqual(await bench.counts(id), ['cancelled', 3, 3, 1, { not_begun: 2 }]);
  });

  it('when the process has died before it began its item, then the item does not begin', async () => {
    const queue = bench.queue({ leaseMs: 60 });
    let calls = 0;
    registerHandler(queue, 'sync', async () => void calls++, { hasBegun: () => Promise.resolve(false) });
    const id = await bench.enqueue(queue, testJob('sync', 1));
    await new ItemLeaseStore(bench.knex, bench.clock, 30_000).claim('w-dead', 1);
    bench.clock.time += 30_001;
    assert.equal(await queue.cancel(id), true);
    await queue.start();
    await bench.waitForJob(id);
    assert.equal(calls, 0);
    assert.deepEqual(await outcomes(id), [NOT_BEGUN]);
  });

  it('when an interrupted item waits in a process, then a cancellation and the end of the process keep it', async () => {
    const [holder, other] = [bench.queue({ concurrency: 1 }), bench.queue()];
    const door = createGate();
    const begun = { hasBegun: () => Promise.resolve(true) };
    registerHandler(holder, 'sync', () => door.pass(), begun);
    const finished: number[] = [];
    registerHandler(other, 'sync', async ({ item }) => void finished.push(item.position), begun);
    const id = await bench.enqueue(holder, testJob('sync', 2));
    await new ItemLeaseStore(bench.knex, bench.clock, 30_000).claim('w-dead', 2);
    bench.clock.time += 30_001;
    await holder.start();
    await until(() => door.waiting() === 1, 'an item to begin');
    assert.equal(await other.cancel(id), true);
    const stopped = holder.stop(10_000);
    door.open();
    await stopped;
    await other.start();
    await bench.waitForJob(id);
    assert.deepEqual(await bench.counts(id), ['cancelled', 2, 2, 2, {}]);
    assert.ok(finished.length >= 1);
  });

  it('when many cancelled jobs are still to be finished, then an interrupted item of a later one ends', async () => {
    const queue = bench.queue({ leaseMs: 60 });
    const later = bench.clock.now() + 60_000;
    registerHandler(queue, 'verify', () => Promise.resolve(new PostponedItem(later, { so: 'far' })), {
      hasBegun: () => Promise.resolve(true),
    });
    const postponed: string[] = [];
    for (let count = 0; count < 20; count++) postponed.push(await bench.enqueue(queue, testJob('verify', 1)));
    await queue.start();
    for (const id of postponed) {
      await until(async () => (await bench.items(id))[0]?.result !== null, 'the item to be postponed');
      assert.equal(await queue.cancel(id), true);
    }
    bench.clock.time += 1;
    const id = await bench.enqueue(queue, { ...testJob('sync', 1), notBefore: later });
    const lease = { state: 'running', lease_owner: 'w-dead', lease_until: bench.clock.now() + 10, attempt: 1 };
    await bench.knex('job_items').where({ job_id: id }).update(lease);
    assert.equal(await queue.cancel(id), true);
    assert.equal((await bench.job(id)).completed_at, null);
    bench.clock.time += 20;
    await until(async () => (await bench.job(id)).completed_at !== null, 'the interrupted item to end');
    assert.deepEqual(await outcomes(id), [['unknown', 'svc_outcome_unknown']]);
    for (const each of postponed) assert.equal((await bench.job(each)).completed_at, null);
  });
});
