export { ClientSitesRepository, type CascadedSite, type MovedSite } from './client-sites-repository.ts';
export { coreSection } from './core-section.ts';
export type { ChangeRecorder } from './ports.ts';
export { Renewal } from './renewal.ts';
export { KeyExchange } from './key-exchange.ts';
export { Reconnection, type ReconnectCredentials } from './reconnection.ts';
export { attempt, judge, lostCause, proveChange, sendChange, type Sent } from './proven-change.ts';
export { Registration, type AddSite, type AddedSite } from './registration.ts';
export {
  healthScore,
  isOlder,
  SITE_STATUSES,
  type BrokenByUpdate,
  type KeyedSite,
  type Site,
  type SiteCounters,
  type SiteDetail,
  type SiteRecord,
  type SiteStatus,
  type SiteTag,
} from './site.ts';
export type { SitesServices } from './services.ts';
export { refuseUnlessConnected, SiteCalls, type CallOptions } from './site-calls.ts';
export { SiteLinks, type WebTarget } from './site-links.ts';
export { SiteList, type SiteFilter } from './site-list-read-model.ts';
export { SiteRecords } from './site-records-read-model.ts';
export { SiteReferences, type ResolvedSite, type ResolvedSites, type SiteRef } from './site-references-read-model.ts';
export { searchSites } from './site-search.ts';
export { SiteRepository, SITE_COLUMNS, toSite, type ListedSiteRow } from './site-repository.ts';
export { SiteService, type DeletePreview, type SitePatch } from './site-service.ts';
export { connectedAmong, fitAmong, SiteTargets } from './site-targets.ts';
export { placedSite, syncedSite, type PlacedSite, type SyncedSite } from './site.jobs.ts';
export type { SiteStatePatch, SslProbe, SyncLog, SyncSection } from './sync-section.ts';
export { LocalSiteLeases } from './local-site-leases.ts';
export { SiteLeases } from './site-leases.ts';
export { SyncService } from './sync-service.ts';
