import { resolve } from 'node:path';

/** Returns settings that move the clock of a Node process. The process must start in the root of the repository. */
export const clockOffsetEnv = (offsetMs: number): Record<string, string> => ({
  NODE_OPTIONS: `--import=${resolve('scripts/support/clock-offset.mjs')}`,
  CLOCK_OFFSET_MS: String(offsetMs),
});
