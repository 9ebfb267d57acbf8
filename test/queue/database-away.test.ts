import assert from 'node:assert/strict';
import { DatabaseUnavailableError } from '../../src/shared/errors.ts';
import { registerHandler, testJob, until, withQueueBench, type QueueBench } from './support.ts';

const away = (): DatabaseUnavailableError => new DatabaseUnavailableError('svc_database_unavailable', 'Away.');

describe('items whose database is away', () => {
  let bench: QueueBench;
  withQueueBench((opened) => (bench = opened));

  it('when an item meets it, then the item keeps its lease and runs again after that', async () => {
    const queue = bench.queue({ leaseMs: 30_000 });
    const seen: [position: number, resumed: boolean][] = [];
    registerHandler(queue, 'sync', async ({ item, resumed }) => {
      seen.push([item.position, resumed]);
      if (item.position === 0 && !resumed) throw away();
      return { resumed };
    });
    await queue.start();
    const id = await bench.begin(queue, testJob('sync', 2));
    await until(async () => (await bench.job(id)).processed === 1, 'the other item to end');
    const [first] = await bench.items(id);
    assert.deepEqual([first?.state, first?.attempt, first?.error_code], ['running', 1, null]);
    assert.notEqual(first?.lease_owner, null);

    bench.clock.time += 30_001;
    await bench.waitForJob(id);
    assert.deepEqual(await bench.counts(id), ['completed', 2, 2, 2, {}]);
    assert.deepEqual(seen.sort(), [
      [0, false],
      [0, true],
      [1, false],
    ]);
  });
});
