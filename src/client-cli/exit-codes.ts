import { CheckNotPossible, NothingToCheck } from '../contract-checks/check-not-possible.ts';
import { ConnectionError, isRefusal, TimeoutError } from '../sdk/index.ts';

export const EXIT_CODES = {
  done: 0,
  /** Some or all items did not succeed, the job was cancelled, or an unexpected error occurred. */
  itemsFailed: 1,
  usage: 2,
  refused: 3,
  /** No response was received, or it is not from this service. */
  unreachable: 4,
  /** The command was ended with Ctrl-C. Shells use the same exit code. */
  interrupted: 130,
} as const;

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Thrown if Ctrl-C is pressed at a prompt, where it sends no signal to the process. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError || error instanceof NothingToCheck) return EXIT_CODES.usage;
  if (error instanceof CheckNotPossible) return error.status === null ? EXIT_CODES.unreachable : EXIT_CODES.refused;
  if (isRefusal(error, 'unknown')) return EXIT_CODES.unreachable;
  if (isRefusal(error)) return EXIT_CODES.refused;
  if (error instanceof ConnectionError || error instanceof TimeoutError) return EXIT_CODES.unreachable;
  return EXIT_CODES.itemsFailed;
}
