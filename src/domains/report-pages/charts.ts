import type { ReportItem, SegmentName, SegmentReport, SiteReport } from '../pro-reports/index.ts';
import type { Formats } from '../settings/index.ts';
import type { Chart } from './page-content.ts';
import { UPDATE_SEGMENTS } from './key-figures.ts';
import { percentText } from './value-formatting.ts';
import { countWithNoun } from './texts.ts';

/** Charts of longer periods show weeks, because the bars of single days would be thinner than a line. */
const MOST_DAYS = 95;
const WEEK = 7;
/**
 * Start of the uptime scale, so that downtimes of minutes are visible. If a value is lower, the scale starts below it.
 */
const USUAL_FLOOR = 98;

export function buildCharts(report: SiteReport, formats: Formats): Chart[] {
  const find = (name: SegmentName): SegmentReport | undefined =>
    report.segments.find(({ segment, source }) => segment === name && source !== 'none');
  return [
    ...uptimeCharts(find('uptime'), formats),
    ...updatesChart(
      UPDATE_SEGMENTS.flatMap((name) => find(name) ?? []),
      formats,
    ),
    ...scoresChart(find('perfaudit'), formats),
    ...changesChart(
      report.segments.filter(({ source }) => source === 'change-log'),
      report,
      formats,
    ),
  ];
}

function uptimeCharts(uptime: SegmentReport | undefined, formats: Formats): Chart[] {
  const days = (uptime?.items ?? [])
    .filter(({ kind, day }) => kind === 'day' && typeof day === 'string')
    .toSorted((one, other) => String(one['day']).localeCompare(String(other['day'])));
  if (days.every(({ uptime_percentage: share }) => typeof share !== 'number') || days.length < 2) return [];
  const groups = groupByDayOrWeek(days);
  const per = days.length > MOST_DAYS ? 'week' : 'day';
  const labels = groups.map(([first]) => formats.dayOfYear(String(first?.['day'])));
  const online = groups.map(onlineIn);
  const response = groups.map((group) => mean(group, 'response_avg'));
  const worst = Math.min(...online.filter((each) => each !== null));
  return [
    {
      title: `Online by ${per}`,
      kind: 'bars',
      labels,
      series: [{ name: 'Online', values: online }],
      unit: ' %',
      least: worst >= USUAL_FLOOR ? USUAL_FLOOR : Math.floor(worst / 20) * 20,
      quarters: true,
      most: 100,
      says: `The lowest availability of a ${per} was ${percentText(worst, formats)}.`,
    },
    ...(response.some((each) => each !== null)
      ? [
          {
            title: `Response time by ${per}`,
            kind: 'lines' as const,
            labels,
            series: [{ name: 'Response time', values: response }],
            unit: ' ms',
            least: 0,
            quarters: false,
            says: `The slowest ${per} took ${formats.number(Math.max(...response.map(Number)))} ms on average.`,
          },
        ]
      : []),
  ];
}

const groupByDayOrWeek = (days: readonly ReportItem[]): ReportItem[][] => {
  const size = days.length > MOST_DAYS ? WEEK : 1;
  return Array.from({ length: Math.ceil(days.length / size) }, (_, at) => days.slice(at * size, (at + 1) * size));
};

/** Weighs the days by the time in which the site was watched. */
function onlineIn(days: readonly ReportItem[]): number | null {
  const known = days.filter(({ uptime_percentage: share }) => typeof share === 'number');
  const minutes = known.reduce((sum, day) => sum + Number(day['watched_minutes']), 0);
  if (minutes === 0) return null;
  const weighed = known.reduce(
    (sum, day) => sum + Number(day['uptime_percentage']) * Number(day['watched_minutes']),
    0,
  );
  return Math.round((1000 * weighed) / minutes) / 1000;
}

function mean(items: readonly ReportItem[], name: string): number | null {
  const values = items.map((item) => item[name]).filter((value) => typeof value === 'number');
  if (values.length === 0) return null;
  return Math.round((values.reduce((sum, value) => sum + value, 0) / values.length) * 1000) / 1000;
}

const KINDS: Readonly<Record<string, string>> = { plugins: 'Plugins', themes: 'Themes', core: 'WordPress' };

function updatesChart(segments: readonly SegmentReport[], formats: Formats): Chart[] {
  const values = segments.map(({ counts }) => counts['updated'] ?? 0);
  if (values.filter((value) => value > 0).length < 2) return [];
  const labels = segments.map(({ segment }) => KINDS[segment] ?? segment);
  return [
    {
      title: 'Updates by kind',
      kind: 'bars',
      labels,
      series: [{ name: 'Updates', values }],
      unit: '',
      least: 0,
      quarters: false,
      says: `${labels.map((label, at) => `${label}: ${formats.number(values[at] ?? 0)}`).join(', ')}.`,
    },
  ];
}

function scoresChart(audits: SegmentReport | undefined, formats: Formats): Chart[] {
  const oldestFirst = (audits?.items ?? [])
    .filter(({ performance, date }) => typeof performance === 'number' && typeof date === 'string')
    .toSorted((one, other) => String(one['date']).localeCompare(String(other['date'])));
  const dayOf = ({ date }: ReportItem): string => formats.dayOf(Date.parse(String(date)));
  const days = [...new Set(oldestFirst.map(dayOf))];
  if (days.length < 2) return [];
  const devices = ['desktop', 'mobile'].filter((device) => oldestFirst.some((item) => item['device'] === device));
  const series = devices.map((device) => {
    const scores = new Map(
      oldestFirst.filter((item) => item['device'] === device).map((item) => [dayOf(item), Number(item['performance'])]),
    );
    return { name: device === 'desktop' ? 'Desktop' : 'Mobile', values: days.map((day) => scores.get(day) ?? null) };
  });
  const newest = series.map(({ name, values }) => `${name}: ${values.findLast((value) => value !== null)}`);
  return [
    {
      title: 'Performance scores',
      kind: 'lines',
      labels: days.map((day) => formats.dayOfYear(day)),
      series,
      unit: '',
      least: 0,
      most: 100,
      quarters: true,
      says: `The last scores of the period are ${newest.join(', ')}.`,
    },
  ];
}

/**
 * Draws the changes by day. Leaves out the days before the site was known, and the days up to the oldest item of a
 * segment that is cut off, because their counts are not complete.
 */
function changesChart(segments: readonly SegmentReport[], { site, range }: SiteReport, formats: Formats): Chart[] {
  const dayOf = ({ date }: ReportItem): string => formats.dayOf(Date.parse(String(date)));
  const dated = segments.map((segment) => ({
    days: segment.items.filter(({ date }) => typeof date === 'string').map(dayOf),
    isCut: segment.total > segment.items.length,
  }));
  const cuts = dated.flatMap(({ days, isCut }) => (isCut ? (days.at(-1) ?? range.endDate) : []));
  const since = cuts.reduce((latest, day) => (day > latest ? day : latest), '');
  const counts = new Map<string, number>();
  for (const { days } of dated) for (const day of days) counts.set(day, (counts.get(day) ?? 0) + 1);
  const known = formats.dayOf(site.knownSince);
  const days = listDaysBetween(range.startDate, range.endDate).filter((day) => day > since && day >= known);
  const total = days.reduce((sum, day) => sum + (counts.get(day) ?? 0), 0);
  if (days.length < 2 || total < 2) return [];
  const size = days.length > MOST_DAYS ? WEEK : 1;
  const starts = days.filter((_, at) => at % size === 0);
  const values = starts.map((_, at) =>
    days.slice(at * size, (at + 1) * size).reduce((sum, day) => sum + (counts.get(day) ?? 0), 0),
  );
  return [
    {
      title: `Changes by ${size === 1 ? 'day' : 'week'}`,
      kind: 'bars',
      labels: starts.map((day) => formats.dayOfYear(day)),
      series: [{ name: 'Changes', values }],
      unit: '',
      least: 0,
      quarters: false,
      says: `${countWithNoun(formats, total, 'change')} in total.`,
    },
  ];
}

function listDaysBetween(first: string, last: string): string[] {
  const [from, to] = [Date.parse(`${first}T00:00:00Z`), Date.parse(`${last}T00:00:00Z`)];
  const day = 86_400_000;
  return Array.from({ length: Math.max(0, Math.round((to - from) / day) + 1) }, (_, at) =>
    new Date(from + at * day).toISOString().slice(0, 10),
  );
}
