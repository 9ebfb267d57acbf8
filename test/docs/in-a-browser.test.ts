import assert from 'node:assert/strict';
import type { Browser, Page, Viewport } from 'puppeteer-core';
import { accessibilityViolations } from '../support/accessibility.ts';
import { chromiumOrSkip } from '../support/browsers.ts';
import {
  addressOfFile,
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
const OPERATION_PAGE = /^\/docs\/reference\/\w+\/[\w-]+$/;
/** Reads, lists, changes with and without a body, a form with a file, and responses with several variants. */
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

const isSamplePage = (address: string): boolean => SAMPLE_PAGES.some((id) => address.endsWith(id));
/** A tab opens every 20th page as a visitor does. It writes the others into the open document, which is faster. */
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

describe('the docs in a browser', function () {
  // About 0.1 s per page on an idle machine.
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

  /** Calls `check` on each page, in several tabs at a time. Returns all problems. */
  async function onPages(
    pages: readonly string[],
    check: (reader: DocsBrowser, address: string, isOpened: boolean) => Promise<string[]>,
  ): Promise<string[]> {
    const waiting = [...pages];
    const problems: string[] = [];
    const work = async (tab: Page): Promise<void> => {
      const pageErrors = recordPageErrors(tab, world.url);
      const reader = new DocsBrowser(tab);
      let count = 0;
      for (let address = waiting.shift(); address; address = waiting.shift()) {
        const isOpened = count++ % OPENED_EVERY === 0;
        const found = [...(await check(reader, address, isOpened)), ...pageErrors.splice(0)];
        problems.push(...found.map((problem) => `${address}: ${problem}`));
      }
      await tab.close();
    };
    const tabs = await Promise.all(Array.from({ length: Math.min(TABS, pages.length) }, () => browser.newPage()));
    // Tabs in the background are laid out but not painted, which saves time.
    const front = pages.length > TABS ? await browser.newPage() : null;
    await front?.bringToFront();
    await Promise.all(tabs.map(work));
    await front?.close();
    return problems;
  }

  it('when pages are shown on a desktop and a phone, then they have no errors, overflow or accessibility problems', async () => {
    assert.ok(addresses.length > 350);
    const problems = await onPages(addresses, async (reader, address, isOpened) => {
      const { tab } = reader;
      const isOperation = OPERATION_PAGE.test(address);
      // Every second page is shown first on a phone and in dark mode.
      const views = addresses.indexOf(address) % 2 ? [WIDE, NARROW] : [NARROW, WIDE];
      const found: string[] = [];
      for (const [index, view] of views.entries()) {
        await showAs(tab, view);
        if (index === 0) {
          const url = world.url + address;
          found.push(...(await (isOpened || isSamplePage(address) ? reader.open(url) : reader.showPage(url))));
          if (await tab.evaluate(`document.querySelector('#theme').hidden`)) found.push('the scripts did not run');
        }
        const overflow = await horizontalOverflow(tab);
        if (overflow > 0) found.push(`${overflow} px too wide at ${view.size.width} px`);
        // axe is slow. Operation pages have one layout, so axe checks only the sample pages, in both views and with
        // open forms. It checks other pages in their first view.
        if (isOperation ? !isSamplePage(address) : index > 0) continue;
        // A mouse click needs a visible element, and a tab in the background may not know what is visible.
        if (index === 0) await tab.evaluate(`document.querySelector('.try button')?.click()`);
        found.push(...(await accessibilityViolations(tab)).map((each) => `${view.size.width} ${view.scheme}: ${each}`));
      }
      return found;
    });
    assert.deepEqual(problems, []);
  });

  it('when an operation ID is typed into the search, then Arrow Down and Enter open its page', async () => {
    const problems = await onPages(['/docs/guides/errors'], async ({ tab }, address) => {
      await tab.setViewport(DESKTOP);
      await tab.goto(world.url + address);
      await tab.keyboard.press('/');
      await tab.type('#search', 'get-site-v1');
      await tab.waitForSelector('#search-results a');
      const violations = await accessibilityViolations(tab);
      await tab.keyboard.press('ArrowDown');
      await Promise.all([tab.waitForNavigation(), tab.keyboard.press('Enter')]);
      assert.equal(tab.url(), `${world.url}/docs/reference/abilities/get-site-v1.html`);
      return violations;
    });
    assert.deepEqual(problems, []);
  });

  it('when a sample language is selected, then the next page shows it', async () => {
    const problems = await onPages(['/docs/reference/v2/sites_list'], async ({ tab }, address) => {
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
    assert.deepEqual(problems, []);
  });

  it('when the request form is sent, then the page shows the response of the service', async () => {
    const key = String(world.authorizations.reader).replace('Bearer ', '');
    const operations = ['/docs/reference/v2/sites_list', '/docs/reference/abilities/list-sites-v1'];
    const problems = await onPages(operations, async ({ tab }, address) => {
      await tab.goto(world.url + address);
      await tab.click('.try button');
      await tab.type('[name=secret]', key);
      await tab.click('.send');
      await tab.waitForSelector('.response pre');
      const shown = await tab.$eval('.response', ({ textContent }) => textContent ?? '');
      return /200 OK[\s\S]*"total": 0/.test(shown) ? [] : [shown];
    });
    assert.deepEqual(problems, []);
  });
});
