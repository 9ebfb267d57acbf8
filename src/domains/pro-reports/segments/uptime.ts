import { MINUTE, toIso } from '../../../shared/clock.ts';
import {
  addCheckFigures,
  gapsIn,
  lengthOfSpans,
  meanResponseTimeOf,
  noCheckFigures,
  uptimeIn,
  uptimePercentOf,
  type Downtime,
  type CheckFigures,
  type HourOfChecks,
  type MonitorHistory,
  type TimeSpan,
  type UptimeHistory,
} from '../../uptime/index.ts';
import type { ReportItem } from '../report.ts';
import { emptySegmentContent, defineSegment } from '../segment.ts';
import { endOfRangeUpToNow, RATIO_DAYS, spanOfDays } from '../uptime-ratio-periods.ts';

export const uptime = defineSegment({
  name: 'uptime',
  fields: [
    ...['kind', 'day', 'uptime_percentage', 'downtime_minutes', 'incidents'],
    ...['response_avg', 'response_min', 'response_max', 'started_at', 'ended_at', 'cause', 'watched_minutes'],
  ],
  tokens: { kind: 'uptime' },
  async read(sources, { range, maxItems }) {
    const monitor = await sources.monitor();
    if (!monitor) return emptySegmentContent({ incidents: 0, checks_up: 0, checks_down: 0 });
    const { hours, history, downtimes, isPaused } = monitor;
    const span = { from: range.from, until: endOfRangeUpToNow(range, sources.now) };
    const inRange = downtimes.filter((each) => isWithin(each, span));
    const days = sources.days
      .filter(({ from }) => from < span.until)
      .flatMap(({ date, from, until }) =>
        dayItem(date, { from, until: Math.min(until, span.until) }, monitor, inRange),
      );
    const all = figuresIn(hours, span);
    const ratios = RATIO_DAYS.map((count) => [
      `ratio_${count}`,
      uptimePercentOf(uptimeIn(history, spanOfDays(count, span.until))),
    ]);
    return {
      source: 'monitors',
      items: [...days.toReversed(), ...inRange.slice(0, maxItems).map((each) => incidentItem(each, span, history))],
      total: days.length + inRange.length,
      counts: { incidents: inRange.length, checks_up: all.up, checks_down: all.down },
      summary: {
        ratio_all: uptimePercentOf(uptimeIn(history, span)),
        ...(Object.fromEntries(ratios) as ReportItem),
        ...watchedTime(history, span),
        ...responseTimes(all),
        status: isPaused ? 'paused' : monitor.monitor.state,
        last_check: toIso(monitor.monitor.lastCheckAt),
        ...limitsOfKnowledge(monitor, span, maxItems),
      },
    };
  },
});

function dayItem(day: string, span: TimeSpan, { hours, history }: MonitorHistory, downtimes: readonly Downtime[]) {
  const figures = figuresIn(hours, span);
  const incidents = downtimes.filter((each) => isWithin(each, span));
  const times = uptimeIn(history, span);
  if (figures.up + figures.down + times.watchedMs === 0 && incidents.length === 0) return [];
  return [
    {
      kind: 'day',
      day,
      uptime_percentage: uptimePercentOf(times),
      ...watchedTime(history, span),
      incidents: incidents.length,
      ...responseTimes(figures),
      ...{ started_at: null, ended_at: null, cause: null },
    },
  ];
}

/** The minutes count only time within the period. `started_at` and `ended_at` are those of the whole incident. */
const incidentItem = (
  { startedAt, endedAt, cause }: Downtime,
  { from, until }: TimeSpan,
  history: UptimeHistory,
): ReportItem => ({
  ...{ kind: 'incident', day: null, uptime_percentage: null },
  ...watchedTime(history, { from: Math.max(startedAt, from), until: Math.min(endedAt ?? until, until) }),
  ...{ incidents: null, response_avg: null, response_min: null, response_max: null },
  started_at: toIso(startedAt),
  ended_at: toIso(endedAt),
  cause,
});

function watchedTime(history: UptimeHistory, span: TimeSpan): ReportItem {
  const { watchedMs, downMs } = uptimeIn(history, span);
  return { downtime_minutes: watchedMs === 0 ? null : inMinutes(downMs), watched_minutes: inMinutes(watchedMs) };
}

function limitsOfKnowledge(
  { history, watchedSince, estimatedUntil }: MonitorHistory,
  span: TimeSpan,
  maxItems: number,
): ReportItem {
  const gaps = gapsIn(history, watchedSince, span);
  const afterStart = (time: number | null): string | null => (time !== null && time > span.from ? toIso(time) : null);
  return {
    watched_since: afterStart(watchedSince),
    estimated_until: afterStart(estimatedUntil),
    unwatched_minutes: inMinutes(lengthOfSpans(gaps)),
    gaps: gaps.slice(0, maxItems).map(({ from, until }) => `${toIso(from)}/${toIso(until)}`),
  };
}

function figuresIn(hours: readonly HourOfChecks[], { from, until }: TimeSpan): CheckFigures {
  let sum = noCheckFigures();
  for (const hour of hours) if (hour.at >= from && hour.at < until) sum = addCheckFigures(sum, hour);
  return sum;
}

const responseTimes = (figures: CheckFigures): ReportItem => ({
  response_avg: meanResponseTimeOf(figures),
  response_min: figures.timeMin,
  response_max: figures.timeMax,
});

const isWithin = ({ startedAt, endedAt }: Downtime, { from, until }: TimeSpan): boolean =>
  startedAt < until && (endedAt ?? until) > from;

const inMinutes = (ms: number): number => Math.round(ms / (MINUTE / 10)) / 10;
