import { setTimeout as sleep } from 'node:timers/promises';
import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import { SECOND } from '../../shared/clock.ts';
import type { ChangesServices } from '../changes/index.ts';
import type { MailServices } from '../mail/index.ts';
import type { Settings, SettingsServices } from '../settings/index.ts';
import { isSiteLeased, type SitesServices } from '../sites/index.ts';
import { checkJob } from './check.job.ts';
import { CheckRecorder } from './check-recorder.ts';
import { healthSection } from './health-section.ts';
import { MonitorCheck, type AddressLimit } from './monitor-check.ts';
import { MonitorService } from './monitor-service.ts';
import { checkTimeoutMsOf, fleetMonitorSettings, timeoutMsOf, type GroupSettings } from './monitor-settings.ts';
import { MonitorWatch } from './monitor-watch.ts';
import { OwnUpdates } from './own-updates.ts';
import { uptimeRetentions } from './retentions.ts';
import { UptimeCheck, type CheckRules, type SiteLimit } from './uptime-check.ts';
import { watchJob } from './monitor-watch.job.ts';
import { watchSchedule } from './monitor-watch.schedule.ts';

interface Needs {
  changes: ChangesServices;
  settings: SettingsServices;
  mail: MailServices;
  sites: SitesServices;
}

/** Delay before a failed check is confirmed, so that a short network problem can end. */
const BEFORE_CONFIRMATION = 3 * SECOND;

export function uptimePart(platform: Platform, { changes, settings, mail, sites }: Needs) {
  const { outbound, child, deadlines, knex, clock, logger, queue } = platform;
  const group = (): GroupSettings => settings.settings.current('monitoring');
  const fleet = () => fleetMonitorSettings(group());
  const uptime = new UptimeCheck({
    outbound,
    links: sites.links,
    limit: checkLimit(platform),
    rules: () => rulesIn(group(), deadlines.checkMs),
    onReachable: (siteId) => child.resetBreaker(siteId),
  });
  const check = new MonitorCheck({
    outbound,
    limit: addressLimit(platform),
    timeoutMs: (settings) => deadlines.checkMs ?? checkTimeoutMsOf(settings),
    beforeConfirmation: (signal) => sleep(deadlines.confirmAfterMs ?? BEFORE_CONFIRMATION, undefined, { signal }),
  });
  const recorder = new CheckRecorder({
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
  const [checkSite, checkMonitors] = [checkJob(uptime), watchJob(watch)];
  return definePart({
    name: 'uptime',
    own: { uptime, monitors, ownUpdates: new OwnUpdates(knex, clock), checkSite, checkMonitors },
    jobs: [checkSite, checkMonitors],
    sections: [healthSection(mail.alerts, clock, group)],
    schedules: [watchSchedule(watch, queue, checkMonitors)],
    retentions: uptimeRetentions(knex, clock, () => group().svc_uptime_monitoring_retention_days),
    start: ({ alone }) => (alone ? watch.releaseStaleLeases() : Promise.resolve()),
    drain: () => watch.stop(),
    stop: () => watch.end(),
  });
}

const concurrencyLimit = (limits: Settings<'advanced'>): number =>
  Math.min(limits.svc_maximum_requests, limits.svc_maximum_uptime_monitoring_requests);

const rulesIn = (group: GroupSettings, deadlineMs: number | undefined): CheckRules => {
  const { method, acceptedStatuses, ...timeout } = fleetMonitorSettings(group);
  return { method, acceptedStatuses, deadlineMs: deadlineMs ?? timeoutMsOf(timeout) };
};

function addressLimit({ child: { scheduler }, refreshCallSettings: lookAtRules }: Platform): AddressLimit {
  return async (ipKey, run, signal) => {
    await lookAtRules();
    return scheduler.schedule({ siteId: null, ipKey, kind: 'check', run, ...(signal && { signal }) });
  };
}

function checkLimit(platform: Platform): SiteLimit {
  const limit = addressLimit(platform);
  return async (site, work, signal) => {
    // If the name cannot be resolved, the check itself reports that.
    const ipKey = await platform.outbound.resolve(site.url).then(
      ({ address }) => address,
      () => null,
    );
    return ipKey === null ? work() : limit(ipKey, work, signal);
  };
}

export type UptimeServices = OwnOf<typeof uptimePart>;
