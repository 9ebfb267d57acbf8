import { part } from '../../part.ts';
import type { Platform } from '../../platform.ts';
import type { ChangesServices } from '../changes/index.ts';
import { Formats } from './formats.ts';
import type { Settings } from './registry.ts';
import { SettingsService } from './settings-service.ts';

/** How the service works; each process sees what another one changed. */
export function settingsPart(
  { database, clock, sealing, limitCalls }: Platform,
  { changes }: { changes: ChangesServices },
) {
  const settings = new SettingsService({ database, clock, sealing, changeLog: changes.changeLog });
  limitCalls(() => limitsIn(settings.current('advanced')));
  return part({
    name: 'settings',
    own: { settings, formats: new Formats((group) => settings.current(group)) },
    start: () => settings.start(),
    stop: () => settings.stop(),
  });
}

function limitsIn(settings: Settings<'advanced'>) {
  return {
    maximumRequests: settings.svc_maximum_requests,
    minimumDelayMs: settings.svc_minimum_delay,
    maximumIpRequests: settings.svc_maximum_ip_requests,
    minimumIpDelayMs: settings.svc_minimum_ip_delay,
    maximumSyncRequests: settings.svc_maximum_sync_requests,
    maximumInstallUpdateRequests: settings.svc_maximum_install_update_requests,
    maximumUptimeMonitoringRequests: settings.svc_maximum_uptime_monitoring_requests,
  };
}
