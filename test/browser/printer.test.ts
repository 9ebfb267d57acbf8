import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GRACE_MS } from '../../src/browser/browser-host.ts';
import { Printer, type PrinterOptions } from '../../src/browser/index.ts';
import { countBrowsersOf, chromiumOrSkip, childProcessesOf } from '../support/browsers.ts';
import { buildEntriesOnce } from '../support/built-entry.ts';
import { until } from '../support/until.ts';

const LIMITS = { deadlineMs: 120_000, memoryBytes: 3 * 1024 ** 3 };
const never = new AbortController().signal;

const page = (body: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><title>A report</title>${head}</head><body><h1>A report</h1>${body}</body></html>`;

const faultOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: { fault?: string; message: string }) => error.fault ?? error.message,
  );

describe('PDF printer on this machine', function () {
  // A browser starts within a second on an idle machine, and can take many on a busy one.
  this.timeout(180_000);
  let chromePath: string;
  let processes: string;
  let printer: Printer;
  const printers: Printer[] = [];
  const open = (options: Partial<PrinterOptions> = {}): Printer => {
    const sandbox = process.getuid?.() !== 0;
    const systemPath = process.env['PATH'] ?? '';
    const opened = new Printer({ chromePath, processes, sandbox, systemPath, limits: LIMITS, browsers: 1, ...options });
    printers.push(opened);
    return opened;
  };
  before(async function () {
    chromePath = await chromiumOrSkip(this);
    processes = await buildEntriesOnce();
    printer = open();
  });
  after(async () => {
    await Promise.all(printers.map((each) => each.close(new Error('The test is over.'))));
    assert.deepEqual(childProcessesOf(process.pid), [], 'nothing is left');
  });

  it('when a page is printed, then the PDF is tagged, has an outline and a title, and is A4', async () => {
    const html = page('<p>Welcome.</p>', '<style>@page { size: A4 }</style>');
    const pdf = (await printer.print(() => html, never)).toString('latin1');
    assert.match(pdf, /^%PDF-/);
    for (const part of [
      /\/Title \(A report\)/,
      /\/StructTreeRoot/,
      /\/Outlines/,
      /\/MediaBox \[0 0 594\.\d+ 841\.\d+\]/,
    ])
      assert.match(pdf, part);
  });

  it('when a page arrives while the idle browser is being closed, then another browser prints it', async () => {
    const hasty = open({ idleMs: 0 });
    await hasty.print(() => page('<p>One.</p>'), never);
    await sleep(5);
    assert.match((await hasty.print(() => page('<p>Two.</p>'), never)).toString('latin1'), /^%PDF-/);
  });

  it('when a page requests network, files or scripts, then they are blocked and the page is printed', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end('x');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const html = page(
      `<img src="${at}/img"><iframe src="${at}/frame"></iframe><object data="${at}/object"></object>` +
        `<video src="${at}/video"></video><svg><image href="${at}/svg"/></svg><img src="file:///etc/hostname">` +
        `<script>document.title = 'changed'; fetch('${at}/fetch')</script><img src="x" onerror="fetch('${at}/error')">`,
      `<link rel="stylesheet" href="${at}/css"><link rel="preconnect" href="${at}">` +
        `<style>@import url("${at}/import"); body { background: url(${at}/background) }</style>`,
    );
    const pdf = (await printer.print(() => html, never)).toString('latin1');
    server.closeAllConnections();
    server.close();
    assert.deepEqual(asked, []);
    assert.match(pdf, /\/Title \(A report\)/);
  });

  it('when many pages wait and some callers abort, then one browser prints the others in order', async () => {
    const made: number[] = [];
    const gone = new AbortController();
    const orders = Array.from({ length: 8 }, (_, index) => {
      const make = (): string => {
        made.push(index);
        return page(`<p>${index}</p>`);
      };
      return faultOf(printer.print(make, index % 2 === 1 && index > 2 ? gone.signal : never));
    });
    gone.abort(new Error('gone'));
    const browsers = countBrowsersOf(process.pid);
    const outcomes = await Promise.all(orders);
    assert.ok(browsers <= 1, `${browsers} browsers`);
    assert.deepEqual(outcomes, ['none', 'none', 'none', 'gone', 'none', 'gone', 'none', 'gone']);
    assert.deepEqual(made, [0, 1, 2, 4, 6]);
    const signal = AbortSignal.abort(new Error('gone before'));
    assert.equal(await faultOf(printer.print(() => assert.fail('it is made'), signal)), 'gone before');
  });

  it('when a page cannot be rendered or exceeds its limits, then only that page fails', async () => {
    const broken = printer.print(() => Promise.reject(new Error('no such site')), never);
    assert.equal(await faultOf(broken), 'no such site');
    assert.equal(await faultOf(printer.print(() => page('fine'), never)), 'none');
    const late = open({ limits: { ...LIMITS, deadlineMs: 1 } });
    assert.equal(await faultOf(late.print(() => page('late'), never)), 'timeout');
    const small = open({ limits: { ...LIMITS, memoryBytes: 16 * 1024 ** 2 } });
    assert.equal(await faultOf(small.print(() => page('<p>many</p>'.repeat(200_000)), never)), 'out_of_memory');
  });

  it('when the browser is missing or does not start, then each has its own error', async () => {
    const none = open({ chromePath: '/nowhere/chromium' });
    assert.deepEqual(
      [await none.isInstalled(), await faultOf(none.print(() => '', never))],
      [false, 'browser_missing'],
    );
    assert.equal(await faultOf(open({ chromePath: process.execPath }).print(() => '', never)), 'browser_failed');
  });

  it('when the printer is closed, then waiting callers get the reason and the browser ends', async () => {
    const closed = open();
    const orders = Array.from({ length: 3 }, () => faultOf(closed.print(() => page('x'), never)));
    await closed.close(new Error('The service is stopping.'));
    const [, ...waiting] = await Promise.all(orders);
    assert.deepEqual(waiting, ['The service is stopping.', 'The service is stopping.']);
    assert.equal(await faultOf(closed.print(() => page('x'), never)), 'The service is stopping.');
  });
});

describe('PDF printer with a simulated supervisor', () => {
  let folder: string;
  const printers: Printer[] = [];
  const open = async (supervisor: string, options: Partial<PrinterOptions> = {}): Promise<Printer> => {
    const processes = await mkdtemp(join(folder, 'processes-'));
    await writeFile(join(processes, 'browser-supervisor.js'), supervisor);
    const base = {
      chromePath: process.execPath,
      processes,
      sandbox: true,
      systemPath: '',
      limits: LIMITS,
      browsers: 1,
    };
    const opened = new Printer({ ...base, idleMs: 0, ...options });
    printers.push(opened);
    return opened;
  };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'printer-test-'));
  });
  after(async () => {
    await Promise.all(printers.map((each) => each.close(new Error('The test is over.'))));
    await rm(folder, { recursive: true });
  });

  it('when the supervisor cannot be started, then each page fails and the printer can be closed', async () => {
    const printer = await open('');
    const execPath = process.execPath;
    process.execPath = join(folder, 'missing');
    try {
      const pages = [1, 2].map(() => faultOf(printer.print(() => '', never)));
      assert.deepEqual(await Promise.all(pages), ['browser_failed', 'browser_failed']);
    } finally {
      process.execPath = execPath;
    }
    await printer.close(new Error('The service is stopping.'));
  });

  it('when the supervisor never reports its folder, then it is killed after the deadline', async () => {
    const printer = await open('process.on("message", () => {});', {
      limits: { ...LIMITS, deadlineMs: 100 - GRACE_MS },
    });
    assert.equal(await faultOf(printer.print(() => '', never)), 'browser_failed');
  });

  it('when a page is never rendered, then closing the printer ends after its deadline', async () => {
    const printer = await open('', { closeMs: 1 });
    void printer.print(() => new Promise<string>(() => undefined), never).catch(() => undefined);
    await printer.close(new Error('The service is stopping.'));
  });

  it('when the service has its own temporary folder, then the supervisor uses it, unless its path is too long', async () => {
    const { TMPDIR } = process.env;
    const short = await mkdtemp('/tmp/sf-');
    const long = await mkdtemp(join(short, 'a-longer-name-for-a-folder-'));
    try {
      for (const [own, used] of [
        [short, short],
        [long, '/tmp'],
      ] as const) {
        process.env['TMPDIR'] = own;
        const printer = await open(`
          const { join } = require('node:path');
          const folder = require('node:fs').mkdtempSync(join(require('node:os').tmpdir(), 'test-'));
          process.on('message', ({ print }) => {
            if (print === undefined) return process.send({ folder });
            require('node:fs').writeFileSync(join(folder, 'page-' + print + '.pdf'), folder);
            process.send({ printed: print });
          });`);
        const folder = (await printer.print(() => '', never)).toString();
        assert.equal(dirname(folder), used);
        await rm(folder, { recursive: true });
      }
    } finally {
      if (TMPDIR === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = TMPDIR;
      await rm(short, { recursive: true });
    }
  });
});

describe('PDF printer while pages are made', () => {
  // Without an installed browser, the error shows that the page had its turn.
  const openWithoutBrowser = () =>
    new Printer({ chromePath: '/nowhere/chromium', processes: '', sandbox: true, systemPath: '', browsers: 1 });

  it('when the data of a page does not arrive, then the browser takes the next page', async () => {
    const printer = openWithoutBrowser();
    const hanging = faultOf(printer.print(() => new Promise<string>(() => undefined), never));
    assert.equal(await faultOf(printer.print(() => page('fine'), never)), 'browser_missing');
    await printer.close(new Error('over'));
    assert.equal(await hanging, 'over');
  });

  it('when many pages wait, then only a few of them are made in advance', async () => {
    const printer = openWithoutBrowser();
    const made: number[] = [];
    const finish: ((html: string) => void)[] = [];
    const orders = Array.from({ length: 12 }, (_, index) => {
      const make = (): Promise<string> => {
        made.push(index);
        return new Promise((resolve) => finish.push(resolve));
      };
      return faultOf(printer.print(make, new AbortController().signal));
    });
    await until(async () => made.length === 9, 'nine pages to be begun');
    await sleep(20);
    assert.equal(made.length, 9);
    finish[0]?.(page('first'));
    assert.equal(await orders[0], 'browser_missing');
    await until(async () => made.length === 10, 'the next page to be begun');
    await printer.close(new Error('over'));
    assert.deepEqual(await Promise.all(orders.slice(1)), Array<string>(11).fill('over'));
  });
});
