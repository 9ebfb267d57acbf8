import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ChangesServices } from '../changes/index.ts';
import type { MailServices } from '../mail/index.ts';
import { dailyTimingAt } from '../schedules/index.ts';
import type { SettingsServices } from '../settings/index.ts';
import { checkDomainsJob } from './check-domains.job.ts';
import { checkDomainsSchedule } from './check-domains.schedule.ts';
import { DomainChecks } from './domain-checks.ts';
import { DomainLookup } from './domain-lookup.ts';
import { DomainMonitor } from './domain-monitor.ts';
import { DomainAlerts } from './domain-alerts.ts';
import { DomainRecorder } from './domain-recorder.ts';
import { DomainRepository } from './domain-repository.ts';
import {
  oldestFreshAnswer,
  automaticCheckTiming,
  type DomainMonitoringSettings,
} from './domain-monitoring-settings.ts';
import { RdapDirectory } from './rdap-directory.ts';
import { loadServersJob, loadServersSchedule } from './rdap-servers.job.ts';
import { RegistryRateLimiter } from './registry-rate-limiter.ts';
import { WhoisDirectory } from './whois-directory.ts';

interface DomainMonitorPartDeps {
  changes: ChangesServices;
  settings: SettingsServices;
  mail: MailServices;
}

export function domainMonitorPart(
  { knex, clock, logger, queue, outbound, deadlines }: Platform,
  { changes: { changeLog }, settings: { settings }, mail: { alerts } }: DomainMonitorPartDeps,
) {
  const group = (): DomainMonitoringSettings => settings.current('domain-monitor');
  const general = () => settings.current('general');
  const timing = () => automaticCheckTiming(group(), general());
  const common = { knex, clock, outbound };
  const rdap = new RdapDirectory({ ...common, logger, url: () => group().rdap_bootstrap_url });
  const whois = new WhoisDirectory({
    ...common,
    servers: () => group().whois_servers,
    root: () => group().whois_root,
  });
  const gate = new RegistryRateLimiter({ knex, clock, spacing: () => group().lookup_spacing });
  const lookup = new DomainLookup({ outbound, clock, rdap, whois, rateLimiter: gate, deadlineMs: deadlines.lookupMs });
  const domainAlerts = new DomainAlerts({ clock, alerts, thresholdDays: () => group().threshold_days });
  const recorder = new DomainRecorder({ knex, clock, changeLog, alerts: domainAlerts });
  const checks = new DomainChecks({
    knex,
    clock,
    lookup,
    recorder,
    alerts: domainAlerts,
    deadlineMs: deadlines.lookupMs,
  });
  const [kind, loadServers] = [checkDomainsJob({ knex, checks, alerts: domainAlerts }), loadServersJob(rdap)];
  return definePart({
    name: 'domain-monitor',
    deletionCounts: [{ of: 'site', effect: 'monitors', table: 'site_domains', column: 'site_id' }],
    own: {
      domains: new DomainMonitor({ knex, clock, checks, alerts: domainAlerts, changeLog, settings: group, timing }),
    },
    jobs: [kind, loadServers],
    schedules: [
      checkDomainsSchedule({ queue, kind, timing, answeredBefore: (now) => oldestFreshAnswer(group(), now) }),
      loadServersSchedule(queue, loadServers, () => dailyTimingAt('2:50', general())),
    ],
    retentions: [{ name: 'domains', prune: () => new DomainRepository(knex).prune() }],
    start: ({ alone }) => (alone ? checks.releaseStaleLeases() : Promise.resolve()),
  });
}

export type DomainMonitorServices = OwnOf<typeof domainMonitorPart>;
