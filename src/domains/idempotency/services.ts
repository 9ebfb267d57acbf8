import type { IdempotentCalls } from './idempotent-calls.ts';

export interface IdempotencyServices {
  answers: IdempotentCalls;
}
