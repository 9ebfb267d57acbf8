import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startFleet, type Fleet } from '../../src/sandbox/index.ts';
import { SHORT_PROCESS_OPTIONS } from '../support/short-lived.ts';
import {
  callSigned,
  sendSigned,
  requireObject,
  post,
  connectedState,
  register,
  send,
  signedForm,
  isPendingAfter,
} from './support/dashboard.ts';

describe('simulated fleet', () => {
  let fleet: Fleet | undefined;

  afterEach(async () => {
    await fleet?.close();
    fleet = undefined;
  });

  it('when a fleet has 1,000 sites, then its start needs less than 60 MB', async () => {
    const before = process.memoryUsage().rss;
    fleet = await startFleet({ sites: 1000 });
    assert.ok(process.memoryUsage().rss - before < 60_000_000);
    assert.equal(new Set(fleet.sites.map((site) => site.url)).size, 1000);
    assert.ok((await register(fleet.sites[999] as Fleet['sites'][0]))['register']);
  });

  it('when a site is built, then it needs less than 60 kB', async () => {
    fleet = await startFleet({ sites: 1000, primedKeys: connectedState });
    const before = process.memoryUsage().heapUsed;
    for (const site of fleet.sites) assert.ok(site.state.plugins.size >= 6);
    assert.ok((process.memoryUsage().heapUsed - before) / 1000 < 60_000);
  });

  it('when the seed is the same, then the sites are the same, and they differ by index', async () => {
    const now = (): number => 1_800_000_000_000;
    fleet = await startFleet({ sites: 20, seed: 3, now });
    const other = await startFleet({ sites: 20, seed: 3, now });
    await other.close();
    const plain = (item: Fleet): string[] =>
      item.sites.map((site) =>
        JSON.stringify([[...site.state.plugins], [...site.state.themes], [...site.state.posts]]),
      );
    assert.deepEqual(plain(fleet), plain(other));
    assert.equal(new Set(plain(fleet)).size, 20);
    assert.notEqual(fleet.sites[0]?.adminPassword, fleet.sites[1]?.adminPassword);
  });

  it('when sites are created, then each has the child, hello.php and three themes, and some have rare features', async () => {
    fleet = await startFleet({ sites: 100 });
    const states = fleet.sites.map((site) => site.state);
    for (const state of states) {
      assert.equal(state.plugins.get('mainwp-child/mainwp-child.php')?.active, true);
      assert.ok(state.plugins.has('hello.php'));
      assert.ok(state.themes.has(state.activeTheme) && state.themes.size >= 3);
    }
    const some = (found: (state: (typeof states)[0]) => boolean): void => {
      const count = states.filter(found).length;
      assert.ok(count > 0 && count < 100);
    };
    some((state) => state.core.update !== null);
    some((state) => state.themes.get(state.activeTheme)?.definition.parent !== undefined);
    some((state) => state.translations.length > 0);
    some((state) => [...state.plugins.values()].some((plugin) => plugin.update !== null));
    some((state) => state.plugins.has('vergessene-galerie/galerie.php'));
  });

  it('when a fleet has no ips option, then each site has its own address, otherwise sites share them', async () => {
    fleet = await startFleet({ sites: 3 });
    const hosts = fleet.sites.map((site) => new URL(site.url).hostname);
    assert.equal(new Set(hosts).size, 3);
    assert.ok(hosts.every((host) => host.startsWith('127.') && host !== '127.0.0.1'));
    await fleet.close();
    fleet = await startFleet({ sites: 5, ips: 2, primedKeys: connectedState });
    assert.equal(new Set(fleet.sites.map((site) => new URL(site.url).hostname)).size, 2);
    for (const site of fleet.sites) assert.equal((await callSigned(site, 'stats'))['siteurl'], site.siteUrl);
    assert.equal((await send(fleet.baseUrl, '', { path: '/../site-77/' })).status, 404);
  });

  it('when a fleet uses https, then its certificates are trusted, except for planted defects', async () => {
    fleet = await startFleet({
      sites: 4,
      tls: true,
      primedKeys: connectedState,
      certificateDefects: (index) => (index === 1 ? 'wrong-name' : index === 2 ? 'expired' : undefined),
    });
    const ca = fleet.certificate ?? '';
    const visit = (index: number, trust?: string): Promise<unknown> => {
      const options = { method: 'GET', path: '/', ...(trust === undefined ? {} : { ca: trust }) };
      return send(fleet?.sites[index]?.url ?? '', '', options).then((answer) => answer.status);
    };
    assert.equal(await visit(0, ca), 200);
    assert.equal(await visit(3, ca), 200);
    await assert.rejects(visit(0), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    await assert.rejects(visit(1, ca));
    await assert.rejects(visit(2, ca));
  });

  it('when a site uses https, then its security checks and cookies show that', async () => {
    fleet = await startFleet({ sites: 1, tls: true, primedKeys: connectedState });
    const [site] = fleet.sites;
    assert.ok(site !== undefined && fleet.certificate !== undefined);
    const answer = await post(site, signedForm('security'), { ca: fleet.certificate });
    assert.equal(requireObject(answer.json)['sslprotocol'], 'Y');
    assert.ok(answer.cookies.every((line) => line.includes('secure')));
  });

  it('when a latency is set, then responses are delayed', async () => {
    fleet = await startFleet({ sites: 1, latencyMs: 50, primedKeys: connectedState });
    const answer = sendSigned(fleet.sites[0] as Fleet['sites'][0], 'stats');
    assert.equal(await isPendingAfter(40, answer), true);
    await answer;
  });
});

describe('sandbox command', () => {
  const main = fileURLToPath(new URL('../../src/sandbox/main.ts', import.meta.url));
  const run = (...flags: string[]): ReturnType<typeof spawn> =>
    spawn(process.execPath, [...SHORT_PROCESS_OPTIONS, '--import=tsx', main, ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  it('when the command starts, then it prints one JSON line per site and a ready line, and ends on SIGTERM', async () => {
    const child = run('--sites', '3', '--port', '0', '--json');
    assert.ok(child.stdout !== null);
    const lines: Record<string, unknown>[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(JSON.parse(line) as Record<string, unknown>);
      if (lines.length === 4) break;
    }
    assert.deepEqual(Object.keys(lines[0] ?? {}), ['url', 'admin', 'admin_password']);
    assert.deepEqual(lines[3], { ready: true });
    assert.equal((await send(String(lines[2]?.['url']), '', { method: 'GET', path: '/' })).status, 200);
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number];
    assert.equal(code, 0);
  });

  for (const flags of [['--sites', '0'], ['--sites', 'many'], ['--nonsense']]) {
    it(`when the flags are ${flags.join(' ')}, then the command exits with code 2 and a message`, async () => {
      const child = run(...flags);
      let message = '';
      child.stderr?.on('data', (chunk: Buffer) => (message += chunk.toString()));
      const [code] = (await once(child, 'close')) as [number];
      assert.equal(code, 2);
      assert.ok(message.includes(flags[0] ?? '') && message.includes('npm run sandbox'));
    });
  }
});
