import { MINUTE, toIso } from '../../../shared/clock.ts';
import {
  meanResponseTimeOf,
  noFigures,
  uptimePercentOf,
  addFigures,
  type Downtime,
  type Figures,
  type HourOfChecks,
} from '../../uptime/index.ts';
import { daysInRange } from '../report-range.ts';
import type { ReportItem } from '../report.ts';
import { noContent, defineSegment } from '../segment.ts';
import { endOfReportRange, RATIO_DAYS, spanOfDays } from '../uptime-ratio-periods.ts';

interface Span {
  from: number;
  until: number;
}

export const uptime = defineSegment({
  name: 'uptime',
  fields: [
    ...['kind', 'day', 'uptime_percentage', 'downtime_minutes', 'incidents'],
    ...['response_avg', 'response_min', 'response_max', 'started_at', 'ended_at', 'cause'],
  ],
  tokens: { kind: 'uptime' },
  async read(sources, { range, maxItems }) {
    const history = await sources.monitor();
    if (!history) return noContent({ incidents: 0, checks_up: 0, checks_down: 0 });
    const { hours, downtimes, monitor, isPaused } = history;
    const until = endOfReportRange(range, sources.now);
    const inRange = downtimes.filter((each) => overlap(each, { from: range.from, until }) !== null);
    const days = daysInRange(range, sources.formats.zone()).flatMap(({ date, ...span }) =>
      dayItem(date, { from: span.from, until: Math.min(span.until, until) }, hours, inRange),
    );
    const all = figuresIn(hours, { from: range.from, until });
    const ratios = RATIO_DAYS.map((count) => [
      `ratio_${count}`,
      uptimePercentOf(figuresIn(hours, spanOfDays(count, until))),
    ]);
    return {
      source: 'monitors',
      items: [...days.toReversed(), ...inRange.slice(0, maxItems).map((each) => incidentItem(each, until))],
      total: days.length + inRange.length,
      counts: { incidents: inRange.length, checks_up: all.up, checks_down: all.down },
      summary: {
        ratio_all: uptimePercentOf(all),
        ...(Object.fromEntries(ratios) as ReportItem),
        downtime_minutes: downtimeMinutes(inRange, { from: range.from, until }),
        ...responseTimes(all),
        status: isPaused ? 'paused' : monitor.state,
        last_check: toIso(monitor.lastCheckAt),
      },
    };
  },
});

function dayItem(
  day: string,
  span: Span,
  hours: readonly HourOfChecks[],
  downtimes: readonly Downtime[],
): ReportItem[] {
  const figures = figuresIn(hours, span);
  const incidents = downtimes.filter((each) => overlap(each, span) !== null);
  if (figures.up + figures.down === 0 && incidents.length === 0) return [];
  return [
    {
      kind: 'day',
      day,
      uptime_percentage: uptimePercentOf(figures),
      downtime_minutes: downtimeMinutes(incidents, span),
      incidents: incidents.length,
      ...responseTimes(figures),
      ...{ started_at: null, ended_at: null, cause: null },
    },
  ];
}

const incidentItem = (downtime: Downtime, until: number): ReportItem => ({
  ...{ kind: 'incident', day: null, uptime_percentage: null },
  downtime_minutes: downtimeMinutes([downtime], { from: downtime.startedAt, until: downtime.endedAt ?? until }),
  ...{ incidents: null, response_avg: null, response_min: null, response_max: null },
  started_at: toIso(downtime.startedAt),
  ended_at: toIso(downtime.endedAt),
  cause: downtime.cause,
});

/** Sums the checks of a span. An hour belongs to the span in which it begins. */
function figuresIn(hours: readonly HourOfChecks[], { from, until }: Span): Figures {
  let sum = noFigures();
  for (const hour of hours) if (hour.at >= from && hour.at < until) sum = addFigures(sum, hour);
  return sum;
}

const responseTimes = (figures: Figures): ReportItem => ({
  response_avg: meanResponseTimeOf(figures),
  response_min: figures.timeMin,
  response_max: figures.timeMax,
});

function overlap({ startedAt, endedAt }: Downtime, { from, until }: Span): number | null {
  const [begin, end] = [Math.max(startedAt, from), Math.min(endedAt ?? until, until)];
  return startedAt < until && (endedAt ?? until) > from && end >= begin ? end - begin : null;
}

const downtimeMinutes = (downtimes: readonly Downtime[], span: Span): number =>
  Math.round(downtimes.reduce((sum, each) => sum + (overlap(each, span) ?? 0), 0) / (MINUTE / 10)) / 10;
