import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

type Condition = () => boolean | Promise<boolean>;

/** Below the limit of a test, whose error would not say what it waited for. */
const LIMIT_MS = 180_000;
const PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

/** Waits for a condition, with a long limit for busy machines. It checks often enough to see short states. */
export function until(condition: Condition, what: string, ms = LIMIT_MS): Promise<void> {
  return waitFor(condition, what, ms, () => PAUSE_MS);
}

/**
 * Waits for a condition that takes time and remains true, such as the end of a job. It pauses nine times as long as a
 * check takes, because checks would otherwise be most of the load of the service.
 */
export function eventually(condition: Condition, what: string, ms = LIMIT_MS): Promise<void> {
  return waitFor(condition, what, ms, (tookMs) => Math.min(LONGEST_PAUSE_MS, Math.max(PAUSE_MS, 9 * tookMs)));
}

async function waitFor(
  condition: Condition,
  what: string,
  ms: number,
  pauseAfter: (tookMs: number) => number,
): Promise<void> {
  const end = Date.now() + ms;
  for (;;) {
    const began = performance.now();
    if (await condition()) return;
    assert.ok(Date.now() < end, `Waited in vain for ${what}.`);
    await sleep(pauseAfter(performance.now() - began));
  }
}
