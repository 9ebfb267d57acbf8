export type { Exposure, ExposureNumbers, ExposureOrder, SeverityNumbers } from './exposure-read-model.ts';
export type { ExposureFilter, ExposureState } from './exposure-search-read-model.ts';
export { refreshedFeed, type RefreshedFeed } from './refresh.job.ts';
export type { VulnerabilitiesServices } from './services.ts';
export type { ExposureSummary, Vulnerabilities } from './vulnerabilities.ts';
export type { Vulnerability, VulnerabilityOrder } from './vulnerability-read-model.ts';
export type { AffectedItem, ItemType, Notice, Severity } from './vulnerability.ts';
export type { VulnerableItems } from './vulnerable-items.ts';
