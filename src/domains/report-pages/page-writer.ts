import { setImmediate as breath } from 'node:timers/promises';
import { Eta } from 'eta/core';
import type { Formats } from '../settings/index.ts';
import { INK, NIGHT, PAPER, readableOn, textOn } from './colors.ts';
import type { Agency, Chart, Page, SitePage, Table } from './page.ts';
import { PAGE, SUMMARY, TABLE } from './templates/page.ts';
import { STYLE } from './templates/style.ts';
import { clean } from './words.ts';

/** Content security policy. It allows a report to be displayed but not to run scripts or to load resources. */
export const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

const COLOR = /^#[0-9a-f]{6}$/i;
const LONGEST_FOOT = 90;

const eta = new Eta({ autoEscape: true });
const [page, summary, table, style] = [PAGE, SUMMARY, TABLE, STYLE].map((template) => eta.compile(template)) as [
  Template,
  Template,
  Template,
  Template,
];
type Template = ReturnType<Eta['compile']>;

interface Drawing {
  wide: string;
  narrow: string;
}

export async function writePage(content: Page, agency: Agency, formats: Formats): Promise<string> {
  const drawings = await drawAll([content, ...content.sites], formats);
  const color = COLOR.test(agency.color) ? agency.color : INK;
  const pageFoot = cssText([agency.name, content.cover.name].filter((part) => part !== '').join(' · '));
  return eta.render(page, {
    page: content,
    agency: { name: clean(agency.name), footer: clean(agency.footer), logo: agency.logo },
    policy: POLICY,
    style: eta.render(style, {
      pageFoot,
      colors: {
        cover: color,
        onCover: textOn(color),
        accent: readableOn(color, PAPER),
        night: readableOn(color, NIGHT),
      },
    }),
    summary: (part: Page | SitePage) => eta.render(summary, { part, drawings }),
    table: (shown: Table) => eta.render(table, { table: shown, number: (value: number) => formats.number(value) }),
  });
}

/** Imports the chart library at its first use. Lets other requests run between two charts. */
async function drawAll(parts: readonly { charts: readonly Chart[] }[], formats: Formats): Promise<Map<Chart, Drawing>> {
  const drawings = new Map<Chart, Drawing>();
  const charts = parts.flatMap((part) => part.charts);
  if (charts.length === 0) return drawings;
  const { draw, NARROW, WIDE } = await import('./drawing.ts');
  for (const chart of charts) {
    drawings.set(chart, { wide: draw(chart, WIDE, formats), narrow: draw(chart, NARROW, formats) });
    await breath();
  }
  return drawings;
}

/** Returns text as a CSS string. Special characters are escaped by their code, so that text cannot end the string. */
const cssText = (text: string): string => {
  const line = [...clean(text)].slice(0, LONGEST_FOOT).join('');
  return `"${line.replace(/[^\p{L}\p{N} ]/gu, (sign) => `\\${(sign.codePointAt(0) ?? 32).toString(16)} `)}"`;
};
