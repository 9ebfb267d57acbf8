import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { endLongTurn } from '../../src/shared/event-loop.ts';

const LONGEST_TURN_MS = 10;

function workFor(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

describe('long work on the event loop', () => {
  it('when the work of a turn has taken 10 ms, then it continues in the next turn', async () => {
    await nextTurn();
    assert.equal(endLongTurn(), undefined);
    workFor(LONGEST_TURN_MS + 1);
    let others = 0;
    setImmediate(() => others++);
    const turn = endLongTurn();
    assert.ok(turn);
    await turn;
    assert.equal(others, 1);
  });

  it('when a new turn begins, then its work has 10 ms again', async () => {
    await nextTurn();
    assert.equal(endLongTurn(), undefined);
    workFor(LONGEST_TURN_MS + 1);
    await nextTurn();
    assert.equal(endLongTurn(), undefined);
  });
});
