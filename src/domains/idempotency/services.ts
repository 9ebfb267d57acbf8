import type { IdempotentCalls } from './idempotent-calls.ts';

/** What other parts and the surfaces may ask of the repeated calls. */
export interface IdempotencyServices {
  answers: IdempotentCalls;
}
