import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/support/free-port.ts';

const KEY = 'sf_demo_key_for_a_pipeline_0123456789';

interface Answer {
  status: number;
  // Bodies differ by operation.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
  ms: number;
}

interface Change {
  type: string;
  key: string | null;
  before: { version?: string };
  after: { version?: string };
}

/** The demo itself changes nothing before this day. */
const midnight = (): string => `${new Date().toISOString().slice(0, 10)}T00:00:00Z`;

interface Demo {
  call: (method: string, path: string, body?: object) => Promise<Answer>;
  printed: () => string;
  process: ChildProcess;
}

describe('sitefleet demo', function () {
  this.timeout(300_000);

  let folder: string;
  const running: ChildProcess[] = [];
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'sitefleet-demo-test-'))));
  after(async () => {
    for (const child of running) child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  async function start(...options: string[]): Promise<Demo> {
    const port = await freePort();
    const args = ['--import=tsx', 'src/client-cli/main.ts', 'demo', '--port', String(port), ...options];
    const env = { ...process.env, SITEFLEET_API_KEY: KEY, TMPDIR: folder };
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    running.push(child);
    let text = '';
    child.stdout.on('data', (chunk) => (text += String(chunk)));
    const call: Demo['call'] = async (method, path, body) => {
      const began = performance.now();
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json(), ms: performance.now() - began };
    };
    // Requests wait for the fleet as soon as the port is open.
    for (;;)
      try {
        if ((await call('GET', '/readyz')).status === 200) break;
      } catch {
        assert.equal(child.exitCode, null, text);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    return { call, printed: () => text, process: child };
  }

  it('when faults are planted, then each site has the fault that the demo prints, and the others work', async () => {
    const { call, printed, process: child } = await start('--faults');
    const sites = (await call('GET', '/api/v2/sites/basic?orderby=id&per_page=10')).body.data;
    assert.deepEqual(
      sites.map(({ id, name }: { id: number; name: string }) => `${id} ${name}`),
      Array.from({ length: 10 }, (_, index) => `${index + 1} Demo site ${index + 1}`),
    );
    const sync = (id: number): Promise<Answer> => call('POST', `/api/v2/sites/${id}/sync`);
    assert.equal((await sync(3)).body.code, 'svc_site_unreachable');
    assert.equal((await sync(7)).body.code, 'svc_site_bad_answer');
    const slow = await sync(6);
    assert.ok(slow.status === 200 && slow.ms >= 2_000, `${slow.status} after ${slow.ms} ms`);
    for (const id of [1, 2, 8, 9, 10]) assert.equal((await sync(id)).status, 200, `site ${id}`);
    const update = await call('POST', '/api/v2/updates/update', { type: ['plugins'], include: [4, 5] });
    assert.equal(update.status, 200, JSON.stringify(update.body));
    const failed = update.body.errors.filter(({ site_id }: { site_id: number }) => site_id === 4);
    assert.ok(failed.length > 0);
    for (const { code } of failed) assert.equal(code, 'svc_update_failed');
    const { broken_by_update } = (await call('GET', '/api/v2/sites/5')).body.data;
    assert.notEqual(broken_by_update, null);
    for (const id of [3, 4, 5, 6, 7]) assert.match(printed(), new RegExp(`Site ${id} `));
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number | null];
    assert.equal(code, 0);
    const left = (await readdir(folder)).filter((name) => name.startsWith('sitefleet'));
    assert.deepEqual(left, []);
  });

  it('when the history of a site is read, then versions only rise, and end with the installed ones', async () => {
    const { call, process: child } = await start('--sites', '3');
    let updates = 0;
    for (const site of [1, 2, 3]) {
      const { body } = await call('GET', `/api/v2/changes?site_id=${site}&until=${midnight()}&per_page=500`);
      assert.equal(body.total, body.data.length);
      const { wp_version } = (await call('GET', `/api/v2/sites/${site}`)).body.data;
      const plugins = (await call('GET', `/api/v2/sites/${site}/plugins`)).body.data;
      const themes = (await call('GET', `/api/v2/sites/${site}/themes`)).body.data;
      const installed = new Map<string, string>([
        ['wordpress', wp_version],
        ...[...plugins, ...themes].map(({ slug, version }) => [slug, version] as const),
      ]);
      const byItem = new Map<string, Change[]>();
      for (const change of body.data as Change[])
        if (/^(plugin|theme|wordpress)\.(installed|updated)$/.test(change.type))
          byItem.set(change.key ?? '', [...(byItem.get(change.key ?? '') ?? []), change]);
      assert.ok(byItem.size > 5, `${byItem.size} items`);
      for (const [key, changes] of byItem) {
        // The newest change is first.
        let version = installed.get(key);
        for (const { type, before, after } of changes) {
          assert.equal(after.version, version, `${key} on site ${site}`);
          version = before.version;
          assert.equal(version === undefined, type.endsWith('.installed'), `${key} ${type}`);
          updates += 1;
        }
      }
    }
    assert.ok(updates > 60, `${updates} updates`);
    child.kill('SIGTERM');
    await once(child, 'exit');
  });

  it('when the tour is followed, then the report of the last month is an HTML page with the work on the site', async () => {
    const { printed, process: child } = await start('--sites', '1');
    const [, address = ''] = /-o report\.html '([^']+)'/.exec(printed()) ?? [];
    assert.match(printed(), /-o report\.pdf '[^']+format=pdf'/);
    const response = await fetch(address, { headers: { authorization: `Bearer ${KEY}` } });
    assert.equal(response.headers.get('content-type')?.split(';')[0], 'text/html');
    const page = await response.text();
    assert.match(page, /\d+ updates/);
    assert.doesNotMatch(page, /no figures about this period/);
    child.kill('SIGTERM');
    await once(child, 'exit');
  });

  it('when any port is asked for, then the printed variables reach the demo, which has a package and a pin', async () => {
    const args = ['--import=tsx', 'src/client-cli/main.ts', 'demo', '--port', '0', '--sites', '1'];
    const env = { ...process.env, TMPDIR: folder };
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    running.push(child);
    let text = '';
    for await (const chunk of child.stdout) {
      text += String(chunk);
      if (text.includes('export ') && text.includes('Ctrl-C')) break;
    }
    const [, url = '', key = ''] = /export SITEFLEET_URL=(\S+) SITEFLEET_KEY=(\S+)/.exec(text) ?? [];
    const read = async <Data>(path: string): Promise<Data> => {
      const response = await fetch(`${url}/api/v2/${path}`, { headers: { authorization: `Bearer ${key}` } });
      return ((await response.json()) as { data: Data }).data;
    };
    assert.equal((await read<{ slug: string }>('packages/1')).slug, 'contact-form-7');
    const pin = await read<{ slug: string; version: string }>('pins/1');
    const plugins = await read<{ slug: string; version: string }[]>('sites/1/plugins');
    assert.equal(plugins.find(({ slug }) => slug === pin.slug)?.version, pin.version);
    child.kill('SIGTERM');
    await once(child, 'exit');
  });

  it('when two demos have the same seed, then their sites have the same plugins and history; another seed has others', async () => {
    const contentOf = async (...options: string[]): Promise<string> => {
      const { call, process: child } = await start('--sites', '2', ...options);
      const plugins = (await call('GET', '/api/v2/sites/2/plugins')).body.data;
      const { data } = (await call('GET', `/api/v2/changes?site_id=2&until=${midnight()}&per_page=500`)).body;
      const history = (data as Change[]).map(({ type, key, before, after }) => ({ type, key, before, after }));
      child.kill('SIGTERM');
      await once(child, 'exit');
      return JSON.stringify({ plugins, history });
    };
    const first = await contentOf();
    assert.equal(await contentOf('--seed', '1'), first);
    assert.notEqual(await contentOf('--seed', '2'), first);
  });

  it('when a preset credential is not acceptable, then the command ends with the reason', async () => {
    const args = ['--import=tsx', 'src/client-cli/main.ts', 'demo', '--port', String(await freePort()), '--sites', '1'];
    const env = { ...process.env, SITEFLEET_ADMIN_PASSWORD: 'short', TMPDIR: folder };
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    running.push(child);
    let text = '';
    child.stderr.on('data', (chunk) => (text += String(chunk)));
    const [code] = (await once(child, 'close')) as [number | null];
    assert.equal(code, 1);
    assert.match(text, /SITEFLEET_ADMIN_PASSWORD must have at least 24 characters/);
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith('sitefleet-simulated-')),
      [],
    );
  });
});
