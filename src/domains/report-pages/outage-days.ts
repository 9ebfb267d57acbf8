import { DAY, toDate } from '../../shared/clock.ts';
import type { ReportDays, ReportItem, SiteReport } from '../pro-reports/index.ts';
import { segmentIn } from './key-figures.ts';
import type { ReportFormats } from './report-formats.ts';

const MOST_SPANS = 3;

export function outageDaysOf(report: SiteReport, formats: ReportFormats): string {
  const items = segmentIn(report, 'uptime')?.items ?? [];
  const days = items.filter(hasOutage).map(({ day }) => String(day));
  const spans = consecutiveDays(days.toSorted());
  const shown = spans.slice(0, MOST_SPANS).map((span) => formats.shortDays(span));
  const more = spans.length - shown.length;
  const list = shown.join(', ');
  return more > 0 ? formats.text('list.cut', { items: list, count: more }) : list;
}

/** A day on which nobody watched the site has no outage, even if the site was down before and after this day. */
const hasOutage = ({ kind, downtime_minutes: minutes }: ReportItem): boolean => kind === 'day' && Number(minutes) > 0;

function consecutiveDays(days: readonly string[]): ReportDays[] {
  const spans: ReportDays[] = [];
  for (const day of days) {
    const last = spans.at(-1);
    if (last && toDate(Date.parse(last.endDate) + DAY) === day) last.endDate = day;
    else spans.push({ startDate: day, endDate: day });
  }
  return spans;
}
