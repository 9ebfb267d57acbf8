import { setImmediate as breath } from 'node:timers/promises';
import { Eta } from 'eta/core';
import type { Formats } from '../settings/index.ts';
import { TEXT_COLOR, DARK_BACKGROUND, LIGHT_BACKGROUND, readableColorOn, textColorOn } from './colors.ts';
import type { AgencyBranding, Chart, ReportPageContent, SectionPart, SitePageContent, Table } from './page-content.ts';
import { PAGE_TEMPLATE, SECTION_PART_TEMPLATE, SUMMARY_TEMPLATE, TABLE_TEMPLATE } from './templates/page.ts';
import { PAGE_STYLE_TEMPLATE } from './templates/style.ts';
import { cleanText } from './texts.ts';

/** Lets a browser show a report, but not run scripts or load resources. */
export const CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

const COLOR = /^#[0-9a-f]{6}$/i;
const LONGEST_FOOT = 90;

const eta = new Eta({ autoEscape: true });
const [page, summary, sectionPart, table, style] = (
  [PAGE_TEMPLATE, SUMMARY_TEMPLATE, SECTION_PART_TEMPLATE, TABLE_TEMPLATE, PAGE_STYLE_TEMPLATE] as const
).map((template) => eta.compile(template)) as [Template, Template, Template, Template, Template];
type Template = ReturnType<Eta['compile']>;

interface ChartDrawings {
  wide: string;
  narrow: string;
}

export async function renderReportHtml(
  content: ReportPageContent,
  agency: AgencyBranding,
  formats: Formats,
): Promise<string> {
  const drawings = await renderCharts([content, ...content.sites], formats);
  const color = COLOR.test(agency.color) ? agency.color : TEXT_COLOR;
  const showTable = (shown: Table): string =>
    eta.render(table, { table: shown, number: (value: number) => formats.number(value) });
  const pageFoot = cssText([agency.name, content.cover.name].filter((part) => part !== '').join(' · '));
  return eta.render(page, {
    page: content,
    agency: { name: cleanText(agency.name), footer: cleanText(agency.footer), logo: agency.logo },
    policy: CONTENT_SECURITY_POLICY,
    style: eta.render(style, {
      pageFoot,
      colors: {
        cover: color,
        onCover: textColorOn(color),
        accent: readableColorOn(color, LIGHT_BACKGROUND),
        night: readableColorOn(color, DARK_BACKGROUND),
      },
    }),
    summary: (part: ReportPageContent | SitePageContent) => eta.render(summary, { part, drawings }),
    sectionPart: (part: SectionPart) => eta.render(sectionPart, { part, table: showTable }),
    table: showTable,
  });
}

/**
 * Draws the charts of a report. The chart library is imported at its first use. Other requests can run between two
 * charts.
 */
async function renderCharts(
  parts: readonly { charts: readonly Chart[] }[],
  formats: Formats,
): Promise<Map<Chart, ChartDrawings>> {
  const drawings = new Map<Chart, ChartDrawings>();
  const charts = parts.flatMap((part) => part.charts);
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
