export type { Exposure, SeverityNumbers } from './exposure-read-model.ts';
export type { ExposureFilter, ExposureState } from './exposure-search-read-model.ts';
export { parseFeedRefreshJobResult } from './feed-refresh.job.ts';
export type { VulnerabilitiesServices } from './part.ts';
export type { ExposureSummary } from './vulnerability-reader.ts';
export type { Vulnerability } from './vulnerability-read-model.ts';
export {
  severityOfRank,
  severityRankOf,
  slugInFeeds,
  type ItemType,
  type CopyrightNotice,
  type Severity,
} from './vulnerability.ts';
export type { FixFinder, KnownFix } from './fix-finder.ts';
export { beginsWithVersion, compareVersions, isKnownVersion, versionPartsOf } from './versions.ts';
export { FixedVersionsReadModel, type FixableExposure } from './fixed-versions-read-model.ts';
export { FixOfferRepository } from './fix-offer-repository.ts';
export type { VulnerabilityDataCheck } from './vulnerability-data-check.ts';
