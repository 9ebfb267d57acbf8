import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { endLongTurn, endLongTurnOfStatements } from '../../src/shared/event-loop.ts';

const LONGEST_TURN_MS = 10;

/** The time goes on with the work only, so that a busy machine does not make short work long. */
let now = 0;

function workFor(ms: number): void {
  now += ms;
}

describe('long work on the event loop', () => {
  before(() => mock.method(performance, 'now', () => now));
  after(() => mock.restoreAll());

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

  it('when several callers work long, then each has a turn, and short ones share one', async () => {
    const work = async (name: string, ms: number): Promise<void> => {
      await endLongTurn();
      workFor(ms);
      log.push(name);
    };
    const log: string[] = [];
    await nextTurn();
    void endLongTurn();
    workFor(LONGEST_TURN_MS + 1);
    const turns = setImmediateLog(log);
    await Promise.all([
      work('long', LONGEST_TURN_MS + 1),
      work('long', LONGEST_TURN_MS + 1),
      work('short', 1),
      work('short', 1),
    ]);
    turns.end();
    assert.deepEqual(log.join(' ').replaceAll(/(turn )+/g, 'turn '), 'turn long turn long turn short short');
  });

  it('when long work waits for turns, then a statement waits for one turn only', async () => {
    await nextTurn();
    void endLongTurn();
    workFor(LONGEST_TURN_MS + 1);
    let ended = 0;
    const works = Array.from({ length: 5 }, async () => {
      await endLongTurn();
      workFor(LONGEST_TURN_MS + 1);
      ended++;
    });
    await endLongTurnOfStatements();
    assert.ok(ended <= 1, `${ended} of 5 works were before the statement`);
    await Promise.all(works);
  });
});

/** Adds an entry to a log at each turn of the event loop. */
function setImmediateLog(log: string[]): { end: () => void } {
  let timer: NodeJS.Immediate;
  const next = (): void => {
    log.push('turn');
    timer = setImmediate(next);
  };
  timer = setImmediate(next);
  return { end: () => clearImmediate(timer) };
}
