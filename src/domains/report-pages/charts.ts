import type { ReportItem, SegmentReport } from '../pro-reports/index.ts';
import type { Chart } from './page-content.ts';
import type { ReportFormats } from './report-formats.ts';

/** Charts of longer periods show weeks, because the bars of single days would be thinner than a line. */
const MOST_DAYS = 95;
const WEEK = 7;
/**
 * Start of the uptime scale in percent. It makes downtimes of minutes visible. If a value is lower, the scale starts
 * below that value.
 */
const USUAL_FLOOR = 98;
/**
 * No chart is drawn for smaller differences between the values, because their mean says enough. `score` is a number of
 * points, and `responseTimes` is the slowest response time divided by the fastest one.
 */
const CLEAR_DIFFERENCE = { score: 5, responseTimes: 1.5 };
const FEWEST_DAYS = 5;
const FEWEST_AUDITS = 3;

/** Returns null if the site was online all the time, because a sentence says that. */
export function availabilityChart(uptime: SegmentReport, formats: ReportFormats): Chart | null {
  const days = daysOf(uptime);
  if (days.length < 2) return null;
  const groups = groupByDayOrWeek(days);
  const online = groups.map(onlineIn);
  const worst = Math.min(...online.filter((each) => each !== null), 100);
  if (worst === 100) return null;
  const per = unitOf(days);
  return {
    title: formats.text(`availability.chart.${per}`),
    kind: 'bars',
    labels: labelsOf(groups, formats),
    series: [{ name: formats.text('label.online'), values: online }],
    unit: 'percent',
    least: worst >= USUAL_FLOOR ? USUAL_FLOOR : Math.floor(worst / 20) * 20,
    quarters: true,
    most: 100,
    says: formats.text(`availability.chart.says.${per}`, { share: formats.percent(worst) }),
  };
}

export const speedChart = (
  audits: SegmentReport | undefined,
  uptime: SegmentReport | undefined,
  formats: ReportFormats,
): Chart | null => scoresChart(audits, formats) ?? responseChart(uptime, formats);

function responseChart(uptime: SegmentReport | undefined, formats: ReportFormats): Chart | null {
  const days = daysOf(uptime);
  const groups = groupByDayOrWeek(days);
  const response = groups.map((group) => mean(group, 'response_avg'));
  const known = response.filter((each) => each !== null);
  const slowest = Math.max(...known);
  if (known.length < FEWEST_DAYS || slowest < CLEAR_DIFFERENCE.responseTimes * Math.min(...known)) return null;
  const per = unitOf(days);
  return {
    title: formats.text(`speed.chart.response.${per}`),
    kind: 'lines',
    labels: labelsOf(groups, formats),
    series: [{ name: formats.text('label.response_avg'), values: response }],
    unit: 'milliseconds',
    least: 0,
    quarters: false,
    says: formats.text(`speed.chart.response.says.${per}`, { time: formats.milliseconds(slowest) }),
  };
}

const daysOf = (uptime: SegmentReport | undefined): ReportItem[] =>
  (uptime?.items ?? [])
    .filter(({ kind, day }) => kind === 'day' && typeof day === 'string')
    .toSorted((one, other) => String(one['day']).localeCompare(String(other['day'])));

const unitOf = (days: readonly ReportItem[]): 'day' | 'week' => (days.length > MOST_DAYS ? 'week' : 'day');

const labelsOf = (groups: readonly ReportItem[][], formats: ReportFormats): string[] =>
  groups.map(([first]) => formats.shortDay(String(first?.['day'])));

const groupByDayOrWeek = (days: readonly ReportItem[]): ReportItem[][] => {
  const size = days.length > MOST_DAYS ? WEEK : 1;
  return Array.from({ length: Math.ceil(days.length / size) }, (_, at) => days.slice(at * size, (at + 1) * size));
};

/** Returns the mean uptime in percent, weighted by the watched minutes of each day. Null if no time was watched. */
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

function scoresChart(audits: SegmentReport | undefined, formats: ReportFormats): Chart | null {
  const oldestFirst = (audits?.items ?? [])
    .filter(({ performance, date }) => typeof performance === 'number' && typeof date === 'string')
    .toSorted((one, other) => String(one['date']).localeCompare(String(other['date'])));
  const dayOf = ({ date }: ReportItem): string => formats.dayOf(Date.parse(String(date)));
  const scores = oldestFirst.map(({ performance }) => Number(performance));
  const days = [...new Set(oldestFirst.map(dayOf))];
  if (days.length < FEWEST_AUDITS || Math.max(...scores) - Math.min(...scores) < CLEAR_DIFFERENCE.score) return null;
  const devices = (['desktop', 'mobile'] as const).filter((device) =>
    oldestFirst.some((item) => item['device'] === device),
  );
  const series = devices.map((device) => {
    const byDay = new Map(
      oldestFirst.filter((item) => item['device'] === device).map((item) => [dayOf(item), Number(item['performance'])]),
    );
    return { name: formats.text(`words.${device}`), values: days.map((day) => byDay.get(day) ?? null) };
  });
  const last = series.map(({ name, values }) => `${name} ${values.findLast((value) => value !== null)}`);
  return {
    title: formats.text('speed.chart.scores'),
    kind: 'lines',
    labels: days.map((day) => formats.shortDay(day)),
    series,
    unit: 'none',
    least: 0,
    most: 100,
    quarters: true,
    says: formats.text('speed.chart.scores.says', { scores: formats.language.list(last) }),
  };
}
