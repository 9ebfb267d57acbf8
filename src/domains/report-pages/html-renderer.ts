import { setImmediate as breath } from 'node:timers/promises';
import { Eta } from 'eta/core';
import {
  TEXT_COLOR,
  DARK_BACKGROUND,
  LIGHT_BACKGROUND,
  readableColorOn,
  textColorOn,
} from '../../shared/color-contrast.ts';
import { mapInTurns } from '../../shared/event-loop.ts';
import type {
  Chart,
  PageBranding,
  PageSection,
  ReportPageContent,
  SectionPart,
  Summary,
  Table,
  Topic,
} from './page-content.ts';
import type { ReportFormats } from './report-formats.ts';
import {
  PAGE_TEMPLATE,
  SECTIONS_TEMPLATE,
  SUMMARY_TEMPLATE,
  TABLE_TEMPLATE,
  TOPIC_PART_TEMPLATE,
} from './templates/page.ts';
import { PAGE_STYLE_TEMPLATE } from './templates/style.ts';
import { cleanText } from './texts.ts';

/** Lets a browser show a report, but not run scripts or load resources. */
export const CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

const COLOR = /^#[0-9a-f]{6}$/i;
const LONGEST_FOOT = 90;
const MOST_SHORT_ROWS = 4;
const MOST_SHORT_TOPICS = 2;

const eta = new Eta({ autoEscape: true });
type Template = ReturnType<Eta['compile']>;
const [page, sections, summary, topicPart, table, style] = (
  [
    PAGE_TEMPLATE,
    SECTIONS_TEMPLATE,
    SUMMARY_TEMPLATE,
    TOPIC_PART_TEMPLATE,
    TABLE_TEMPLATE,
    PAGE_STYLE_TEMPLATE,
  ] as const
).map((template) => eta.compile(template)) as [Template, Template, Template, Template, Template, Template];

interface ChartDrawings {
  wide: string;
  narrow: string;
}

interface PartWithSections extends Summary {
  sections: readonly PageSection[];
  missing: string | null;
}

export async function renderReportHtml(
  content: ReportPageContent,
  brand: PageBranding,
  formats: ReportFormats,
): Promise<string> {
  const drawings = await renderCharts([content, ...content.sites], formats);
  const [color, accent] = [brand.color, brand.accentColor].map((each) => (COLOR.test(each) ? each : TEXT_COLOR));
  const showTable = (shown: Table): string => eta.render(table, { table: shown });
  const showSummary = (part: Summary): string => eta.render(summary, { part });
  const showSections = (part: PartWithSections, level: string): string =>
    eta.render(sections, { part, level, drawings, summary: showSummary, overview: content.overview, table: showTable });
  const ofSites = await mapInTurns(content.sites, (site) => showSections(site, 'h4'));
  const showTopic = (part: SectionPart): string => eta.render(topicPart, { part, table: showTable });
  const topicParts = content.appendix.flatMap(({ topics }) =>
    topics.flatMap((topic): SectionPart[] => [topic, ...(topic.state ? [topic.state] : [])]),
  );
  const shownParts = new Map(await mapInTurns(topicParts, (part) => [part, showTopic(part)] as const));
  const pageFoot = cssText([brand.name, content.cover.name].filter((part) => part !== '').join(' · '));
  return eta.render(page, {
    page: content,
    brand: { name: cleanText(brand.name), footer: cleanText(brand.footer), logo: brand.logo },
    policy: CONTENT_SECURITY_POLICY,
    style: eta.render(style, {
      pageFoot,
      colors: {
        cover: color,
        onCover: textColorOn(color ?? TEXT_COLOR),
        accent: readableColorOn(accent ?? TEXT_COLOR, LIGHT_BACKGROUND),
        night: readableColorOn(accent ?? TEXT_COLOR, DARK_BACKGROUND),
      },
    }),
    sections: showSections(content, 'h2'),
    ofSites,
    isLong,
    topicParts: shownParts,
  });
}

/**
 * True if topics of the appendix are too long to be kept on one sheet of paper. The style sheet could find this out
 * with `:has()`, but that is slow.
 */
function isLong(topics: readonly Topic[]): boolean {
  const rows = topics.flatMap(({ table, state }) =>
    [table, state?.table ?? null].map((each) => each?.rows.length ?? 0),
  );
  return topics.length > MOST_SHORT_TOPICS || rows.some((count) => count > MOST_SHORT_ROWS);
}

/**
 * Draws the charts of a report. The chart library is imported at its first use. Other requests can run between two
 * charts.
 */
async function renderCharts(
  parts: readonly { sections: readonly PageSection[] }[],
  formats: ReportFormats,
): Promise<Map<Chart, ChartDrawings>> {
  const drawings = new Map<Chart, ChartDrawings>();
  const charts = parts.flatMap((part) =>
    part.sections.flatMap((section) => (typeof section === 'string' ? [] : (section.chart ?? []))),
  );
  if (charts.length === 0) return drawings;
  const { renderChart, NARROW_SIZE, WIDE_SIZE } = await import('./chart-svg.ts');
  for (const chart of charts) {
    drawings.set(chart, {
      wide: renderChart(chart, WIDE_SIZE, formats),
      narrow: renderChart(chart, NARROW_SIZE, formats),
    });
    await breath();
  }
  return drawings;
}

/** Returns a CSS string. Special characters are escaped by their code, so that the text cannot end the string. */
const cssText = (text: string): string => {
  const line = [...cleanText(text)].slice(0, LONGEST_FOOT).join('');
  return `"${line.replace(/[^\p{L}\p{N} ]/gu, (sign) => `\\${(sign.codePointAt(0) ?? 32).toString(16)} `)}"`;
};
