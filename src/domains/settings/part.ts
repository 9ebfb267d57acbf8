import { definePart, type OwnOf } from '../../platform/part.ts';
import type { SiteCallSettings, Platform } from '../../platform/platform.ts';
import type { ChangesServices } from '../changes/index.ts';
import { Formats } from './formats.ts';
import type { Settings } from './settings-registry.ts';
import { SettingsService } from './settings-service.ts';

export function settingsPart(
  { database, clock, sealing, setCallSettingsSource: ruleCalls }: Platform,
  { changes }: { changes: ChangesServices },
) {
  const settings = new SettingsService({ database, clock, sealing, changeLog: changes.changeLog });
  // If the database is unavailable, the last known settings stay in use.
  const look = (revision?: number) => settings.refresh(revision).then(ignoreResult, ignoreResult);
  ruleCalls(() => toCallSettings(settings.current('advanced')), look);
  return definePart({
    name: 'settings',
    own: { settings, formats: new Formats((group) => settings.current(group)) },
    start: () => settings.start(),
    stop: () => settings.stop(),
  });
}

const ignoreResult = (): void => undefined;

function toCallSettings(settings: Settings<'advanced'>): SiteCallSettings {
  return {
    limits: {
      maximumRequests: settings.svc_maximum_requests,
      minimumDelayMs: settings.svc_minimum_delay,
      maximumIpRequests: settings.svc_maximum_ip_requests,
      minimumIpDelayMs: settings.svc_minimum_ip_delay,
      maximumSyncRequests: settings.svc_maximum_sync_requests,
      maximumInstallUpdateRequests: settings.svc_maximum_install_update_requests,
      maximumUptimeMonitoringRequests: settings.svc_maximum_uptime_monitoring_requests,
    },
    signature: {
      method: settings.svc_verify_connection_method === 2 ? 'library' : 'openssl',
      digest: settings.svc_connect_signature_algo,
    },
    ipv4Only: settings.svc_force_use_ipv4 === 1,
  };
}

export type SettingsServices = OwnOf<typeof settingsPart>;
