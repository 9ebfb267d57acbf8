import { MINUTE, SECOND } from '../../shared/clock.ts';
import { maximumOf, SHORTEST_TIMEOUT, type Settings } from '../settings/index.ts';

export type GroupSettings = Settings<'monitoring'>;
export type MonitorType = GroupSettings['svc_uptime_monitoring_type'];
export type MonitorMethod = GroupSettings['svc_uptime_monitoring_method'];

/** How a monitor checks its site. */
export interface MonitorSettings {
  active: boolean;
  type: MonitorType;
  method: MonitorMethod;
  intervalMinutes: number;
  /** 0 for as long as the longest. */
  timeoutSeconds: number;
  /** Whether a lost check is made once more at once. */
  confirmation: boolean;
  acceptedStatuses: readonly number[];
  keyword: string;
}

/** Settings of one monitor; null follows those of the fleet. */
export type OwnSettings = { [Name in keyof MonitorSettings]: MonitorSettings[Name] | null };

export const noOwnSettings = (): OwnSettings => ({
  active: null,
  type: null,
  method: null,
  intervalMinutes: null,
  timeoutSeconds: null,
  confirmation: null,
  acceptedStatuses: null,
  keyword: null,
});

export const SETTING_NAMES = Object.keys(noOwnSettings()) as (keyof MonitorSettings)[];

export const fleetSettings = (group: GroupSettings): MonitorSettings => ({
  active: group.svc_uptime_monitoring_active === 1,
  type: group.svc_uptime_monitoring_type,
  method: group.svc_uptime_monitoring_method,
  intervalMinutes: group.svc_uptime_monitoring_interval,
  timeoutSeconds: group.svc_uptime_monitoring_timeout,
  confirmation: group.svc_uptime_monitoring_down_confirmation_check === 1,
  acceptedStatuses: group.svc_uptime_monitoring_up_status_codes,
  keyword: group.svc_uptime_monitoring_keyword,
});

/** The settings in force. */
export const settingsOf = (fleet: MonitorSettings, own: OwnSettings): MonitorSettings => ({
  active: own.active ?? fleet.active,
  type: own.type ?? fleet.type,
  method: own.method ?? fleet.method,
  intervalMinutes: own.intervalMinutes ?? fleet.intervalMinutes,
  timeoutSeconds: own.timeoutSeconds ?? fleet.timeoutSeconds,
  confirmation: own.confirmation ?? fleet.confirmation,
  acceptedStatuses: own.acceptedStatuses ?? fleet.acceptedStatuses,
  keyword: own.keyword ?? fleet.keyword,
});

const LONGEST_TIMEOUT = maximumOf('monitoring', 'svc_uptime_monitoring_timeout');

/** How long a site may take to answer. */
export const timeoutMsOf = ({ timeoutSeconds }: Pick<MonitorSettings, 'timeoutSeconds'>): number =>
  (timeoutSeconds === 0 ? LONGEST_TIMEOUT : Math.max(SHORTEST_TIMEOUT, timeoutSeconds)) * SECOND;

/** A check that outlasts the pause between two would stand in the way of the next one. */
export const checkTimeoutMsOf = (settings: MonitorSettings): number =>
  Math.min(timeoutMsOf(settings), settings.intervalMinutes * MINUTE);

/** Steps that the sites of a fleet are spread over; the intervals are whole multiples of it in milliseconds. */
export const STEPS = 1000;
/** Has no factor in common with the steps, so that IDs in a row lie far apart. */
export const STRIDE = 919;

/**
 * When a monitor that was checked at `now` is next: each has its own place in the interval, so that the checks of a
 * fleet are spread evenly whenever the service began. A check that came late is not followed by one that comes soon.
 */
export function nextCheckAt(siteId: number, intervalMinutes: number, now: number): number {
  const interval = intervalMinutes * MINUTE;
  const place = (((siteId * STRIDE) % STEPS) * interval) / STEPS;
  const earliest = now + interval / 2;
  return Math.ceil((earliest - place) / interval) * interval + place;
}
