import { MINUTE, SECOND } from '../../shared/clock.ts';
import { maximumOfSetting, SHORTEST_TIMEOUT, type Settings } from '../settings/index.ts';

export type MonitoringSettingsGroup = Settings<'monitoring'>;
export type MonitorType = MonitoringSettingsGroup['svc_uptime_monitoring_type'];
export type MonitorMethod = MonitoringSettingsGroup['svc_uptime_monitoring_method'];

export interface MonitorSettings {
  active: boolean;
  type: MonitorType;
  method: MonitorMethod;
  intervalMinutes: number;
  /** 0 means the longest possible timeout. */
  timeoutSeconds: number;
  confirmation: boolean;
  acceptedStatuses: readonly number[];
  keyword: string;
}

/** Settings of one monitor. Null means that the fleet setting applies. */
export type MonitorOverrides = { [Name in keyof MonitorSettings]: MonitorSettings[Name] | null };

export const noMonitorOverrides = (): MonitorOverrides => ({
  active: null,
  type: null,
  method: null,
  intervalMinutes: null,
  timeoutSeconds: null,
  confirmation: null,
  acceptedStatuses: null,
  keyword: null,
});

export const SETTING_NAMES = Object.keys(noMonitorOverrides()) as (keyof MonitorSettings)[];

export const fleetMonitorSettings = (group: MonitoringSettingsGroup): MonitorSettings => ({
  active: group.svc_uptime_monitoring_active === 1,
  type: group.svc_uptime_monitoring_type,
  method: group.svc_uptime_monitoring_method,
  intervalMinutes: group.svc_uptime_monitoring_interval,
  timeoutSeconds: group.svc_uptime_monitoring_timeout,
  confirmation: group.svc_uptime_monitoring_down_confirmation_check === 1,
  acceptedStatuses: group.svc_uptime_monitoring_up_status_codes,
  keyword: group.svc_uptime_monitoring_keyword,
});

export const effectiveMonitorSettings = (fleet: MonitorSettings, own: MonitorOverrides): MonitorSettings => ({
  active: own.active ?? fleet.active,
  type: own.type ?? fleet.type,
  method: own.method ?? fleet.method,
  intervalMinutes: own.intervalMinutes ?? fleet.intervalMinutes,
  timeoutSeconds: own.timeoutSeconds ?? fleet.timeoutSeconds,
  confirmation: own.confirmation ?? fleet.confirmation,
  acceptedStatuses: own.acceptedStatuses ?? fleet.acceptedStatuses,
  keyword: own.keyword ?? fleet.keyword,
});

const LONGEST_TIMEOUT = maximumOfSetting('monitoring', 'svc_uptime_monitoring_timeout');

export const timeoutMsOf = ({ timeoutSeconds }: Pick<MonitorSettings, 'timeoutSeconds'>): number =>
  (timeoutSeconds === 0 ? LONGEST_TIMEOUT : Math.max(SHORTEST_TIMEOUT, timeoutSeconds)) * SECOND;

/** Returns the timeout of a check. It is limited to the interval, so that a check cannot delay the next one. */
export const checkTimeoutMsOf = (settings: MonitorSettings): number =>
  Math.min(timeoutMsOf(settings), settings.intervalMinutes * MINUTE);

/** Number of slots that an interval is divided into. Every interval in milliseconds is a multiple of this number. */
export const CHECK_SLOTS_PER_INTERVAL = 1000;
/** Has no common factor with `CHECK_SLOTS_PER_INTERVAL`, so that sites with consecutive IDs get slots far apart. */
export const CHECK_SLOT_STRIDE = 919;

/**
 * Returns the time of the next check of a site after a check at `now`. The ID of a site determines its slot in the
 * interval, so the checks of a fleet are spread evenly, whenever the service started. At least half an interval lies
 * between two checks, even after a late one.
 */
export function nextCheckAt(siteId: number, intervalMinutes: number, now: number): number {
  const interval = intervalMinutes * MINUTE;
  const place = (((siteId * CHECK_SLOT_STRIDE) % CHECK_SLOTS_PER_INTERVAL) * interval) / CHECK_SLOTS_PER_INTERVAL;
  const earliest = now + interval / 2;
  return Math.ceil((earliest - place) / interval) * interval + place;
}
