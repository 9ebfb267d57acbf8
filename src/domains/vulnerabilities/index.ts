export type { Exposure, SeverityNumbers } from './exposure-read-model.ts';
export type { ExposureFilter, ExposureState } from './exposure-search-read-model.ts';
export { refreshedFeed } from './refresh.job.ts';
export type { VulnerabilitiesServices } from './part.ts';
export type { ExposureSummary } from './vulnerabilities.ts';
export type { Vulnerability } from './vulnerability-read-model.ts';
export type { ItemType, Notice, Severity } from './vulnerability.ts';
export type { VulnerableItems } from './vulnerable-items.ts';
