import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for what must come to be, however busy the machine is. */
export async function until(condition: () => boolean | Promise<boolean>, what: string, ms = 60_000): Promise<void> {
  const end = Date.now() + ms;
  while (!(await condition())) {
    assert.ok(Date.now() < end, `Waited in vain for ${what}.`);
    await sleep(10);
  }
}
