import assert from 'node:assert/strict';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { createEventLoopGate } from '../../src/shared/event-loop.ts';
import { ConcurrencyLimiter } from '../../src/shared/concurrency-limiter.ts';

describe('limiter', () => {
  it('when tasks wait, then a limited number runs at a time in order, also after a failure', async () => {
    const limiter = new ConcurrencyLimiter(2);
    const begun: number[] = [];
    let open = 0;
    let highest = 0;
    const outcomes = await Promise.allSettled(
      [0, 1, 2, 3, 4, 5].map((piece) =>
        limiter.run(async () => {
          begun.push(piece);
          highest = Math.max(highest, ++open);
          await sleep(5);
          open--;
          if (piece === 1) throw new Error('broken');
          return piece;
        }),
      ),
    );
    assert.deepEqual(begun, [0, 1, 2, 3, 4, 5]);
    assert.equal(highest, 2);
    assert.deepEqual(
      outcomes.map(({ status }) => status === 'fulfilled'),
      [true, false, true, true, true, true],
    );
  });

  it('when other work is ready between two tasks, then it runs first', async () => {
    const turn = createEventLoopGate();
    const order: string[] = [];
    const pieces = ['a', 'b', 'c'].map(async (name) => {
      await turn();
      order.push(name);
    });
    const caller = (async () => {
      await nextTurn();
      order.push('caller');
    })();
    await Promise.all([...pieces, caller]);
    assert.equal(order.indexOf('caller') < 2, true, order.join(' '));
    assert.deepEqual(
      order.filter((name) => name !== 'caller'),
      ['a', 'b', 'c'],
    );
  });
});
