import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadKeyPool, keyPairAt, DASHBOARD_URL } from '../../scripts/bench/keys.ts';
import type { BenchService } from '../../scripts/bench/processes.ts';
import { seedSites } from '../../scripts/bench/seed.ts';
import { sqliteModule } from '../../src/db/drivers/sqlite-module.ts';
import { startFleet, type Fleet } from '../../src/sandbox/index.ts';
import { runEntry, startBuiltService, testEnvironment } from '../support/service-process.ts';
import { until } from '../support/until.ts';

// Runs on SQLite only: the service has its default configuration.

const SITES = 150;
const COMMANDS = 6;
const AT_ONCE = 3;

(process.env['TEST_DATABASE_URL'] ? describe.skip : describe)('a busy service with SQLite', function () {
  this.timeout(300_000);
  let service: BenchService;
  let fleet: Fleet;
  let environment: Awaited<ReturnType<typeof testEnvironment>>;
  before(async () => {
    const pool = loadKeyPool();
    const primedKeys = (index: number) => ({
      publicKeyPem: keyPairAt(pool, index).publicKeyPem,
      server: DASHBOARD_URL,
      admin: 'admin',
    });
    fleet = await startFleet({ sites: SITES, latencyMs: 20, primedKeys });
    environment = await testEnvironment();
    environment.env['SITEFLEET_DATABASE_TIMEOUT'] = '1';
    environment.env['LOG_LEVEL'] = 'fatal';
    const urls = fleet.sites.map(({ url }) => url);
    await seedSites(environment.env, SITES, urls);
    service = await startBuiltService(environment.env);
  });
  after(async () => {
    await service.stop();
    await fleet.close();
    await environment.remove();
  });

  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: service.authorization, 'content-type': 'application/json' };
    const response = await fetch(service.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
  };
  let names = 0;
  const addTag = () => call('POST', '/api/v2/tags/add', { name: `tag ${names++}` });
  const sync = () => {
    const ids = Array.from({ length: SITES }, (_, index) => index + 1);
    return call('POST', '/abilities/v1/svc/sync-sites-v1/run', { input: { site_ids_or_domains: ids } });
  };

  it('when another process locks the file, then writes fail, reads succeed, and the service recovers', async () => {
    const other = new sqliteModule.DatabaseSync(join(environment.env['SITEFLEET_DATA_DIR'] ?? '', 'sitefleet.db'), {
      // The service may be writing.
      timeout: 10_000,
    });
    other.exec('begin immediate');
    const syncing = sync();
    const writes = Promise.all([addTag(), addTag(), addTag()]);
    await sleep(100);
    assert.equal((await call('GET', '/api/v2/sites?per_page=5')).status, 200);
    // The check fails when its own write has waited as long as the others.
    await until(async () => (await fetch(`${service.url}/readyz`)).status === 503, 'the service not to be ready');
    for (const { status, retryAfter, text } of await writes) {
      assert.equal(status, 503, text);
      assert.match(text, /"code":"svc_database_unavailable"/);
      assert.ok(Number(retryAfter) > 0);
    }
    other.exec('commit');
    other.close();
    await syncing;
    for (let count = 0; count < 3; count++) assert.equal((await addTag()).status, 200);
    await until(async () => (await fetch(`${service.url}/readyz`)).status === 200, 'the service to be ready');
  });

  it('when the fleet is being synced, then CLI commands can still write', async () => {
    let over = false;
    const syncing = (async () => {
      while (!over) assert.equal((await sync()).status, 200);
    })();
    const create = async (count: number): Promise<void> => {
      const args = ['users', 'create', '--name', `user ${count}`, '--role', 'viewer'];
      const { code, err } = await runEntry('cli', args, environment.env);
      assert.equal(code, 0, err);
    };
    try {
      for (let count = 0; count < COMMANDS; count += AT_ONCE)
        await Promise.all(Array.from({ length: AT_ONCE }, (_, offset) => create(count + offset)));
    } finally {
      over = true;
    }
    await syncing;
    assert.equal((await addTag()).status, 200);
  });
});
