import { resolve } from 'node:path';

/** Returns the settings of a Node process whose clock differs from the real time. Run it in the root of the repository. */
export const clockOffsetEnv = (offsetMs: number): Record<string, string> => ({
  NODE_OPTIONS: `--import=${resolve('scripts/support/clock-offset.mjs')}`,
  CLOCK_OFFSET_MS: String(offsetMs),
});
