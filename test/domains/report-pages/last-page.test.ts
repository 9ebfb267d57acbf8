import assert from 'node:assert/strict';
import puppeteer, { type Browser } from 'puppeteer-core';
import { buildClientPage, buildSitePage } from '../../../src/domains/report-pages/build-page.ts';
import { renderReportHtml } from '../../../src/domains/report-pages/html-renderer.ts';
import type { ReportPageContent } from '../../../src/domains/report-pages/page-content.ts';
import { builtInTemplate, type AppendixTopic } from '../../../src/domains/report-templates/index.ts';
import { chromiumOrSkip } from '../../support/browsers.ts';
import { pdfPagesOf } from '../../support/pdf-structure.ts';
import {
  BAKERY,
  clientOfStory,
  comparisonOf,
  formatsIn,
  presentationOf,
  SHOP,
  siteOfStory,
  sitesOfStory,
  templateWith,
} from '../../support/report-stories.ts';

const COLOR = '#0b5d4e';
const BRAND = { name: 'North Sea Web', color: COLOR, accentColor: COLOR, logo: '', footer: 'Harbour Street 4' };
const FEWEST_LINES = 5;
/** Texts of the line at the end of a report: the agency and the day. */
const FOOTER_TEXTS = 2;

const client = (count: number, language: string): Promise<ReportPageContent> => {
  const sites = sitesOfStory(count);
  return buildClientPage(
    clientOfStory('Harbour Group', sites),
    presentationOf(language),
    comparisonOf(sites),
    formatsIn(language),
  );
};
const site = (story: typeof SHOP, template: string, language: string): ReportPageContent => {
  const report = siteOfStory(story);
  const presentation = presentationOf(language, builtInTemplate(template, language) ?? undefined);
  return buildSitePage(report, presentation, comparisonOf([report]), formatsIn(language));
};
const withAppendix = (appendix: AppendixTopic[], updates: number, language: string): ReportPageContent => {
  const presentation = presentationOf(language, templateWith({ appendix }));
  return buildSitePage(siteOfStory({ ...SHOP, updates }), presentation, null, formatsIn(language));
};

const REPORTS: Readonly<Record<string, (language: string) => ReportPageContent | Promise<ReportPageContent>>> = {
  'a bakery': (language) => site(BAKERY, 'care-plan', language),
  'a shop': (language) => site(SHOP, 'care-plan', language),
  'a shop, with tables': (language) => site(SHOP, 'security', language),
  'a client of 9': (language) => client(9, language),
  'a client of 60': (language) => client(60, language),
  ...Object.fromEntries(
    [12, 20, 25, 33].flatMap((updates) => [
      [`a table of ${updates} updates`, (language: string) => withAppendix(['updates'], updates, language)],
      [
        `${updates} updates and a short table`,
        (language: string) => withAppendix(['updates', 'work'], updates, language),
      ],
    ]),
  ),
  'four topics with short tables': (language) => withAppendix(['updates', 'content', 'speed', 'pending'], 1, language),
  'only a short table': (language) => withAppendix(['pending'], 3, language),
};

/** More than a usual month has: each section is as long as it gets. */
const BUSY_SHOP = {
  ...SHOP,
  ...{ updates: 34, posts: 14, fixed: 2, pending: 9, vulnerability: true, abandoned: 3, php: '7.4', score: 43 },
  ...{ certificateDays: 9, tasks: Array.from({ length: 9 }, (_, at) => [`New pictures for page ${at}`, 35] as const) },
  outages: [2, 5, 11, 17, 23, 27].map((day) => [day, 3, 12] as const),
};

describe('last page of a report', function () {
  this.timeout(180_000);
  let browser: Browser;
  before(async function () {
    const executablePath = await chromiumOrSkip(this);
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await puppeteer.launch({ executablePath, headless: true, args });
  });
  after(() => browser?.close());

  async function print(html: string): Promise<Uint8Array> {
    const tab = await browser.newPage();
    await tab.setContent(html);
    const bytes = await tab.pdf({ preferCSSPageSize: true, format: 'a4', tagged: true, waitForFonts: false });
    await tab.close();
    return bytes;
  }

  for (const [name, contentIn] of Object.entries(REPORTS))
    for (const language of ['en', 'de'])
      it(`when ${name} is printed, then the last page has at least ${FEWEST_LINES} lines: ${language}`, async () => {
        const html = await renderReportHtml(await contentIn(language), BRAND, formatsIn(language));
        const last = pdfPagesOf(await print(html)).at(-1);
        assert.ok(last);
        const { rows, listItems, paragraphs, headings, otherTexts } = last;
        // A fact has two texts.
        const lines = rows + listItems + paragraphs + headings + (otherTexts - FOOTER_TEXTS) / 2;
        assert.ok(lines >= FEWEST_LINES, JSON.stringify(last));
      });

  for (const language of ['en', 'de'])
    it(`when a shop had a busy month, then its report has two sheets: ${language}`, async () => {
      const html = await renderReportHtml(site(BUSY_SHOP, 'care-plan', language), BRAND, formatsIn(language));
      assert.equal(pdfPagesOf(await print(html)).length, 2);
    });

  it('when a page is too long by two rows, then the test sees them on the last page', async () => {
    const rows = (count: number) => '<tr><td>Cell</td></tr>'.repeat(count);
    const html = `<!doctype html><html lang="en"><title>T</title><style>@page { size: A4; margin: 10mm }
      th, td { height: 20mm; padding: 0 } table { border-spacing: 0 }</style><table><thead><tr><th scope="col">Head</th></tr></thead><tbody>${rows(15)}</tbody></table>`;
    assert.deepEqual(
      pdfPagesOf(await print(html)).map((page) => page.rows),
      [13, 2],
    );
  });
});
