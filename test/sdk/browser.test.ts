import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { launch } from 'puppeteer-core';
import { chromiumOrSkip } from '../support/browsers.ts';
import { createApiKey, bundleForBrowser } from '../support/sdk.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the test is about the client.

/** Globals of every web platform, without those of Node.js. */
const PLATFORM = {
  ...{ fetch, Request, Response, Headers, URL, URLSearchParams, FormData, Blob, AbortController, AbortSignal },
  ...{ TextEncoder, crypto, btoa, setTimeout, clearTimeout },
};

/** A program that reads, pages, waits for a job, changes a record and gets an error. */
const programOf = (from: string): string => `
  import { createClient, isRefusal } from ${JSON.stringify(from)};
  globalThis.tryFleet = async ({ url, key }) => {
    const fleet = createClient({ url, key });
    const sites = [];
    for await (const site of fleet.items('list-sites-v1', { per_page: 1 })) sites.push(site.url);
    await fleet.ability('sync-sites-v1');
    const [newest] = (await fleet.route('jobs_list', { query: { per_page: 1 } })).data;
    const { data: job } = await fleet.waitForJob(newest);
    const { etag } = await fleet.answer('sites_get', { path: { id_or_domain: 1 } });
    const refusal = await fleet.route('sites_get', { path: { id_or_domain: 999 } }).catch((error) => error);
    const csv = await (await fleet.file('time_tracker_tasks_export')).text();
    return { sites, job: job.status, etag, code: isRefusal(refusal) && refusal.code, id: refusal.requestId, csv };
  };`;

interface ProgramResult {
  sites: string[];
  job: string;
  etag: string | null;
  code: string;
  id: string | null;
  csv: string;
}

describe('SDK in a browser', () => {
  let world: World;
  let script: string;
  let folder: string;
  let call: { url: string; key: string };
  const page = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html>'));
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sitefleet-page-'));
    await writeFile(join(folder, 'page.js'), programOf(resolve('src/sdk/index.ts')));
    page.listen(0, '127.0.0.1');
    await once(page, 'listening');
    const origin = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
    [script, world] = await Promise.all([
      bundleForBrowser(join(folder, 'page.js'), { format: 'iife' }),
      startWorld({ sites: 2, env: { SITEFLEET_CORS_ORIGINS: origin } }),
    ]);
    call = { url: world.url, key: await createApiKey(world) };
  });
  after(async () => {
    page.closeAllConnections();
    page.close();
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  const check = ({ sites, job, etag, code, id, csv }: ProgramResult): void => {
    assert.deepEqual(sites, [world.site(0).url, world.site(1).url]);
    assert.equal(job, 'completed');
    assert.equal(code, 'svc_site_not_found');
    assert.ok(etag?.startsWith('"') === true || etag?.startsWith('W/') === true);
    assert.match(id ?? '', /^[\w-]{8,}$/);
    assert.match(csv, /^id,/);
  };

  it('when the Node.js globals are missing, then the SDK works', async () => {
    const context = createContext({ ...PLATFORM });
    runInContext(script, context);
    const { tryFleet } = context as unknown as { tryFleet: (given: object) => Promise<ProgramResult> };
    // Arrays of another context have another class.
    check(structuredClone(await tryFleet(call)));
  });

  it('when the SDK runs in a page of another origin, then it works', async function () {
    const executablePath = await chromiumOrSkip(this);
    const browser = await launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
    try {
      const tab = await browser.newPage();
      await tab.goto(`http://127.0.0.1:${(page.address() as AddressInfo).port}/`);
      await tab.evaluate(script);
      check((await tab.evaluate(`tryFleet(${JSON.stringify(call)})`)) as ProgramResult);
    } finally {
      await browser.close();
    }
  });

  it('when one part is bundled alone, then the bundle omits the other operations', async () => {
    const [part, whole] = await Promise.all([
      bundleForBrowser('examples/typescript/one-part.ts', { minify: true }),
      bundleForBrowser('examples/typescript/quick-start.ts', { minify: true }),
    ]);
    assert.ok(part.length < 20_000 && whole.length > 2 * part.length, `${part.length} and ${whole.length} bytes`);
    assert.ok(part.includes('sites_get') && !part.includes('sites_list') && !part.includes('tags_add'));
  });
});
