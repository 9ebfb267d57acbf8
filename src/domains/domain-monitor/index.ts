export { parseDomainCheckJobResult, type DomainCheckJobResult } from './check-domains.job.ts';
export { toUnicodeDomain } from './domain-name.ts';
export type { SiteDomainCheckResult } from './domain-monitor.ts';
export type { DomainState } from './domain-state.ts';
export type { ManualPatch } from './manual-entry.ts';
export type { DomainProfile } from './domain-profile.ts';
export type { ProfileFilter } from './profile-read-model.ts';
export { parseBootstrapLoadResult } from './rdap-servers.job.ts';
export type { DomainMonitorServices } from './part.ts';
