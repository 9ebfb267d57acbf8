import assert from 'node:assert/strict';
import type { Browser, Page, Viewport } from 'puppeteer-core';
import { chromiumOrSkip } from '../support/browsers.ts';
import {
  addressOfFile,
  accessibilityViolations,
  recordPageErrors,
  filesOfSite,
  openBrowser,
  horizontalOverflow,
  DocsBrowser,
} from '../support/docs-site.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the docs contain no records.

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const TABS = 3;
const OPERATION = /^\/docs\/reference\/\w+\/[\w-]+$/;
/** A read, a list, edits with and without a body, a form with a file, several forms of an answer. */
const SAMPLE_PAGES = [
  ...[
    '/list-sites-v1',
    '/run-updates-v1',
    '/sites_get',
    '/sites_list',
    '/sites_edit',
    '/sites_sync_all',
    '/tags_delete',
  ],
  ...['/users_import', '/pro_reports_get', '/batch_run'],
];

const isOfEveryKind = (address: string): boolean => SAMPLE_PAGES.some((id) => address.endsWith(id));
/** A tab goes to a page as visitors do now and then; the pages between are written into it. */
const OPENED_EVERY = 20;

interface BrowserView {
  size: Viewport;
  scheme: 'light' | 'dark';
}
const WIDE: BrowserView = { size: DESKTOP, scheme: 'light' };
const NARROW: BrowserView = { size: PHONE, scheme: 'dark' };

async function showAs(tab: Page, { size, scheme }: BrowserView): Promise<void> {
  if (tab.viewport()?.width === size.width) return;
  await tab.setViewport(size);
  await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
}

describe('docs in a browser', function () {
  // A page takes a tenth of a second on an idle machine.
  this.timeout(600_000);
  let browser: Browser;
  let world: World;
  let addresses: string[];
  before(async function () {
    const executable = await chromiumOrSkip(this);
    addresses = (await filesOfSite('.html')).map(addressOfFile);
    world = await startWorld();
    browser = await openBrowser(executable);
  });
  after(async () => {
    await browser?.close();
    await world?.close();
  });

  /** Does it on each of the pages, several side by side; all that was found wrong. */
  async function onPages(
    pages: readonly string[],
    look: (reader: DocsBrowser, address: string, isOpened: boolean) => Promise<string[]>,
  ): Promise<string[]> {
    const waiting = [...pages];
    const faults: string[] = [];
    const work = async (tab: Page): Promise<void> => {
      const complaints = recordPageErrors(tab, world.url);
      const reader = new DocsBrowser(tab);
      let count = 0;
      for (let address = waiting.shift(); address; address = waiting.shift()) {
        const isOpened = count++ % OPENED_EVERY === 0;
        const found = [...(await look(reader, address, isOpened)), ...complaints.splice(0)];
        faults.push(...found.map((fault) => `${address}: ${fault}`));
      }
      await tab.close();
    };
    const tabs = await Promise.all(Array.from({ length: Math.min(TABS, pages.length) }, () => browser.newPage()));
    // Behind another tab pages are laid out all the same, and not painted, which nobody would look at.
    const front = pages.length > TABS ? await browser.newPage() : null;
    await front?.bringToFront();
    await Promise.all(tabs.map(work));
    await front?.close();
    return faults;
  }

  it('when every page is opened wide and narrow, light and dark, then it has no errors, overflow or accessibility violations', async () => {
    assert.ok(addresses.length > 350);
    const faults = await onPages(addresses, async (reader, address, isOpened) => {
      const { tab } = reader;
      const isOperation = OPERATION.test(address);
      // Every page by turns wide and light first, or narrow and dark.
      const readings = addresses.indexOf(address) % 2 ? [WIDE, NARROW] : [NARROW, WIDE];
      const found: string[] = [];
      for (const [index, reading] of readings.entries()) {
        await showAs(tab, reading);
        if (index === 0) {
          const url = world.url + address;
          found.push(...(await (isOpened || isOfEveryKind(address) ? reader.open(url) : reader.showPage(url))));
          if (await tab.evaluate(`document.querySelector('#theme').hidden`)) found.push('its scripts did not run');
        }
        const overhang = await horizontalOverflow(tab);
        if (overhang > 0) found.push(`at ${reading.size.width} it is ${overhang} pixels too wide`);
        // What is looked at long costs most. Pages of operations are made alike: some of every kind stand for them,
        // with their forms open and in both ways; other pages are judged as they are first shown.
        if (isOperation ? !isOfEveryKind(address) : index > 0) continue;
        // Not by the mouse: a tab in the background may never be told what is in view.
        if (index === 0) await tab.evaluate(`document.querySelector('.try button')?.click()`);
        found.push(
          ...(await accessibilityViolations(tab)).map((each) => `${reading.size.width} ${reading.scheme}: ${each}`),
        );
      }
      return found;
    });
    assert.deepEqual(faults, []);
  });

  it('when an operation is typed into the search, then its page is one key press away', async () => {
    const faults = await onPages(['/docs/guides/errors'], async ({ tab }, address) => {
      await tab.setViewport(DESKTOP);
      await tab.goto(world.url + address);
      await tab.keyboard.press('/');
      await tab.type('#search', 'get-site-v1');
      await tab.waitForSelector('#found a');
      const barriers = await accessibilityViolations(tab);
      await tab.keyboard.press('ArrowDown');
      await Promise.all([tab.waitForNavigation(), tab.keyboard.press('Enter')]);
      assert.equal(tab.url(), `${world.url}/docs/reference/abilities/get-site-v1.html`);
      return barriers;
    });
    assert.deepEqual(faults, []);
  });

  it('when a code language is chosen, then the next page shows it', async () => {
    const faults = await onPages(['/docs/reference/v2/sites_list'], async ({ tab }, address) => {
      const shown = (): Promise<unknown> =>
        tab.$eval('.tabs > .code:not([hidden])', (code) => code.getAttribute('data-label'));
      await tab.goto(world.url + address);
      assert.equal(await shown(), 'curl');
      await tab.click('[role=tab]:nth-child(3)');
      assert.equal(await shown(), 'Python');
      await tab.goto(`${world.url}/docs/reference/v2/tags_list`);
      assert.equal(await shown(), 'Python');
      return [];
    });
    assert.deepEqual(faults, []);
  });

  it('when the form of an operation is sent, then the same service is called and its response is shown', async () => {
    const key = String(world.authorizations.reader).replace('Bearer ', '');
    const operations = ['/docs/reference/v2/sites_list', '/docs/reference/abilities/list-sites-v1'];
    const faults = await onPages(operations, async ({ tab }, address) => {
      await tab.goto(world.url + address);
      await tab.click('.try button');
      await tab.type('[name=secret]', key);
      await tab.click('.send');
      await tab.waitForSelector('.answer pre');
      const shown = await tab.$eval('.answer', ({ textContent }) => textContent ?? '');
      return /200 OK[\s\S]*"total": 0/.test(shown) ? [] : [shown];
    });
    assert.deepEqual(faults, []);
  });
});
