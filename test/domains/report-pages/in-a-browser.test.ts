import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import puppeteer, { type Browser } from 'puppeteer-core';
import { buildClientPage, buildSitePage } from '../../../src/domains/report-pages/build-page.ts';
import { renderReportHtml } from '../../../src/domains/report-pages/html-renderer.ts';
import { chromiumOrSkip } from '../../support/browsers.ts';
import { HOSTILE_TEXT, RIGHT_TO_LEFT, siteReport } from '../../support/report-samples.ts';
import {
  clientOfStory,
  formatsIn,
  presentationOf,
  SHOP,
  siteOfStory,
  sitesOfStory,
  templateWith,
} from '../../support/report-stories.ts';

const formats = formatsIn();
const presentation = presentationOf('en', templateWith({ appendix: ['updates', 'content', 'speed'] }));
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==';
const AGENCY = {
  ...{ name: 'North Sea Web', color: '#ffd400', accentColor: '#ffd400', footer: HOSTILE_TEXT },
  logo: `data:image/png;base64,${PIXEL}`,
};

/** Finds elements whose text overflows. Text inside an SVG has no box. */
const OVERFLOWING_ELEMENTS = `[...document.querySelectorAll('body, body *:not(svg *):not(thead, thead *)')]
  .filter((each) => each.clientWidth > 0 && each.scrollWidth > each.clientWidth + 1
    && getComputedStyle(each).display !== 'inline')
  .map((each) => each.tagName + '.' + each.className + ': ' + each.textContent.trim().slice(0, 60))`;

describe('report pages in a browser', function () {
  // A browser starts within a second on an idle machine, and can take many on a busy one.
  this.timeout(120_000);
  let browser: Browser;
  let folder: string;
  before(async function () {
    const executablePath = await chromiumOrSkip(this);
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await puppeteer.launch({ executablePath, headless: true, args });
    folder = await mkdtemp(join(tmpdir(), 'sitefleet-pages-'));
  });
  after(async () => {
    await browser?.close();
    if (folder) await rm(folder, { recursive: true });
  });

  /** Returns console messages, requests and overflowing elements of a page. */
  async function problemsOf(html: string, width: number): Promise<string[]> {
    const file = join(folder, `${width}.html`);
    await writeFile(file, html);
    const tab = await browser.newPage();
    const problems: string[] = [];
    tab.on('console', (message) => problems.push(`console: ${message.text()}`));
    tab.on('pageerror', (error) => problems.push(`error: ${String(error)}`));
    tab.on('dialog', (dialog) => {
      problems.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    tab.on('request', (request) => {
      if (!/^(file|data):/.test(request.url())) problems.push(`request: ${request.url()}`);
    });
    await tab.setViewport({ width, height: 900 });
    await tab.goto(pathToFileURL(file).href);
    const sizes = (await tab.evaluate(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    )) as number[];
    const [scroll = 0, client = 0] = sizes;
    if (scroll > client) problems.push(`the page is ${scroll} wide, of ${client}`);
    problems.push(...((await tab.evaluate(OVERFLOWING_ELEMENTS)) as string[]).map((each) => `sticks out: ${each}`));
    await tab.close();
    return problems;
  }

  it('when a page is checked with axe, then it finds nothing', async () => {
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    const sites = sitesOfStory(9);
    const site = buildSitePage(siteOfStory(SHOP), presentation, null, formats);
    const client = await buildClientPage(clientOfStory('Harbour Group', sites), presentation, null, formats);
    for (const page of [site, client]) {
      const tab = await browser.newPage();
      await tab.setViewport({ width: 390, height: 844 });
      // The policy of a report forbids scripts, those of the check too.
      const html = (await renderReportHtml(page, { ...AGENCY, footer: '' }, formats)).replace(
        /<meta http-equiv[^>]*>/,
        '',
      );
      await tab.setContent(html);
      await tab.evaluate(axe);
      const violations = await tab.evaluate(
        `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))`,
      );
      assert.deepEqual(violations, []);
      await tab.close();
    }
  });

  for (const language of ['en', 'de'])
    it(`when the overview has all columns, then it fits on paper: ${language}`, async () => {
      const long = siteOfStory({
        ...{ id: 77, name: 'Verband zur Pflege historischer Hafengebäude', knownSince: '2026-11-02T09:00:00Z' },
        ...{ outages: [3, 4, 5, 9, 14, 20, 28].map((day) => [day, 5, 30] as const), certificateDays: -276 },
      });
      const page = await buildClientPage(
        clientOfStory('Harbour Group', [...sitesOfStory(9), long]),
        presentationOf(language),
        null,
        formatsIn(language),
      );
      const tab = await browser.newPage();
      await tab.emulateMediaType('print');
      // Width of A4 between its margins.
      await tab.setViewport({ width: 680, height: 900 });
      await tab.setContent(await renderReportHtml(page, AGENCY, formatsIn(language)));
      const widths = (await tab.evaluate(
        `[...document.querySelectorAll('.overview, .overview table')].map((each) => each.scrollWidth)`,
      )) as number[];
      await tab.close();
      assert.deepEqual(widths, [680, 680]);
    });

  for (const width of [390, 1440])
    it(`when a client has sites, then the numbers of a column end at the same place: ${width} px`, async () => {
      const sites = [...sitesOfStory(9), siteOfStory({ id: 77, name: 'New', isMonitored: false, score: null })];
      const page = await buildClientPage(clientOfStory('Harbour Group', sites), presentation, null, formats);
      const tab = await browser.newPage();
      await tab.setViewport({ width, height: 900 });
      await tab.setContent(await renderReportHtml(page, AGENCY, formats));
      const ends = (await tab.evaluate(`[...document.querySelectorAll('.overview td.number > span')].map((span) => {
        const text = document.createRange(); text.selectNodeContents(span);
        return [span.parentElement.dataset.label, Math.round(text.getBoundingClientRect().right)]; })`)) as unknown[][];
      await tab.close();
      const labels = [...new Set(ends.map(([label]) => label))];
      const places = labels.map((each) => [each, new Set(ends.filter(([label]) => label === each).map(String)).size]);
      assert.deepEqual(
        places,
        ['Updates', 'Online', 'Speed', 'Vulnerabilities', 'Certificate, days left', 'To decide'].map((each) => [
          each,
          1,
        ]),
      );
    });

  it('when names are long, hostile or right-to-left, then no script runs, no request is sent and no text overflows', async () => {
    const report = siteReport({ name: HOSTILE_TEXT, rows: 300, plugin: HOSTILE_TEXT, post: RIGHT_TO_LEFT });
    const { range, madeAt } = report;
    const few = siteReport({ post: RIGHT_TO_LEFT });
    const client = { id: 3, name: RIGHT_TO_LEFT, email: '' };
    const ofClient = await buildClientPage(
      { client, range, madeAt, sites: [few, siteReport({ name: HOSTILE_TEXT })], totals: [] },
      presentation,
      null,
      formats,
    );
    for (const page of [buildSitePage(report, presentation, null, formats), ofClient]) {
      const html = await renderReportHtml(page, AGENCY, formats);
      for (const width of [390, 1440]) assert.deepEqual(await problemsOf(html, width), [], `at ${width}`);
    }
    const planted = (await renderReportHtml(buildSitePage(few, presentation, null, formats), AGENCY, formats)).replace(
      '</main>',
      `<p style="white-space: nowrap">${'long '.repeat(500)}</p><img src="http://127.0.0.1:9/x"></main>`,
    );
    assert.ok((await problemsOf(planted, 390)).length >= 2, 'the test sees what it looks for');
  });
});
