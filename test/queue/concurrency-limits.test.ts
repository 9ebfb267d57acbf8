import assert from 'node:assert/strict';
import { inTransaction } from '../../src/db/transaction.ts';
import { createUnvalidatedParser, defineJobKind, plainInput, type Queue } from '../../src/queue/index.ts';
import { ItemLeaseStore } from '../../src/queue/item-lease-store.ts';
import { createGate, registerHandler, testJob, type QueueBench, until, withQueueBench } from './support.ts';

describe('concurrency limit of a job kind', () => {
  let bench: QueueBench;
  withQueueBench((opened) => (bench = opened));

  /** Items of the kind wait at a gate. */
  function scarce(queue: Queue, limit: () => number, door = createGate()) {
    const seen = { open: 0, most: 0, done: 0 };
    const kind = defineJobKind({
      name: 'scarce',
      about: 'site',
      input: plainInput<unknown>(),
      result: createUnvalidatedParser<unknown>(),
      whenCancelled: 'abort',
      retryPermission: null,
      maxRunning: limit,
      perform: async () => {
        seen.most = Math.max(seen.most, ++seen.open);
        await door.pass();
        seen.open--;
        seen.done++;
      },
    });
    queue.register(kind);
    return { door, seen };
  }

  it('when many jobs of the kind wait, then no more items run than the limit, and other kinds run', async () => {
    const queue = bench.queue();
    const { door, seen } = scarce(queue, () => 2);
    let others = 0;
    registerHandler(queue, 'sync', async () => void others++);
    const ids: string[] = [];
    // More jobs than one claim reads.
    for (let count = 0; count < 20; count++) ids.push(await bench.enqueue(queue, testJob('scarce', 3)));
    const other = await bench.enqueue(queue, testJob('sync', 5));
    await queue.start();
    await bench.waitForJob(other);
    await until(() => seen.open === 2, 'two items to begin');
    assert.deepEqual([others, seen.most], [5, 2]);
    door.open();
    for (const id of ids) await bench.waitForJob(id);
    assert.deepEqual([seen.most, seen.done], [2, 60]);
  });

  it('when the limit changes, then it applies from the next claim on', async () => {
    const queue = bench.queue();
    let limit = 1;
    const { door, seen } = scarce(queue, () => limit);
    const id = await bench.enqueue(queue, testJob('scarce', 6));
    await queue.start();
    await until(() => seen.open === 1, 'one item to begin');
    limit = 3;
    await until(() => seen.open === 3, 'three items to be under way');
    door.open();
    await bench.waitForJob(id);
    assert.equal(seen.most, 3);
  });

  it('when several processes claim at the same time, then together they stay within the limit', async () => {
    const queue = bench.queue();
    scarce(queue, () => 3);
    await bench.enqueue(queue, testJob('scarce', 10));
    await bench.enqueue(queue, testJob('scarce', 10));
    const limits = new Map([['scarce', 3]]);
    const stores = Array.from(
      { length: 6 },
      () => new ItemLeaseStore(bench.knex, bench.clock, 30_000, { limits: () => limits }),
    );
    const claimed = await Promise.all(stores.map((store, index) => store.claim(`w-${index}`, 8)));
    assert.equal(claimed.flat().length, 3);
    assert.deepEqual(
      await new ItemLeaseStore(bench.knex, bench.clock, 30_000, { limits: () => limits }).claim('w-late', 8),
      [],
    );
  });

  it('when a process is killed with running items, then another process runs them within the limit', async () => {
    const queue = bench.queue();
    const { seen, door } = scarce(queue, () => 2);
    const id = await inTransaction(bench.knex, (scope) =>
      queue.enqueueRows(scope, testJob('scarce', 4).kind.rowsOf(testJob('scarce', 4))),
    );
    const dead = new ItemLeaseStore(bench.knex, bench.clock, 30_000, { limits: () => new Map([['scarce', 2]]) });
    assert.equal((await dead.claim('w-dead', 8)).length, 2);
    await queue.start();
    bench.clock.time += 31_000;
    await until(() => seen.open === 2, 'two items to begin');
    door.open();
    await bench.waitForJob(id);
    assert.deepEqual([seen.most, seen.done], [2, 4]);
  });
});
