import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import { DAY } from '../../shared/clock.ts';
import type { ChangesServices } from '../changes/index.ts';
import type { MailServices } from '../mail/index.ts';
import type { ModulesServices } from '../modules/index.ts';
import { nextRun } from '../schedules/index.ts';
import type { SettingsServices } from '../settings/index.ts';
import type { SitesServices } from '../sites/index.ts';
import { CertificateRepository } from './certificate-repository.ts';
import { SslCheckRecorder } from './ssl-check-recorder.ts';
import { SslCheck, type SslCheckLimiter } from './ssl-check.ts';
import { sslCheckJob } from './ssl-check.job.ts';
import { sslSchedule, sslTiming } from './ssl-checks.schedule.ts';
import { SslMonitorService } from './ssl-monitor-service.ts';

interface SslMonitorPartDeps {
  changes: ChangesServices;
  mail: MailServices;
  modules: ModulesServices;
  settings: SettingsServices;
  sites: SitesServices;
}

const PRUNED_A_TIME = 200;

export function sslMonitorPart(
  { knex, clock, queue, outbound, deadlines, child: { scheduler } }: Platform,
  { changes: { changeLog }, mail: { alerts }, modules: { modules }, settings: { settings }, sites }: SslMonitorPartDeps,
) {
  const group = () => settings.current('ssl-monitor');
  const general = () => settings.current('general');
  const thresholdDays = () => group().notify_threshold_days;
  // Checks share the rate limits of all other calls to an address.
  const limit: SslCheckLimiter = (ipKey, run, signal) =>
    scheduler.schedule({ siteId: null, ipKey, kind: 'check', run, ...(signal && { signal }) });
  const service = new SslMonitorService({
    knex,
    clock,
    changeLog,
    sites: sites.list,
    check: new SslCheck({ outbound, limit, deadlineMs: deadlines.checkMs }),
    recorder: new SslCheckRecorder({ knex, clock, alerts, changeLog, thresholdDays }),
    thresholdDays,
    nextRunAt: () => {
      const timing = sslTiming({ settings: group, general });
      return timing && nextRun(timing, clock.now());
    },
  });
  const checkCertificates = modules.whileActive('ssl-monitor', sslCheckJob(service, clock));
  const certificates = new CertificateRepository(knex);
  return definePart({
    name: 'ssl-monitor',
    deletionCounts: [
      { of: 'site', effect: 'monitors', table: 'ssl_monitors', column: 'site_id' },
      { of: 'site', effect: 'certificates', table: 'ssl_certificates', column: 'site_id' },
    ],
    own: { sslMonitor: service, checkCertificates },
    jobs: [checkCertificates],
    schedules: [sslSchedule({ list: sites.list, queue, kind: checkCertificates, settings: group, general })],
    retentions: [
      {
        name: 'certificates',
        prune: () => certificates.prune(clock.now() - group().history_retention_days * DAY, PRUNED_A_TIME),
      },
    ],
  });
}

export type SslMonitorServices = OwnOf<typeof sslMonitorPart>;
