import type { SiteReport } from '../pro-reports/index.ts';
import { speedChart } from './charts.ts';
import type { BodyLimits } from './body-lists.ts';
import { keyFiguresOf, momentOf, segmentIn } from './key-figures.ts';
import type { BodySection } from './page-content.ts';
import type { ReportFormats } from './report-formats.ts';
import { scoreTone } from './value-formatting.ts';

export function speedSection(report: SiteReport, formats: ReportFormats, limits: BodyLimits): BodySection | null {
  const paragraphs = [
    ...scoreSentences(report, formats),
    ...verdictSentences(report, formats),
    ...responseSentences(report, formats),
  ];
  if (paragraphs.length === 0) return null;
  const chart = limits.isWholeReport
    ? speedChart(segmentIn(report, 'perfaudit'), segmentIn(report, 'uptime'), formats)
    : null;
  return { title: formats.text('section.speed'), paragraphs: [paragraphs.join(' ')], lists: [], chart };
}

function scoreSentences(report: SiteReport, formats: ReportFormats): string[] {
  const summary = segmentIn(report, 'perfaudit')?.summary ?? {};
  const [mobile, desktop] = [summary['mobile_performance'], summary['desktop_performance']];
  const day = momentOf(summary['last_check']);
  const measured = day === null ? [] : [formats.text('speed.score.day', { date: formats.date(day) })];
  if (typeof mobile === 'number' && typeof desktop === 'number')
    return [formats.text('speed.score.both', { mobile, desktop }), ...measured];
  if (typeof mobile === 'number') return [formats.text('speed.score.mobile', { score: mobile }), ...measured];
  if (typeof desktop === 'number') return [formats.text('speed.score.desktop', { score: desktop }), ...measured];
  return [];
}

function verdictSentences(report: SiteReport, formats: ReportFormats): string[] {
  const { performance } = keyFiguresOf(report);
  const tone = performance === null ? 'plain' : scoreTone(performance);
  return tone === 'plain' ? [] : [formats.text(`speed.verdict.${tone}`)];
}

function responseSentences(report: SiteReport, formats: ReportFormats): string[] {
  const summary = segmentIn(report, 'uptime')?.summary ?? {};
  const [average, slowest] = [summary['response_avg'], summary['response_max']];
  if (typeof average !== 'number') return [];
  const shown = { average: formats.milliseconds(average) };
  return typeof slowest === 'number'
    ? [formats.text('speed.response.max', { ...shown, slowest: formats.milliseconds(slowest) })]
    : [formats.text('speed.response', shown)];
}
