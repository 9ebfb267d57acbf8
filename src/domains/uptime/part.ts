import { setTimeout as sleep } from 'node:timers/promises';
import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import { SECOND } from '../../shared/clock.ts';
import type { ChangesServices } from '../changes/index.ts';
import type { MailServices } from '../mail/index.ts';
import type { Settings, SettingsServices } from '../settings/index.ts';
import { isSiteLeased, type SitesServices } from '../sites/index.ts';
import { reachabilityCheckJob } from './reachability-check.job.ts';
import { MonitorCheckRecorder } from './monitor-check-recorder.ts';
import { healthAlertSection } from './health-alert-section.ts';
import { MonitorCheck, type AddressCallLimiter } from './monitor-check.ts';
import { MonitorService } from './monitor-service.ts';
import {
  checkTimeoutMsOf,
  fleetMonitorSettings,
  timeoutMsOf,
  type MonitoringSettingsGroup,
} from './monitor-settings.ts';
import { MonitorWatch } from './monitor-watch.ts';
import { OwnUpdates } from './own-updates.ts';
import { uptimeRetentions } from './retentions.ts';
import { ReachabilityCheck, type ReachabilityRules, type SiteCallLimiter } from './reachability-check.ts';
import { deleteMonitorHistory } from './monitor-history-repository.ts';
import { watchJob } from './monitor-watch.job.ts';
import { watchSchedule } from './monitor-watch.schedule.ts';

interface UptimePartDeps {
  changes: ChangesServices;
  settings: SettingsServices;
  mail: MailServices;
  sites: SitesServices;
}

/** Delay before a failed check is confirmed, so that a short network problem can end. */
const BEFORE_CONFIRMATION = 3 * SECOND;

export function uptimePart(platform: Platform, { changes, settings, mail, sites }: UptimePartDeps) {
  const { outbound, child, deadlines, knex, clock, logger, queue } = platform;
  const group = (): MonitoringSettingsGroup => settings.settings.current('monitoring');
  const fleet = () => fleetMonitorSettings(group());
  const uptime = new ReachabilityCheck({
    outbound,
    links: sites.links,
    limit: createSiteCallLimiter(platform),
    rules: () => toReachabilityRules(group(), deadlines.checkMs),
    onReachable: (siteId) => child.resetBreaker(siteId),
  });
  const check = new MonitorCheck({
    outbound,
    limit: createAddressCallLimiter(platform),
    timeoutMs: (settings) => deadlines.checkMs ?? checkTimeoutMsOf(settings),
    beforeConfirmation: (signal) => sleep(deadlines.confirmAfterMs ?? BEFORE_CONFIRMATION, undefined, { signal }),
  });
  const recorder = new MonitorCheckRecorder({
    knex,
    clock,
    alerts: mail.alerts,
    isUpdating: (siteId) => isSiteLeased(knex, clock, siteId, 'update'),
  });
  const common = { knex, clock, links: sites.links, check, recorder, fleet };
  const monitors = new MonitorService({ ...common, changeLog: changes.changeLog });
  const watch = new MonitorWatch({
    ...common,
    logger,
    refreshRules: platform.refreshCallSettings,
    maxConcurrent: () => concurrencyLimit(settings.settings.current('advanced')),
  });
  const [checkSite, checkMonitors] = [reachabilityCheckJob(uptime), watchJob(watch)];
  return definePart({
    name: 'uptime',
    deletionCounts: [
      { of: 'site', effect: 'monitors', table: 'monitors', column: 'site_id' },
      { of: 'site', effect: 'incidents', table: 'incidents', column: 'site_id' },
      { of: 'site', effect: 'uptime_days', table: 'monitor_days', column: 'site_id' },
    ],
    own: { uptime, monitors, ownUpdates: new OwnUpdates(knex, clock), checkSite, checkMonitors },
    jobs: [checkSite, checkMonitors],
    sections: [healthAlertSection(mail.alerts, clock, group)],
    schedules: [watchSchedule(watch, queue, checkMonitors)],
    onSiteDeleted: [deleteMonitorHistory],
    retentions: uptimeRetentions(knex, clock, () => group().svc_uptime_monitoring_retention_days),
    start: ({ alone }) => (alone ? watch.releaseStaleLeases() : Promise.resolve()),
    drain: () => watch.stop(),
    stop: () => watch.end(),
  });
}

const concurrencyLimit = (limits: Settings<'advanced'>): number =>
  Math.min(limits.svc_maximum_requests, limits.svc_maximum_uptime_monitoring_requests);

const toReachabilityRules = (group: MonitoringSettingsGroup, deadlineMs: number | undefined): ReachabilityRules => {
  const { method, acceptedStatuses, ...timeout } = fleetMonitorSettings(group);
  return { method, acceptedStatuses, deadlineMs: deadlineMs ?? timeoutMsOf(timeout) };
};

function createAddressCallLimiter({
  child: { scheduler },
  refreshCallSettings: lookAtRules,
}: Platform): AddressCallLimiter {
  return async (ipKey, run, signal) => {
    await lookAtRules();
    return scheduler.schedule({ siteId: null, ipKey, kind: 'check', run, ...(signal && { signal }) });
  };
}

function createSiteCallLimiter(platform: Platform): SiteCallLimiter {
  const limit = createAddressCallLimiter(platform);
  return async (site, work, signal) => {
    // If the host name cannot be resolved, `work` runs without a limit, because `work` itself reports the failed
    // resolution.
    const ipKey = await platform.outbound.resolve(site.url).then(
      ({ address }) => address,
      () => null,
    );
    return ipKey === null ? work() : limit(ipKey, work, signal);
  };
}

export type UptimeServices = OwnOf<typeof uptimePart>;
