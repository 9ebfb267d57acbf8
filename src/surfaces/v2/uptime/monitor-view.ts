import type { components } from '../../../../generated/v2.ts';
import {
  decisiveAttempt,
  isUp,
  describeAttempt,
  SETTING_NAMES,
  describeHeartbeat,
  type CheckAttempt,
  type CheckedState,
  type MonitorWithFigures,
  type Heartbeat,
  type HourFigures,
  type Incident,
  type MonitorRecord,
  type MonitorSettings,
} from '../../../domains/uptime/index.ts';
import { SECOND, toIso } from '../../../shared/clock.ts';

type Schemas = components['schemas'];

export const MONITOR_FIELD_NAMES = {
  active: 'active',
  type: 'type',
  method: 'method',
  intervalMinutes: 'interval',
  timeoutSeconds: 'timeout',
  confirmation: 'maxretries',
  acceptedStatuses: 'expected_status',
  keyword: 'keyword',
} as const satisfies Record<keyof MonitorSettings, Schemas['MonitorSettingName']>;

export const monitorBriefView = ({ site, monitor, settings, isPaused }: MonitorRecord): Schemas['MonitorBrief'] => ({
  id: site.id,
  name: site.name,
  url: site.url,
  type: settings.type,
  check_frequency: `${settings.intervalMinutes}m`,
  paused: isPaused,
  last_check_at: toIso(monitor.lastCheckAt),
  last_status: monitor.state,
  last_status_code: monitor.lastBeat && decisiveAttempt(monitor.lastBeat).status,
});

export const monitorView = (record: MonitorWithFigures): Schemas['Monitor'] => {
  const { monitor, isPaused, figures } = record;
  const { mean, min, max } = figures.responseTime;
  return {
    ...monitorBriefView(record),
    next_check_at: isPaused || monitor.nextCheckAt === 0 ? null : toIso(monitor.nextCheckAt),
    evidence: monitor.lastBeat && evidenceView(monitor.lastBeat),
    uptime_24h: figures.hours.map(hourView),
    uptime_ratio_24h: figures.ratio24h,
    uptime_ratio_7d: figures.ratio7d,
    uptime_ratio_30d: figures.ratio30d,
    incidents_count_7d: figures.incidents7d,
    incidents_count_30d: figures.incidents30d,
    response_time_avg_ms: mean,
    response_time_min_ms: min,
    response_time_max_ms: max,
    settings: monitorSettingsView(record),
  };
};

export const monitorSettingsView = ({ settings, monitor }: MonitorRecord): Schemas['MonitorSettings'] => ({
  ...fleetSettingsView(settings),
  useglobal: SETTING_NAMES.filter((name) => monitor.own[name] === null).map((name) => MONITOR_FIELD_NAMES[name]),
});

export const fleetSettingsView = (settings: MonitorSettings): Schemas['FleetMonitorSettings'] => ({
  active: settings.active,
  interval: settings.intervalMinutes,
  timeout: settings.timeoutSeconds,
  maxretries: settings.confirmation ? 1 : 0,
  type: settings.type,
  method: settings.method,
  expected_status: [...settings.acceptedStatuses],
  keyword: settings.keyword,
});

export const evidenceView = (beat: Heartbeat): Schemas['MonitorEvidence'] => ({
  verdict: describeHeartbeat(beat),
  attempts: beat.attempts.map(attemptView),
});

const STATUS: Record<CheckedState, Schemas['Heartbeat']['status']> = { down: 0, up: 1, pending: 2 };

export const heartbeatView =
  (monitorId: number) =>
  (beat: Heartbeat): Schemas['Heartbeat'] => {
    const { status, totalMs } = decisiveAttempt(beat);
    return {
      heartbeat_id: beat.at / SECOND,
      monitor_id: monitorId,
      msg: describeHeartbeat(beat),
      importance: beat.isChange ? 1 : 0,
      status: STATUS[beat.state],
      time: toIso(beat.at),
      ping_ms: totalMs,
      http_code: status,
      attempts: beat.attempts.map(attemptView),
    };
  };

export const incidentView =
  (now: number) =>
  ({ id, siteId, startedAt, endedAt, downCount, cause, beat }: Incident): Schemas['Incident'] => ({
    id,
    monitor_id: siteId,
    started_at: toIso(startedAt),
    ended_at: toIso(endedAt),
    duration_sec: Math.max(0, Math.floor(((endedAt ?? now) - startedAt) / SECOND)),
    resolved: endedAt !== null,
    down_count: downCount,
    cause,
    evidence: evidenceView(beat),
  });

const hourView = ({ at, up, down }: HourFigures): Schemas['MonitorHour'] => ({
  timestamp: toIso(at),
  status: down > 0 ? 'down' : up > 0 ? 'up' : 'unknown',
  up,
  down,
});

const attemptView = (attempt: CheckAttempt): Schemas['MonitorAttempt'] => ({
  finding: attempt.finding,
  up: isUp(attempt),
  http_code: attempt.status,
  address: attempt.address,
  total_ms: attempt.totalMs,
  dns_ms: attempt.dnsMs,
  connect_ms: attempt.connectMs,
  tls_ms: attempt.tlsMs,
  first_byte_ms: attempt.firstByteMs,
  rule: describeAttempt(attempt),
});
