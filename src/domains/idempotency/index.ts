export { IdempotentCalls } from './idempotent-calls.ts';
export type { IdempotencyServices } from './part.ts';
