import { type SiteScope } from '../../../shared/site-scope.ts';
import type { components } from '../../../../generated/v2.ts';
import type { SettingsPatch } from '../../../domains/settings/index.ts';
import type { BeatFilter, CheckedState, MonitorFilter, MonitorOverrides } from '../../../domains/uptime/index.ts';
import { heartbeatFilterForLastDays } from '../../../domains/uptime/index.ts';
import { parseIsoTime } from '../../../shared/calendar.ts';
import { DAY, MINUTE } from '../../../shared/clock.ts';
import { throwFieldError } from '../../../shared/field-errors.ts';
import type { PageRequest } from '../../../shared/paging.ts';
import { splitList } from '../../../shared/text.ts';
import { dropEmptyFilters, undefinedIfAny } from '../query-helpers.ts';
import { MONITOR_FIELD_NAMES } from './monitor-view.ts';

type Schemas = components['schemas'];

const MAX_PER_PAGE = 200;

export const monitorPageRequestOf = (query: { page: number; per_page: number; limit?: number }): PageRequest => ({
  page: query.page,
  perPage: Math.min(query.limit ?? query.per_page, MAX_PER_PAGE),
});

interface MonitorsQuery {
  status: NonNullable<MonitorFilter['status']> | 'any';
  search?: string;
  include?: number[];
  exclude?: number[];
}

export const monitorFilterOf = (
  scope: SiteScope,
  { status, search, include, exclude }: MonitorsQuery,
): MonitorFilter => ({ scope, ...dropEmptyFilters({ status: undefinedIfAny(status), search, include, exclude }) });

interface HeartbeatsQuery {
  period: string;
  since?: string;
  status: CheckedState | 'any' | '0' | '1' | '2';
}

const STATES_BY_NUMBER: Readonly<Record<string, CheckedState>> = { 0: 'down', 1: 'up', 2: 'pending' };

const DAYS_BY_PERIOD: Readonly<Record<string, number>> = { '24h': 1, '7d': 7, '30d': 30 };
const MAX_DAYS = 366;

export function heartbeatFilterOf({ period, since, status }: HeartbeatsQuery, now: number): BeatFilter {
  const { from, to } = parsePeriod(period, now);
  const state = STATES_BY_NUMBER[status] ?? undefinedIfAny(status as CheckedState | 'any');
  const earliest = since === undefined ? from : Math.max(from, parseTime('since', since));
  return { from: earliest, to, ...(state && { state }) };
}

function parsePeriod(period: string, now: number): { from: number; to: number } {
  const days = DAYS_BY_PERIOD[period];
  // Checks in the same second are stored with consecutive seconds, so the newest can be slightly in the future.
  if (days !== undefined) return heartbeatFilterForLastDays(days, now + MINUTE);
  const [from = 0, to = 0] = period.split('/').map((text) => parseTime('period', text));
  if (to - from > MAX_DAYS * DAY) throwFieldError('period', `must be at most ${MAX_DAYS} days`);
  return { from, to };
}

const parseTime = (field: string, text: string): number =>
  parseIsoTime(text) ?? throwFieldError(field, 'must be a time in ISO 8601');

export const fieldNames = {
  ...MONITOR_FIELD_NAMES,
  svc_uptime_monitoring_timeout: 'timeout',
  svc_uptime_monitoring_keyword: 'keyword',
} as const;

const parseExpectedStatuses = (value: readonly number[] | string): number[] =>
  typeof value === 'string' ? splitList(value).map(Number) : [...value];

const isGlobalValue = (value: unknown): value is 'useglobal' | null => value === null || value === 'useglobal';

export function monitorOverridesOf(body: Schemas['MonitorEdit']): Partial<MonitorOverrides> {
  const { active, interval, timeout, maxretries, type, method, expected_status: statuses, keyword } = body;
  const own = <V, T>(value: V | 'useglobal' | null | undefined, of: (value: V) => T): T | null | undefined =>
    value === undefined ? undefined : isGlobalValue(value) ? null : of(value);
  const same = <T>(value: T): T => value;
  const settings = {
    active: own(active, (flag: boolean | number | string) => Number(flag) === 1),
    intervalMinutes: own(interval, same<number>),
    timeoutSeconds: own(timeout, same<number>),
    confirmation: maxretries === -1 ? null : own(maxretries, (count: number) => count === 1),
    type: own(type, same<NonNullable<MonitorOverrides['type']>>),
    method: own(method, same<NonNullable<MonitorOverrides['method']>>),
    acceptedStatuses: own(statuses, parseExpectedStatuses),
    keyword: own(keyword, same<string>),
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

export function fleetSettingsPatchOf(body: Schemas['FleetMonitorEdit']): SettingsPatch<'monitoring'> {
  const { active, interval, timeout, maxretries, type, method, expected_status: statuses, keyword } = body;
  const patch = {
    svc_uptime_monitoring_active: active == null ? active : Number(active) === 1 ? 1 : 0,
    svc_uptime_monitoring_interval: interval,
    svc_uptime_monitoring_timeout: timeout,
    svc_uptime_monitoring_down_confirmation_check: maxretries === -1 ? null : maxretries,
    svc_uptime_monitoring_type: type,
    svc_uptime_monitoring_method: method,
    svc_uptime_monitoring_up_status_codes: statuses == null ? statuses : parseExpectedStatuses(statuses),
    svc_uptime_monitoring_keyword: keyword,
  };
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
}
