import { ConnectionError, isRefusal, TimeoutError } from '../sdk/index.ts';

/** How a command ends, for scripts. */
export const EXIT = {
  done: 0,
  /** Some or all items failed, or the job was cancelled. */
  itemsFailed: 1,
  /** The command itself is wrong: a word, an option, a profile. */
  usage: 2,
  /** The service refused the call. */
  refused: 3,
  /** No answer came, or not one of this service. */
  unreachable: 4,
  /** Ctrl-C, as shells have it. */
  interrupted: 130,
} as const;

/** What the caller can mend in the command. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  if (isRefusal(error, 'unknown')) return EXIT.unreachable;
  if (isRefusal(error)) return EXIT.refused;
  if (error instanceof ConnectionError || error instanceof TimeoutError) return EXIT.unreachable;
  return EXIT.itemsFailed;
}
