export { IdempotentCalls } from './idempotent-calls.ts';
