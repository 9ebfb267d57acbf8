import type { Renewal } from './renewal.ts';
import type { SiteCalls } from './site-calls.ts';
import type { SiteLinks } from './site-links.ts';
import type { SiteList } from './site-list-read-model.ts';
import type { SiteRecords } from './site-records-read-model.ts';
import type { SiteReferences } from './site-references-read-model.ts';
import type { SiteService } from './site-service.ts';
import type { SiteTargets } from './site-targets.ts';
import type { SiteJobs } from './site.jobs.ts';
import type { SyncService } from './sync-service.ts';

export interface SitesServices extends SiteJobs {
  sites: SiteService;
  renewal: Renewal;
  references: SiteReferences;
  list: SiteList;
  records: SiteRecords;
  targets: SiteTargets;
  calls: SiteCalls;
  links: SiteLinks;
  sync: SyncService;
}
