import assert from 'node:assert/strict';
import type { Browser, Page } from 'puppeteer-core';
import { chromiumOrSkip } from '../support/browsers.ts';
import { addressOfFile, barriersOn, complaintsOf, filesOfSite, openBrowser, overhangOf } from '../support/docs-site.ts';
import { startWorld, type World } from '../support/world.ts';

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const TABS = 3;
const OPERATION = /^\/docs\/reference\/\w+\/[\w-]+$/;
/** A read, a list, edits with and without a body, a form with a file, several forms of an answer. */
const OF_EVERY_KIND = [
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

const READINGS = [
  [DESKTOP, 'light'],
  [PHONE, 'dark'],
] as const;
/** What is looked at long costs most: operations are read both ways, other pages by turns one way or the other. */
const readingsOf = (address: string, index: number): typeof READINGS | [(typeof READINGS)[number]] =>
  OPERATION.test(address) ? READINGS : [READINGS[index % 2 ? 1 : 0]];

describe('the docs in a browser', function () {
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
    look: (tab: Page, address: string) => Promise<string[]>,
  ): Promise<string[]> {
    const waiting = [...pages];
    const faults: string[] = [];
    const work = async (): Promise<void> => {
      const tab = await browser.newPage();
      const complaints = complaintsOf(tab, world.url);
      for (let address = waiting.shift(); address; address = waiting.shift()) {
        const found = [...(await look(tab, address)), ...complaints.splice(0)];
        faults.push(...found.map((fault) => `${address}: ${fault}`));
      }
      await tab.close();
    };
    await Promise.all(Array.from({ length: TABS }, work));
    return faults;
  }

  it('when a page is opened, then nothing is complained of, asked elsewhere or wider than desktop and phone', async () => {
    assert.ok(addresses.length > 350);
    const faults = await onPages(addresses, async (tab, address) => {
      const answer = await tab.goto(world.url + address);
      const found = answer?.status() === 200 ? [] : [`the answer is ${answer?.status()}`];
      for (const size of [DESKTOP, PHONE]) {
        await tab.setViewport(size);
        const overhang = await overhangOf(tab);
        if (overhang > 0) found.push(`at ${size.width} it is ${overhang} pixels too wide`);
      }
      return found;
    });
    assert.deepEqual(faults, []);
  });

  it('when people of all kinds read a page, light or dark, wide or narrow, then nothing is in their way', async () => {
    // Pages of operations are made alike: some of every kind stand for them, with their forms open.
    const chosen = addresses.filter(
      (address) => !OPERATION.test(address) || OF_EVERY_KIND.some((id) => address.endsWith(id)),
    );
    const faults = await onPages(chosen, async (tab, address) => {
      const found: string[] = [];
      for (const [size, scheme] of readingsOf(address, chosen.indexOf(address))) {
        await tab.setViewport(size);
        await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
        await tab.goto(world.url + address);
        // Not by the mouse: a tab in the background may never be told what is in view.
        await tab.evaluate(`document.querySelector('.try button')?.click()`);
        found.push(...(await barriersOn(tab)).map((barrier) => `${size.width} ${scheme}: ${barrier}`));
      }
      return found;
    });
    assert.deepEqual(faults, []);
  });

  it('when words are typed into the search, then the page of the operation is a step away', async () => {
    const faults = await onPages(['/docs/guides/errors'], async (tab, address) => {
      await tab.setViewport(DESKTOP);
      await tab.goto(world.url + address);
      await tab.keyboard.press('/');
      await tab.type('#search', 'get-site-v1');
      await tab.waitForSelector('#found a');
      const barriers = await barriersOn(tab);
      await tab.keyboard.press('ArrowDown');
      await Promise.all([tab.waitForNavigation(), tab.keyboard.press('Enter')]);
      assert.equal(tab.url(), `${world.url}/docs/reference/abilities/get-site-v1.html`);
      return barriers;
    });
    assert.deepEqual(faults, []);
  });

  it('when a language is chosen, then the next page shows it', async () => {
    const faults = await onPages(['/docs/reference/v2/sites_list'], async (tab, address) => {
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

  it('when the form of an operation is sent, then the service that serves the page is called, and its answer shown', async () => {
    const key = String(world.authorizations.reader).replace('Bearer ', '');
    const operations = ['/docs/reference/v2/sites_list', '/docs/reference/abilities/list-sites-v1'];
    const faults = await onPages(operations, async (tab, address) => {
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
