import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import puppeteer, { type Browser } from 'puppeteer-core';
import { buildClientPage, buildSitePage } from '../../../src/domains/report-pages/build-page.ts';
import { renderReportHtml } from '../../../src/domains/report-pages/html-renderer.ts';
import type { SiteReport } from '../../../src/domains/pro-reports/index.ts';
import { chromiumOrSkip } from '../../support/browsers.ts';
import { RIGHT_TO_LEFT } from '../../support/report-samples.ts';
import {
  BAKERY,
  clientOfStory,
  comparisonOf,
  formatsIn,
  presentationOf,
  SHOP,
  siteOfStory,
  sitesOfStory,
} from '../../support/report-stories.ts';

/*
 * Compares pages with the pictures in pictures/. `UPDATE_PICTURES=1 npm test -- <this file>` writes new pictures. Look
 * at them before you commit them.
 */

const FOLDER = join(import.meta.dirname, 'pictures');
/** Share of the pixels that may differ, because browsers of other versions smooth text differently. */
const TOLERANCE = 0.01;
/** Pictures end here, so that those of long pages stay small. */
const MOST_PIXELS = 2000;
const SIZES = { desktop: 1100, phone: 390, dark: 1100, paper: 680 } as const;
type Size = keyof typeof SIZES;

const COLOR = '#0b5d4e';
const BRAND = { name: 'North Sea Web', color: COLOR, accentColor: COLOR, logo: '', footer: 'Harbour Street 4' };

/** Text of these fonts is compared. Other fonts have other widths, so that each picture would differ. */
const FONT_PROBE = `(() => { const line = document.createElement('span'); line.textContent = 'Sphinx 0123456789 ÄÖÜ';
  line.style.cssText = 'position:absolute;font:15px system-ui,sans-serif;white-space:nowrap'; document.body.append(line);
  const { width } = line.getBoundingClientRect(); line.remove(); return Math.round(width * 10); })()`;
const FONT_FILE = join(FOLDER, 'font-width.txt');

const site = (report: SiteReport, language = 'en'): Promise<string> =>
  renderReportHtml(
    buildSitePage(report, presentationOf(language), comparisonOf([report]), formatsIn(language)),
    BRAND,
    formatsIn(language),
  );
const client = async (sites: SiteReport[], language: 'en' | 'de' = 'en'): Promise<string> => {
  const [report, formats] = [clientOfStory('Harbour Group', sites), formatsIn(language)];
  return renderReportHtml(
    await buildClientPage(report, presentationOf(language), comparisonOf(sites), formats),
    BRAND,
    formats,
  );
};
const emptySite = (): SiteReport => ({ ...siteOfStory(), segments: [] });
const LONG =
  'Association for the Preservation of Historic Harbour Buildings and Lighthouses of the Northern Coast e. V.';

const PAGES: Readonly<Record<string, { make: () => Promise<string>; sizes: readonly Size[] }>> = {
  bakery: { make: () => site(siteOfStory(BAKERY)), sizes: ['desktop', 'phone', 'dark', 'paper'] },
  shop: { make: () => site(siteOfStory(SHOP)), sizes: ['desktop', 'phone', 'dark', 'paper'] },
  'shop-german': { make: () => site(siteOfStory(SHOP), 'de'), sizes: ['desktop', 'phone'] },
  'client-of-9': { make: () => client(sitesOfStory(9)), sizes: ['desktop', 'phone', 'paper'] },
  'client-of-9-german': { make: () => client(sitesOfStory(9), 'de'), sizes: ['phone'] },
  'client-of-60-german': { make: () => client(sitesOfStory(60), 'de'), sizes: ['phone'] },
  'client-of-60': { make: () => client(sitesOfStory(60)), sizes: ['desktop', 'phone'] },
  'long-names': { make: () => site(siteOfStory({ ...SHOP, name: LONG })), sizes: ['phone'] },
  'right-to-left': {
    make: () => site(siteOfStory({ ...BAKERY, name: RIGHT_TO_LEFT, tasks: [[RIGHT_TO_LEFT, 30]] })),
    sizes: ['phone'],
  },
  'no-data': { make: () => site(emptySite()), sizes: ['desktop'] },
};

describe('pictures of reports', function () {
  this.timeout(180_000);
  let browser: Browser;
  const isUpdate = process.env['UPDATE_PICTURES'] === '1';

  before(async function () {
    const executablePath = await chromiumOrSkip(this);
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await puppeteer.launch({ executablePath, headless: true, args });
    const tab = await browser.newPage();
    const width = String(await tab.evaluate(FONT_PROBE));
    await tab.close();
    if (isUpdate) {
      await mkdir(FOLDER, { recursive: true });
      await writeFile(FONT_FILE, `${width}\n`);
    } else if ((await readFile(FONT_FILE, 'utf8')).trim() !== width) this.skip();
  });
  after(() => browser?.close());

  async function shoot(html: string, size: Size): Promise<{ image: PNG; height: number }> {
    const tab = await browser.newPage();
    await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: size === 'dark' ? 'dark' : 'light' }]);
    if (size === 'paper') await tab.emulateMediaType('print');
    await tab.setViewport({ width: SIZES[size], height: 844 });
    await tab.setContent(html);
    const height = (await tab.evaluate('document.documentElement.scrollHeight')) as number;
    const clip = { x: 0, y: 0, width: SIZES[size], height: Math.min(height, MOST_PIXELS) };
    const bytes = await tab.screenshot({ clip, captureBeyondViewport: true });
    await tab.close();
    return { image: PNG.sync.read(Buffer.from(bytes)), height };
  }

  /** Returns the share of pixels that differ; 1 if the sizes differ by more than the tolerance. */
  function differenceOf(one: PNG, other: PNG): number {
    const height = Math.min(one.height, other.height);
    if (one.width !== other.width || Math.abs(one.height - other.height) > TOLERANCE * one.height) return 1;
    const [left, right] = [one, other].map(({ data }) => data.subarray(0, height * one.width * 4));
    if (!left || !right) return 1;
    return pixelmatch(left, right, null, one.width, height, { threshold: 0.15 }) / (one.width * height);
  }

  for (const [name, { make, sizes }] of Object.entries(PAGES))
    for (const size of sizes)
      it(`when a report is shown, then it looks like its picture: ${name}, ${size}`, async () => {
        const file = join(FOLDER, `${name}-${size}.png`);
        const { image, height } = await shoot(await make(), size);
        if (size === 'phone') assert.ok(height <= 6 * 844, `${height / 844} screens on a phone`);
        if (isUpdate)
          return writeFile(file, PNG.sync.write(image, { colorType: 2, filterType: 0, deflateStrategy: 0 }));
        assert.ok(existsSync(file), `${file} is missing`);
        const difference = differenceOf(PNG.sync.read(await readFile(file)), image);
        assert.ok(difference <= TOLERANCE, `${(100 * difference).toFixed(2)} % of the pixels differ`);
      });

  it('when a line of a page changes, then the comparison finds it', async () => {
    if (isUpdate) return;
    const { image } = await shoot((await site(siteOfStory(BAKERY))).replaceAll('Corner Bakery', 'Corner'), 'phone');
    const { image: wider } = await shoot(
      (await site(siteOfStory(SHOP))).replace('display: grid', 'display: block'),
      'phone',
    );
    const picture = async (name: string): Promise<PNG> => PNG.sync.read(await readFile(join(FOLDER, `${name}.png`)));
    assert.ok(differenceOf(await picture('bakery-phone'), image) > 0);
    assert.ok(differenceOf(await picture('shop-phone'), wider) > TOLERANCE);
  });
});
