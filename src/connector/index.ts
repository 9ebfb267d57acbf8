export * from './child-site.ts';
export type { Deadlines } from './site-caller.ts';
export { createChildSite, type WireChildSite, type WireChildSiteOptions } from './wire-child-site.ts';
export { createKeyPairSource, keyIdOf, makeKeyPair } from './key-pairs.ts';
export type { CallKind, ConnectorLimits } from './limits.ts';
export { DEFAULT_SCHEME, type SignatureScheme } from './signing.ts';
export { createCircuitBreaker, type CircuitBreaker } from './breaker.ts';
export type { ScheduledCall } from './queued-call.ts';
export { Scheduler, type SchedulerStats } from './scheduler.ts';
