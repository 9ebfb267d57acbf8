export {
  ClientSitesRepository,
  type ClientSitesInScope,
  type SiteStatusChange,
  type SiteClientChange,
} from './client-sites-repository.ts';
export {
  clientsInScope,
  clientsWhollyInScope,
  countSitesOutside,
  whereShownClientInScope,
} from './clients-in-scope-read-model.ts';
export { coreSection } from './core-section.ts';
export type { ChangeRecorder } from './ports.ts';
export type { ReconnectCredentials } from './reconnection.ts';
export {
  attemptCall,
  judgeChange,
  changeErrorOf,
  conclusiveError,
  sendChange,
  type CallAttempt,
  type VerifiedChange,
} from './verified-change.ts';
export {
  ChildChanges,
  changeDone,
  changeFailed,
  type ChangeContext,
  type Judgement,
  type ProvenChange,
} from './child-changes.ts';
export type { AddSiteInput } from './registration.ts';
export {
  healthScore,
  isOlderVersion,
  refuseOutdatedChild,
  type BrokenByUpdate,
  type GuardLeft,
  type SiteWithUrlKey,
  type Site,
  type SiteDetail,
  type SiteRecord,
  type SiteStatus,
} from './site.ts';
export type { SitesServices } from './part.ts';
export { refuseUnlessConnected } from './site-admission.ts';
export { SiteCalls, type CallOptions, type SiteCall } from './site-calls.ts';
export { ChildLinkResolver, type WebTarget } from './child-link-resolver.ts';
export { SiteList, type SiteFilter, type SiteOrder } from './site-list-read-model.ts';
export { SiteRecords } from './site-records-read-model.ts';
export { SiteReferences, type ResolvedSite, type ResolvedSites, type SiteRef } from './site-references-read-model.ts';
export { isNamedByEach, namedByEach, outsideError, refuseSitesOutside } from './site-assignments-read-model.ts';
export { isInScope, whereInScope } from './site-scope-read-model.ts';
export { readSiteNames } from './site-names-read-model.ts';
export { whereSiteMatches } from './site-search.ts';
export { SiteRepository, SITE_COLUMNS, toSite, type ListedSiteRow } from './site-repository.ts';
export { countDeletionEffects } from './deletion-effects-read-model.ts';
export type { SitePatch } from './site-service.ts';
export { keepConnectedSites, keepCallableSites, SiteTargetSelector } from './site-target-selector.ts';
export { parseSiteJobResult, parseSyncJobResult, type SiteJobResult } from './site.jobs.ts';
export {
  writeColumns,
  type ReportedLog,
  type ReportedLogStore,
  type SiteStatePatch,
  type SslProbe,
  type SyncSection,
} from './sync-section.ts';
export { KeyedMutex } from './keyed-mutex.ts';
export { CallLeases } from './call-leases.ts';
export { isSiteLeased } from './site-lease-store.ts';
export { SiteLeases } from './site-leases.ts';
export { SyncService, type SyncDeps } from './sync-service.ts';
