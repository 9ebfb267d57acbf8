import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import { MINUTE } from '../../shared/clock.ts';
import type { ChangesServices } from '../changes/index.ts';
import type { MailServices } from '../mail/index.ts';
import type { ModulesServices } from '../modules/index.ts';
import type { SettingsServices } from '../settings/index.ts';
import { ExposureAlerts } from './exposure-alerts.ts';
import { FeedRefresh } from './feed-refresh.ts';
import { FixFinder } from './fix-finder.ts';
import { FeedFetcher } from './feeds/feed-fetcher.ts';
import { installedSoftwareSection } from './installed-software-section.ts';
import { ExposureMatcher } from './exposure-matcher.ts';
import { FeedRefreshJob } from './feed-refresh.job.ts';
import { vulnerabilityRetentions } from './retentions.ts';
import { VulnerabilityReader } from './vulnerability-reader.ts';
import { VulnerabilityDataCheck } from './vulnerability-data-check.ts';

interface VulnerabilitiesPartDeps {
  changes: ChangesServices;
  mail: MailServices;
  modules: ModulesServices;
  settings: SettingsServices;
}

const MODULE = 'vulnerabilities';
/** Timeout for a whole feed of several hundred megabytes. */
const FEED_DEADLINE = 20 * MINUTE;
const MEGABYTE = 1024 * 1024;

export function vulnerabilitiesPart(
  { knex, clock, queue, outbound, config, deadlines }: Platform,
  { changes: { changeLog }, mail, modules: { modules }, settings: { settings } }: VulnerabilitiesPartDeps,
) {
  const fetching = new FeedFetcher({
    outbound,
    folder: config.feedDir,
    deadlineMs: deadlines.feedMs ?? FEED_DEADLINE,
    maxBytes: () => settings.current('vulnerabilities').max_feed_megabytes * MEGABYTE,
    wordfenceKey: () => settings.secret('vulnerabilities', 'wordfence_api_key'),
  });
  const matching = new ExposureMatcher({ knex, clock, changeLog, alerts: new ExposureAlerts(mail.alerts, settings) });
  const refresh = new FeedRefreshJob({
    knex,
    clock,
    queue,
    settings,
    matching,
    modules,
    refresh: new FeedRefresh({ knex, clock, fetcher: fetching }),
  });
  return definePart({
    name: 'vulnerabilities',
    deletionCounts: [{ of: 'site', effect: 'vulnerabilities', table: 'exposures', column: 'site_id' }],
    own: {
      vulnerabilities: new VulnerabilityReader({ knex, clock, settings }),
      vulnerableItems: new VulnerabilityDataCheck(modules, settings),
      fixFinder: new FixFinder(knex),
    },
    jobs: [refresh.job],
    sections: [installedSoftwareSection({ matching, isActive: (trx) => modules.isActiveWithin(trx, MODULE) })],
    schedules: [refresh.schedule],
    retentions: vulnerabilityRetentions(knex, clock),
  });
}

export type VulnerabilitiesServices = OwnOf<typeof vulnerabilitiesPart>;
