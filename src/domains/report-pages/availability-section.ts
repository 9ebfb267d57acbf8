import { MINUTE } from '../../shared/clock.ts';
import type { ReportItem, SiteReport } from '../pro-reports/index.ts';
import { availabilityChart } from './charts.ts';
import { plainItem, shortList, type BodyLimits } from './body-lists.ts';
import { isOutage, keyFiguresOf, momentOf, segmentIn } from './key-figures.ts';
import { isPeriodOpen } from './known-since.ts';
import { onlineSentences } from './lead.ts';
import type { BodySection, ItemList } from './page-content.ts';
import type { ReportFormats } from './report-formats.ts';
import { formatSpans } from './value-formatting.ts';

/**
 * Maximum difference by rounding, in minutes: `downtime_minutes` has one decimal place, and the times of an outage have
 * whole seconds.
 */
const LARGEST_ROUNDING = 0.1;

/**
 * Says whether and when the site was down, and when it was not watched. `hasSummary` is true if the report has a
 * summary, which already contains the sentences about the uptime ratio.
 */
export function availabilitySection(
  report: SiteReport,
  formats: ReportFormats,
  limits: BodyLimits,
  hasSummary: boolean,
): BodySection | null {
  const uptime = segmentIn(report, 'uptime');
  const key = keyFiguresOf(report);
  if (!uptime || key.online === null) return null;
  const { incidents, unwatchedMinutes, watchedSince, downtimeMinutes } = key;
  const isPart = unwatchedMinutes > 0 || watchedSince !== null;
  const gaps = uptime.summary['gaps'];
  const estimated = momentOf(uptime.summary['estimated_until']);
  const paragraphs = [
    ...(hasSummary ? [] : onlineSentences(key, formats)),
    ...(incidents > 0 ? [] : [formats.text(isPart ? 'availability.no_outage.watched' : 'availability.no_outage')]),
    ...(Array.isArray(gaps) && gaps.length > 0
      ? [formats.text('availability.gaps', { gaps: formatSpans(gaps, formats) })]
      : []),
    ...(estimated === null ? [] : [formats.text('availability.estimated', { date: formats.dateTime(estimated) })]),
  ];
  const sentence = formats.text('availability.outages', {
    count: incidents,
    duration: formats.duration(downtimeMinutes),
  });
  return {
    title: formats.text('section.availability'),
    paragraphs,
    lists: incidents > 0 ? [outagesList(uptime.items, incidents, sentence, formats, limits, isPeriodOpen(report))] : [],
    chart: limits.isWholeReport ? availabilityChart(uptime, formats) : null,
  };
}

function outagesList(
  items: readonly ReportItem[],
  total: number,
  sentence: string,
  formats: ReportFormats,
  { items: most }: BodyLimits,
  isOpen: boolean,
): ItemList {
  const outages = items.filter(isOutage).map((outage) => plainItem(outageText(outage, isOpen, formats)));
  return shortList(outages, { sentence, most, total }, formats);
}

/**
 * `downtime_minutes` counts only the watched time of an outage within the period. If the outage lasted longer, the text
 * says "at least".
 */
function outageText(outage: ReportItem, isOpen: boolean, formats: ReportFormats): string {
  const { downtime_minutes: minutes, watched_minutes: watched } = outage;
  const startedAt = momentOf(outage['started_at']) ?? 0;
  const endedAt = momentOf(outage['ended_at']);
  const start = formats.dateTime(startedAt);
  if (endedAt === null)
    return formats.text(isOpen ? 'availability.outage.now' : 'availability.outage.lasting', { start });
  if (typeof minutes !== 'number') return formats.text('availability.outage.unwatched', { start });
  const lasted = (endedAt - startedAt) / MINUTE;
  const isPart = typeof watched === 'number' && lasted - watched > LARGEST_ROUNDING;
  const duration = formats.duration(minutes);
  return formats.text(isPart ? 'availability.outage.part' : 'availability.outage', { start, duration });
}
