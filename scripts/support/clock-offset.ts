import { resolve } from 'node:path';

/**
 * Returns settings that move the clock of a Node process by an offset, and by a step with each SIGUSR2. The process
 * must start in the root of the repository.
 */
export const clockOffsetEnv = (offsetMs: number, stepMs = 0): Record<string, string> => ({
  NODE_OPTIONS: `--import=${resolve('scripts/support/clock-offset.mjs')}`,
  CLOCK_OFFSET_MS: String(offsetMs),
  CLOCK_STEP_MS: String(stepMs),
});
