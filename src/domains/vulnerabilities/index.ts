export type { Exposure, SeverityNumbers } from './exposure-read-model.ts';
export type { ExposureFilter, ExposureState } from './exposure-search-read-model.ts';
export { parseFeedRefreshJobResult } from './feed-refresh.job.ts';
export type { VulnerabilitiesServices } from './part.ts';
export type { ExposureSummary } from './vulnerability-reader.ts';
export type { Vulnerability } from './vulnerability-read-model.ts';
export type { ItemType, CopyrightNotice, Severity } from './vulnerability.ts';
export { beginsWithVersion, compareVersions, isKnownVersion, versionPartsOf } from './versions.ts';
export type { VulnerabilityDataCheck } from './vulnerability-data-check.ts';
