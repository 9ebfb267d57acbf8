import assert from 'node:assert/strict';
import { PostponedItem } from '../../src/queue/index.ts';
import type { CredentialOwner } from '../../src/shared/requester.ts';
import { createGate, registerHandler, testJob, until, withQueueBench, type QueueBench } from './support.ts';

const OWNER: CredentialOwner = { userId: 4, keyId: 9 };

describe('items of limited owners', () => {
  let bench: QueueBench;
  withQueueBench((opened) => (bench = opened));

  const ofOwner = (count: number) => ({ ...testJob('sync', count), requestedBy: { name: 'ann', owner: OWNER } });

  it('when a site leaves the limits before its item begins, then the item fails and the site is left alone', async () => {
    const queue = bench.queue({ concurrency: 1 });
    const allowed = new Set([1, 2]);
    const asked: CredentialOwner[] = [];
    queue.limitItemsBy(async (owner, siteId) => {
      asked.push(owner);
      return allowed.has(siteId);
    });
    const gate = createGate();
    const seen: (number | null)[] = [];
    registerHandler(queue, 'sync', async ({ item }) => {
      seen.push(item.siteId);
      await gate.pass();
      return {};
    });
    await queue.start();
    const id = await bench.enqueue(queue, ofOwner(2));
    await until(() => seen.length === 1, 'the first item has begun');
    allowed.delete(2);
    gate.open();
    await bench.waitForJob(id);
    assert.deepEqual(seen, [1]);
    assert.deepEqual(asked, [OWNER, OWNER]);
    const [first, second] = await bench.items(id);
    assert.deepEqual([first?.state, second?.state, second?.error_code], ['succeeded', 'failed', 'svc_outside_limits']);
  });

  it('when the job has no limited owner, then nothing is checked', async () => {
    const queue = bench.queue();
    queue.limitItemsBy(() => Promise.reject(new Error('must not be called')));
    registerHandler(queue, 'sync', async () => ({}));
    await queue.start();
    const id = await bench.enqueue(queue, testJob('sync', 2));
    await bench.waitForJob(id);
    assert.deepEqual(await bench.counts(id), ['completed', 2, 2, 2, {}]);
  });

  it('when no check is set, then items of limited owners are refused', async () => {
    const queue = bench.queue();
    registerHandler(queue, 'sync', async () => ({}));
    await queue.start();
    const id = await bench.enqueue(queue, ofOwner(1));
    await bench.waitForJob(id);
    assert.deepEqual(await bench.counts(id), ['failed', 1, 1, 0, { failed: 1 }]);
  });

  it('when an interrupted item has left the limits, then its outcome is unknown', async () => {
    const queue = bench.queue();
    queue.limitItemsBy(() => Promise.resolve(false));
    registerHandler(queue, 'sync', async () => ({}));
    const id = await bench.enqueue(queue, ofOwner(1));
    await bench.knex('job_items').where({ job_id: id }).update({ attempt: 1 });
    await queue.start();
    await bench.waitForJob(id);
    const [item] = await bench.items(id);
    assert.deepEqual([item?.state, item?.error_code], ['unknown', 'svc_outcome_unknown']);
  });

  it('when an interrupted item that had begun has left the limits, then it is finished', async () => {
    const queue = bench.queue();
    queue.limitItemsBy(() => Promise.resolve(false));
    registerHandler(queue, 'sync', async ({ resumed }) => ({ resumed }), { hasBegun: () => Promise.resolve(true) });
    const id = await bench.enqueue(queue, ofOwner(2));
    await bench.knex('job_items').where({ job_id: id, position: 0 }).update({ attempt: 1 });
    await queue.start();
    await bench.waitForJob(id);
    const [interrupted, fresh] = await bench.items(id);
    assert.deepEqual([interrupted?.state, interrupted?.result], ['succeeded', { resumed: true }]);
    assert.deepEqual([fresh?.state, fresh?.error_code], ['failed', 'svc_outside_limits']);
  });

  it('when an item that waits for its effect has left the limits, then it still reads the effect', async () => {
    const queue = bench.queue();
    let inside = true;
    queue.limitItemsBy(() => Promise.resolve(inside));
    registerHandler(queue, 'sync', async ({ resumed }) => {
      if (resumed) return { done: true };
      inside = false;
      return new PostponedItem(bench.clock.now() - 1, { done: false });
    });
    await queue.start();
    const id = await bench.enqueue(queue, ofOwner(1));
    await bench.waitForJob(id);
    const [item] = await bench.items(id);
    assert.deepEqual([item?.state, item?.result], ['succeeded', { done: true }]);
  });
});
