import assert from 'node:assert/strict';
import { ItemWithErrors, PostponedItem, type Attempt } from '../../src/queue/index.ts';
import { registerHandler, testJob, type QueueBench, until, withQueueBench } from './support.ts';

const LATER = 60_000;

describe('postponed item', () => {
  let bench: QueueBench;
  withQueueBench((opened) => (bench = opened));

  /** Postpones every item once, and records what each attempt received. */
  function postponing(queue = bench.queue()): { seen: { resumed: boolean; result: unknown }[]; queue: typeof queue } {
    const seen: { resumed: boolean; result: unknown }[] = [];
    registerHandler(queue, 'verify', ({ item, resumed }) => {
      seen.push({ resumed, result: item.result });
      const first = item.result === null;
      return Promise.resolve(first ? new PostponedItem(bench.clock.now() + LATER, { so: 'far' }) : { so: 'done' });
    });
    return { seen, queue };
  }

  it('when an item is postponed, then its row has the partial result, and it runs again at its time', async () => {
    const { seen, queue } = postponing();
    await queue.start();
    const id = await bench.enqueue(queue, testJob('verify', 1));
    await until(async () => (await bench.items(id))[0]?.result !== null, 'the item to be postponed');
    const [item] = await bench.items(id);
    assert.deepEqual([item?.state, item?.lease_owner, item?.result], ['waiting', null, { so: 'far' }]);
    assert.deepEqual(await bench.counts(id), ['processing', 1, 0, 0, {}]);
    assert.deepEqual(queue.stats(), { ready: 0, running: 0 });
    bench.clock.time += LATER;
    await bench.waitForJob(id);
    assert.deepEqual(seen, [
      { resumed: false, result: null },
      { resumed: true, result: { so: 'far' } },
    ]);
    assert.deepEqual((await bench.items(id))[0]?.result, { so: 'done' });
    assert.deepEqual(await bench.counts(id), ['completed', 1, 1, 1, {}]);
  });

  it('when the process has died, then another process runs the item', async () => {
    const first = postponing();
    await first.queue.start();
    const id = await bench.begin(first.queue, testJob('verify', 1));
    await until(async () => (await bench.items(id))[0]?.state === 'waiting', 'the item to be postponed');
    await first.queue.stop(0);
    const second = postponing();
    await second.queue.start({ alone: true });
    bench.clock.time += LATER;
    await bench.waitForJob(id);
    assert.deepEqual(second.seen, [{ resumed: true, result: { so: 'far' } }]);
  });

  it('when many postponed items wait, then other jobs still run', async () => {
    const { queue } = postponing();
    registerHandler(queue, 'sync', () => Promise.resolve({}));
    await queue.start();
    const notBefore = bench.clock.now() + LATER;
    for (let count = 0; count < 20; count++) await bench.enqueue(queue, { ...testJob('verify', 1), notBefore });
    const id = await bench.enqueue(queue, testJob('sync', 3));
    await bench.waitForJob(id);
  });

  it('when the job has notBefore, then its first attempt waits until then', async () => {
    const { seen, queue } = postponing();
    await queue.start();
    const id = await bench.enqueue(queue, { ...testJob('verify', 1), notBefore: bench.clock.now() + LATER });
    const other = bench.queue();
    registerHandler(other, 'verify', () => Promise.resolve({}));
    await other.start();
    assert.equal((await bench.items(id))[0]?.state, 'waiting');
    bench.clock.time += LATER;
    // Either queue can run the item: one handler ends it, and the other postpones it again.
    const hasBegun = async (): Promise<boolean> => seen.length > 0 || (await bench.items(id))[0]?.state === 'succeeded';
    await until(hasBegun, 'the item to begin');
    assert.ok(seen.length <= 1);
  });

  it('when the job is cancelled, then the item succeeds with its partial result', async () => {
    const { queue } = postponing();
    await queue.start();
    const id = await bench.enqueue(queue, testJob('verify', 1));
    await until(async () => (await bench.items(id))[0]?.result !== null, 'the item to be postponed');
    assert.equal(await queue.cancel(id), true);
    const [item] = await bench.items(id);
    assert.deepEqual([item?.state, item?.result], ['succeeded', { so: 'far' }]);
    assert.deepEqual(await bench.counts(id), ['cancelled', 1, 1, 1, {}]);
  });

  it('when the job is cancelled while the result has errors, then the item ends with these errors', async () => {
    const queue = bench.queue();
    const fault = { code: 'svc_outcome_unknown', message: 'It is open.' } as const;
    registerHandler(queue, 'verify', () =>
      Promise.resolve(new PostponedItem(bench.clock.now() + LATER, new ItemWithErrors({ so: 'far' }, fault))),
    );
    await queue.start();
    const id = await bench.enqueue(queue, testJob('verify', 1));
    await until(async () => (await bench.items(id))[0]?.result !== null, 'the item to be postponed');
    assert.equal(await queue.cancel(id), true);
    const [item] = await bench.items(id);
    assert.deepEqual([item?.state, item?.error_code, item?.result], ['unknown', 'svc_outcome_unknown', { so: 'far' }]);
    assert.deepEqual(await bench.counts(id), ['cancelled', 1, 1, 0, { unknown: 1 }]);
  });

  it('when the job is cancelled and its kind finishes what has begun, then the item runs again at its time', async () => {
    const queue = bench.queue();
    const seen: unknown[] = [];
    const perform = ({ item }: Attempt): Promise<unknown> => {
      seen.push([item.position, item.result]);
      const isFirst = item.result === null;
      return Promise.resolve(isFirst ? new PostponedItem(bench.clock.now() + LATER, { so: 'far' }) : { so: 'done' });
    };
    registerHandler(queue, 'verify', perform, { hasBegun: () => Promise.resolve(true) });
    const id = await bench.enqueue(queue, testJob('verify', 2));
    await bench
      .knex('job_items')
      .where({ job_id: id, position: 1 })
      .update({ not_before: bench.clock.now() + LATER });
    await queue.start();
    await until(async () => (await bench.items(id))[0]?.result !== null, 'the item to be postponed');
    assert.equal(await queue.cancel(id), true);
    assert.deepEqual(
      (await bench.items(id)).map(({ state }) => state),
      ['waiting', 'not_begun'],
    );
    assert.equal((await bench.job(id)).completed_at, null);
    bench.clock.time += LATER;
    await bench.waitForJob(id);
    assert.deepEqual(seen, [
      [0, null],
      [0, { so: 'far' }],
    ]);
    assert.deepEqual(await bench.counts(id), ['cancelled', 2, 2, 1, { not_begun: 1 }]);
  });

  it('when a postponed item has no result yet, and its job is cancelled, then it has not begun', async () => {
    const queue = bench.queue();
    registerHandler(queue, 'verify', () => Promise.resolve(new PostponedItem(bench.clock.now() + LATER)));
    await queue.start();
    const id = await bench.enqueue(queue, testJob('verify', 1));
    const isPutOff = async (): Promise<boolean> => {
      const [item] = await bench.items(id);
      return item?.state === 'waiting' && item.attempt === 1;
    };
    await until(isPutOff, 'the item to be postponed');
    assert.equal((await bench.items(id))[0]?.result, null);
    assert.equal(await queue.cancel(id), true);
    assert.equal((await bench.items(id))[0]?.state, 'not_begun');
    assert.deepEqual(await bench.counts(id), ['cancelled', 1, 1, 0, { not_begun: 1 }]);
  });

  it('when an item is postponed again without a result, then the earlier result stays', async () => {
    const queue = bench.queue();
    let attempts = 0;
    registerHandler(queue, 'verify', () => {
      attempts += 1;
      return Promise.resolve(new PostponedItem(bench.clock.now() + LATER, attempts === 1 ? { so: 'far' } : undefined));
    });
    await queue.start();
    const id = await bench.enqueue(queue, testJob('verify', 1));
    await until(async () => (await bench.items(id))[0]?.result !== null, 'the item to be postponed');
    bench.clock.time += LATER;
    const isPutOffAgain = async () => attempts === 2 && (await bench.items(id))[0]?.state === 'waiting';
    await until(isPutOffAgain, 'the item to be postponed once more');
    assert.deepEqual((await bench.items(id))[0]?.result, { so: 'far' });
  });
});
