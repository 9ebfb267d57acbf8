import type { DeletionCount } from '../../shared/deletion-effects.ts';
import type { ChildPlugin } from '../../connector/child-site.ts';
import { definePart, type ReportHook, type SiteDeletedHook, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import { CallLeases } from './call-leases.ts';
import { ChildChanges } from './child-changes.ts';
import { coreSection } from './core-section.ts';
import { ChildKeyRegistration } from './child-key-registration.ts';
import type { ChangeRecorder } from './ports.ts';
import { Reconnection } from './reconnection.ts';
import { Registration } from './registration.ts';
import { KeyRenewal } from './key-renewal.ts';
import { SecondAddress } from './second-address.ts';
import { SiteCalls } from './site-calls.ts';
import { SiteLeases } from './site-leases.ts';
import { ChildLinkResolver } from './child-link-resolver.ts';
import { SiteList } from './site-list-read-model.ts';
import { SiteRecords } from './site-records-read-model.ts';
import { SiteReferences } from './site-references-read-model.ts';
import { SiteService } from './site-service.ts';
import { SiteTargetSelector } from './site-target-selector.ts';
import { siteJobs } from './site.jobs.ts';
import type { SslProbe, ReportedLogStore, SyncSection } from './sync-section.ts';
import type { EnabledSections } from './enabled-sections.ts';
import { SyncService } from './sync-service.ts';

/** Dependencies from other parts. The container supplies them, because those parts import this one. */
export interface SitesDeps {
  sections: () => readonly SyncSection[];
  onReport: () => readonly ReportHook[];
  onSiteDeleted: () => readonly SiteDeletedHook[];
  deletionCounts: () => readonly DeletionCount[];
  changes: ChangeRecorder;
  log: ReportedLogStore;
  probeSsl: SslProbe;
  verifyByDefault: () => boolean;
  abandonedAfterDays: () => number;
  wantedSections: () => EnabledSections;
  countsTranslations: () => boolean;
  backupMethodOf: (plugins: readonly ChildPlugin[]) => string | null;
  likeliestBackupMethod: string;
}

export function sitesPart(platform: Platform, brought: SitesDeps) {
  const { knex, sealing, clock, logger, child, keyPairs, config } = platform;
  const {
    sections,
    onReport,
    onSiteDeleted,
    deletionCounts,
    changes,
    log,
    probeSsl,
    verifyByDefault,
    abandonedAfterDays,
    wantedSections,
    countsTranslations,
    backupMethodOf,
    likeliestBackupMethod,
  } = brought;
  const server = (): string => `${config.publicUrl}/wp-admin/`;

  const callLeases = new CallLeases({ knex, clock, leaseMs: config.leaseMs });
  const links = new ChildLinkResolver({
    knex,
    sealing,
    child,
    clock,
    leases: callLeases,
    verifyByDefault,
    lookAtRules: platform.refreshCallSettings,
  });
  platform.onEndpointFound((siteId, endpoint) => void links.storeEndpoint(siteId, endpoint, logger));
  const wanted = wantedSections;
  const sync = new SyncService({
    knex,
    clock,
    logger,
    child,
    sections,
    onReport,
    log,
    probeSsl,
    abandonedAfterDays,
    wanted,
    backupMethodOf,
    likeliestBackupMethod,
  });
  const calls = new SiteCalls({ knex, clock, links, changes });
  const exchange = new ChildKeyRegistration({ knex, clock, child, keyPairs, links, sync, changes });
  const registrationLeases = new SiteLeases({ knex, clock, purpose: 'register', leaseMs: config.leaseMs });
  const secondAddress = new SecondAddress({ knex, clock, child, links, sync, changes });
  const registration = new Registration({
    knex,
    clock,
    child,
    links,
    exchange,
    secondAddress,
    registrationLeases,
    server,
  });
  const reconnection = new Reconnection({
    knex,
    clock,
    child,
    links,
    exchange,
    changes,
    registrationLeases,
  });
  const references = new SiteReferences(knex);
  const list = new SiteList(knex, countsTranslations);
  const sites = new SiteService({
    knex,
    clock,
    logger,
    child,
    links,
    calls,
    sync,
    registration,
    reconnection,
    registrationLeases,
    callLeases,
    changes,
    onSiteDeleted,
    deletionCounts,
    countsTranslations,
  });
  const jobs = siteJobs(sites, sealing);
  return definePart({
    name: 'sites',
    deletionCounts: [
      { of: 'site', effect: 'plugins', table: 'site_plugins', column: 'site_id' },
      { of: 'site', effect: 'themes', table: 'site_themes', column: 'site_id' },
      { of: 'site', effect: 'tags', table: 'site_tags', column: 'site_id' },
      { of: 'client', effect: 'sites', table: 'sites', column: 'client_id' },
      { of: 'tag', effect: 'sites', table: 'site_tags', column: 'tag_id' },
    ],
    own: {
      sites,
      renewal: new KeyRenewal({ links, exchange, registrationLeases }),
      references,
      list,
      records: new SiteRecords(knex, countsTranslations),
      targets: new SiteTargetSelector(references, list),
      calls,
      childChanges: new ChildChanges({ knex, changes }),
      links,
      sync,
      ...jobs,
    },
    jobs: Object.values(jobs),
    sections: [coreSection],
    start: async ({ alone }) => {
      if (alone) await registrationLeases.expireStale();
    },
  });
}

export type SitesServices = OwnOf<typeof sitesPart>;
