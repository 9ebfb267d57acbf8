import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { withEitherSignal } from '../../src/shared/either-signal.ts';
import { repeatUntilAborted } from '../../src/shared/repeat-until-aborted.ts';
import { createLogger } from '../../src/shared/logger.ts';

/** Returns the number of objects that a signal refers to. Node keeps those of `AbortSignal.any` under a symbol. */
function held(signal: AbortSignal): number {
  const key = Object.getOwnPropertySymbols(signal).find(({ description }) => description === 'kDependantSignals');
  const combined = key && (signal as unknown as Record<symbol, Set<unknown> | undefined>)[key];
  return getEventListeners(signal, 'abort').length + (combined?.size ?? 0);
}

describe('work with several signals', () => {
  it('when one of them aborts before or during the work, then the work sees its reason', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const during = withEitherSignal([first.signal, second.signal], async (either) => {
      second.abort('during');
      return either.reason as unknown;
    });
    assert.equal(await during, 'during');
    assert.equal(
      await withEitherSignal([first.signal, second.signal], async ({ reason }) => reason as unknown),
      'during',
    );
  });

  it('when the work ends, then the signals refer to nothing of it', async () => {
    const { signal } = new AbortController();
    await withEitherSignal([signal], async () => assert.equal(held(signal), 1));
    await assert.rejects(withEitherSignal([signal], () => Promise.reject(new Error('failed'))));
    assert.equal(held(signal), 0);
  });

  it('when a loop repeats, then its signal refers to one pause only', async () => {
    const loop = new AbortController();
    let rounds = 0;
    const ended = repeatUntilAborted(
      { everyMs: 1, signal: loop.signal, logger: createLogger('silent'), failure: 'failed' },
      async () => void (rounds += 1),
    );
    while (rounds < 20) await sleep(5);
    assert.ok(held(loop.signal) <= 1, String(held(loop.signal)));
    loop.abort();
    await ended;
  });
});
