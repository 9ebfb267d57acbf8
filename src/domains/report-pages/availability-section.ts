import type { ReportItem, SiteReport } from '../pro-reports/index.ts';
import { availabilityChart } from './charts.ts';
import { plainItem, shortList, type BodyLimits } from './body-lists.ts';
import { keyFiguresOf, momentOf, segmentIn } from './key-figures.ts';
import { onlineSentences } from './lead.ts';
import type { BodySection, ItemList } from './page-content.ts';
import type { ReportFormats } from './report-formats.ts';
import { formatSpans } from './value-formatting.ts';

/** Says whether the site was down, when, and which time nobody watched. `hasSummary`: the summary has the ratio. */
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
    lists: incidents > 0 ? [outagesList(uptime.items, incidents, sentence, formats, limits)] : [],
    chart: limits.isWholeReport ? availabilityChart(uptime, formats) : null,
  };
}

function outagesList(
  items: readonly ReportItem[],
  total: number,
  sentence: string,
  formats: ReportFormats,
  { items: most }: BodyLimits,
): ItemList {
  const outages = items
    .filter(({ kind }) => kind === 'incident')
    .map((outage) => {
      const start = formats.dateTime(momentOf(outage['started_at']) ?? 0);
      const minutes = outage['downtime_minutes'];
      if (outage['ended_at'] === null) return plainItem(formats.text('availability.outage.lasting', { start }));
      const duration = formats.duration(typeof minutes === 'number' ? minutes : 0);
      return plainItem(formats.text('availability.outage', { start, duration }));
    });
  return shortList(outages, { sentence, most, total }, formats);
}
