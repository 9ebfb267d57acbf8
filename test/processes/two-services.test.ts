import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { keyPool, pairOf, SERVER } from '../../scripts/bench/keys.ts';
import { serviceEnvironment, startService, type Service } from '../../scripts/bench/processes.ts';
import { seedSites } from '../../scripts/bench/seed.ts';
import { openDatabase } from '../../src/db/database.ts';
import { startFleet } from '../../src/sandbox/index.ts';

const SITES = 300;
const SERVER_URL = process.env['TEST_DATABASE_URL'];

/** What a process says of the items that it has under way. */
async function running({ url }: Service): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^sitefleet_queue_running (\d+)/m.exec(text)?.[1] ?? 0);
}

(SERVER_URL ? describe : describe.skip)('two processes on one MariaDB', function () {
  this.timeout(120_000);

  it('when a job of 300 sites runs, then they work on it together, and call each site once', async () => {
    const name = `sitefleet_test_${randomBytes(6).toString('hex')}`;
    const url = new URL(SERVER_URL ?? '');
    url.pathname = '/';
    const server = openDatabase({ dialect: 'mysql', url: url.href, poolSize: 1 });
    await server.knex.raw('create database ??', [name]);
    url.pathname = `/${name}`;
    const pool = keyPool();
    const primedKeys = (index: number) => ({
      publicKeyPem: pairOf(pool, index).publicKeyPem,
      server: SERVER,
      admin: 'admin',
    });
    const fleet = await startFleet({ sites: SITES, latencyMs: 100, primedKeys });
    const environments = [await serviceEnvironment(url.href), await serviceEnvironment(url.href)];
    const [first, second] = environments.map(({ env }) => env) as [Record<string, string>, Record<string, string>];
    second['SITEFLEET_SECRET_KEY'] = first['SITEFLEET_SECRET_KEY'] ?? '';
    await seedSites(
      first,
      SITES,
      fleet.sites.map((site) => site.url),
    );
    const services: Service[] = [];
    try {
      for (const env of [first, second]) services.push(await startService(env, ['--import=tsx'], 'src/main.ts'));
      const [one, two] = services as [Service, Service];
      const ask = async (service: Service, method: string, path: string, body?: string) => {
        const headers = { authorization: service.authorization, 'content-type': 'application/json' };
        const answer = await fetch(service.url + path, { method, headers, ...(body ? { body } : {}) });
        assert.equal(answer.status, 200);
        // The contract's own tests look at these answers.
        // eslint-disable-next-line @typescript-eslint/no-explicit-any
        return (await answer.json()) as any;
      };
      const { job_id } = await ask(one, 'POST', '/abilities/v1/svc/sync-sites-v1/run', '{"input":{}}');
      const took = [false, false];
      for (;;) {
        for (const [at, service] of [one, two].entries()) took[at] ||= (await running(service)) > 0;
        const { data } = await ask(two, 'GET', `/api/v2/jobs/${job_id}?per_page=1`);
        if (data.completed_at !== null) {
          assert.deepEqual([data.status, data.succeeded, data.failed], ['completed', SITES, 0]);
          break;
        }
        await sleep(20);
      }
      assert.deepEqual(took, [true, true], 'both took part');
      assert.deepEqual(
        fleet.sites.map((site) => site.countOf('stats')).filter((count) => count !== 1),
        [],
      );
    } finally {
      for (const service of services) await service.stop();
      for (const { remove } of environments) await remove();
      await fleet.close();
      await server.knex.raw('drop database ??', [name]);
      await server.close();
    }
  });
});
