export * from './child-site.ts';
export type { Deadlines } from './site-caller.ts';
export { createChildSite, type WireChildSite } from './wire-child-site.ts';
export { createKeyPairSource, keyIdOf, makeKeyPair } from './key-pairs.ts';
export type { CallKind, ConnectorLimits } from './connector-limits.ts';
export { DEFAULT_SCHEME, type SignatureScheme } from './signing.ts';
export { createCircuitBreaker } from './breaker.ts';
export { Scheduler } from './scheduler.ts';
