import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { Lighthouse, type LighthouseOptions } from '../../src/browser/index.ts';
import { descendantsOf, isRunning } from '../../src/browser/process-tree.ts';
import { chromiumOrSkip, childProcessesOf } from '../support/browsers.ts';
import { buildEntriesOnce } from '../support/built-entry.ts';
import { auditSites, readAudit } from '../support/perf-audit.ts';
import { editSettings } from '../support/settings.ts';
import { until } from '../support/until.ts';
import { startWorld } from '../support/world.ts';

// Runs on SQLite only: the test is about the browser.

const ENTRY = 'test/browser/audit-and-wait.ts';
const TASK = { strategy: 'mobile', locale: 'en', verifyTls: true } as const;
const LIMITS = { deadlineMs: 120_000, memoryBytes: 3 * 1024 ** 3 };

const page = (body: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><title>A shop</title><meta name="viewport" content="width=device-width">${head}` +
  `</head><body><h1>A shop</h1>${body}</body></html>`;

const FOLDER = /^sitefleet-browser-(\d+)-/;

/** Returns the names of the temporary folders whose supervisor runs below a process. Tests run in parallel. */
const foldersOf = (pid: number): string[] => {
  const below = new Set(descendantsOf(pid));
  return readdirSync(tmpdir()).filter((name) => below.has(Number(FOLDER.exec(name)?.[1])));
};

const remain = (names: string[]): string[] => readdirSync(tmpdir()).filter((name) => names.includes(name));

const faultOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: { fault?: string; message: string }) => error.fault ?? error.message,
  );

describe('Lighthouse on this machine', function () {
  // A browser starts within a second on an idle machine, and can take many on a busy one.
  this.timeout(180_000);
  let chromePath: string;
  let processes: string;
  let server: Server;
  let url: string;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let asked: string[];
  before(async function () {
    chromePath = await chromiumOrSkip(this);
    processes = await buildEntriesOnce();
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      answer(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  after(() => {
    server?.closeAllConnections();
    server?.close();
  });
  beforeEach(() => {
    asked = [];
    show(page('<p>Welcome.</p>'));
  });

  const show = (html: string): void => {
    answer = (_request, response) => void response.setHeader('content-type', 'text/html').end(html);
  };
  const lighthouse = (options: Partial<LighthouseOptions> = {}): Lighthouse =>
    new Lighthouse({
      chromePath,
      processes,
      sandbox: process.getuid?.() !== 0,
      systemPath: process.env['PATH'] ?? '',
      allowedNetworks: ['127.0.0.0/8'],
      ipv4Only: () => false,
      ...options,
    });
  const never = new AbortController().signal;

  it('when a site is audited, then a real browser measures it and no process or folder is left', async () => {
    const world = await startWorld({
      sites: 1,
      env: { CHROME_PATH: chromePath },
      overrides: { browserProcesses: processes },
    });
    try {
      await editSettings(world, 'perf-audit', { provider: 'lighthouse', strategy: 'desktop', language: 'de' });
      const { data, items } = await auditSites(world, [world.siteId(0)]);
      const audit = await readAudit(world, world.siteId(0), '?with_opportunities=true');
      assert.deepEqual(
        [data.status, audit.state, audit.engine, audit.error],
        ['completed', 'completed', 'lighthouse', null],
      );
      const { desktop } = audit;
      for (const name of ['performance', 'accessibility', 'best_practices', 'seo'])
        assert.ok(desktop[name] >= 0 && desktop[name] <= 100, `${name}: ${desktop[name]}`);
      assert.deepEqual([desktop.engine_version, desktop.final_url], ['12.8.2', world.site(0).url]);
      assert.equal(items[0].result.audit.desktop_performance, desktop.performance);
      assert.equal(desktop.lab_data.length, 6);
      for (const { numeric_value: value, display_value: shown, numeric_unit: unit } of desktop.lab_data)
        assert.ok(value >= 0 && typeof shown === 'string' && typeof unit === 'string');
      assert.match(String(desktop.lab_data[0].display_value), /^\d+,\d/, 'in the language of the settings');
      assert.deepEqual(childProcessesOf(process.pid), []);
    } finally {
      await world.close();
    }
  });

  it('when a page requests forbidden addresses, then the browser cannot reach them', async () => {
    const secret = createServer((request, response) => {
      asked.push(`secret${request.url}`);
      response.end('{}');
    }).listen(0, '127.77.0.1');
    await once(secret, 'listening');
    const { port } = secret.address() as AddressInfo;
    const at = `127.77.0.1:${port}`;
    show(
      page(
        `<img src="http://${at}/img"><iframe src="http://${at}/frame"></iframe>` +
          `<script>fetch('http://${at}/fetch', {mode: 'no-cors'}).catch(() => 0); new WebSocket('ws://${at}/socket');` +
          `navigator.sendBeacon('http://${at}/beacon'); new EventSource('http://${at}/events');` +
          `new RTCPeerConnection({iceServers: [{urls: 'turn:${at}?transport=tcp', username: 'a', credential: 'b'}]})` +
          `.createDataChannel('x');</script>`,
        `<link rel="preconnect" href="http://${at}"><link rel="stylesheet" href="http://[::ffff:127.77.0.1]:${port}/css">`,
      ),
    );
    const report = (await lighthouse({ allowedNetworks: ['127.0.0.1/32'] }).audit({ ...TASK, url }, LIMITS, never)) as {
      runtimeError?: unknown;
    };
    secret.closeAllConnections();
    secret.close();
    assert.equal(report.runtimeError, undefined, 'the page itself was audited');
    assert.deepEqual(
      asked.filter((path) => path.startsWith('secret')),
      [],
    );
    assert.ok(asked.includes('/'));
  });

  it('when a page redirects to a forbidden address, then the audit fails with address_refused', async () => {
    answer = (_request, response) => void response.writeHead(302, { location: 'http://127.77.0.1/' }).end();
    const audit = lighthouse({ allowedNetworks: ['127.0.0.1/32'] }).audit({ ...TASK, url }, LIMITS, never);
    assert.equal(await faultOf(audit), 'address_refused');
  });

  it('when the browser is missing or does not start, then each has its own error', async () => {
    const none = lighthouse({ chromePath: '/nowhere/chromium' });
    assert.deepEqual(
      [await none.isInstalled(), await faultOf(none.audit({ ...TASK, url }, LIMITS, never))],
      [false, 'browser_missing'],
    );
    const broken = lighthouse({ chromePath: process.execPath });
    assert.equal(await faultOf(broken.audit({ ...TASK, url }, LIMITS, never)), 'browser_failed');
    assert.deepEqual(childProcessesOf(process.pid), []);
  });

  it('when a page exceeds its memory limit, then the browser is ended', async () => {
    const limits = { ...LIMITS, memoryBytes: 64 * 1024 ** 2 };
    assert.equal(await faultOf(lighthouse().audit({ ...TASK, url }, limits, never)), 'out_of_memory');
    assert.deepEqual(childProcessesOf(process.pid), []);
  });

  it('when the deadline passes or the audit is aborted, then the browser is ended and its folder removed', async () => {
    // The page never responds, so the audit runs until its limit.
    answer = () => undefined;
    const late = lighthouse().audit({ ...TASK, url }, { ...LIMITS, deadlineMs: 8000 }, never);
    const giveUp = new AbortController();
    const givenUp = faultOf(lighthouse().audit({ ...TASK, url }, LIMITS, giveUp.signal));
    await until(() => asked.length > 0, 'the browser to ask', 60_000).catch(() => undefined);
    giveUp.abort(new Error('nobody wants it'));
    assert.equal(await givenUp, 'nobody wants it');
    assert.equal(await faultOf(late), 'timeout');
    assert.deepEqual(childProcessesOf(process.pid), []);
  });

  it('when the service is killed, then browser, helpers and folder disappear', async () => {
    answer = () => undefined;
    // Runs from the sources, as in development.
    const service = spawn(process.execPath, ['--import=tsx', ENTRY, url, chromePath], { stdio: 'ignore' });
    try {
      await until(() => asked.length > 0, 'the browser to ask', 90_000);
      const started = childProcessesOf(service.pid ?? 0);
      const own = foldersOf(service.pid ?? 0);
      assert.ok(started.length > 4 && own.length === 1, `${started.length} processes, ${own.length} folders`);
      service.kill('SIGKILL');
      const isOver = (): boolean => !started.some(isRunning) && remain(own).length === 0;
      await until(isOver, 'all of it to end', 30_000);
    } finally {
      service.kill('SIGKILL');
    }
  });

  it('when the supervisor is killed, then the browser ends, and the next audit removes its folder', async () => {
    answer = () => undefined;
    const audit = faultOf(lighthouse().audit({ ...TASK, url }, LIMITS, never));
    await until(() => asked.length > 0, 'the browser to ask', 90_000);
    const started = childProcessesOf(process.pid);
    const own = foldersOf(process.pid);
    assert.equal(own.length, 1);
    process.kill(Number(FOLDER.exec(own[0] ?? '')?.[1] ?? assert.fail()), 'SIGKILL');
    assert.equal(await audit, 'browser_failed');
    await until(() => !started.some(isRunning), 'the browser to end', 30_000);
    await faultOf(lighthouse({ chromePath: process.execPath }).audit({ ...TASK, url }, LIMITS, never));
    assert.deepEqual(remain(own), []);
  });
});
