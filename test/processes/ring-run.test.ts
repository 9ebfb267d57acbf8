import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { keyPool, pairOf, SERVER } from '../../scripts/bench/keys.ts';
import { serviceEnvironment, startService, type Service } from '../../scripts/bench/processes.ts';
import { seedSites } from '../../scripts/bench/seed.ts';
import { openDatabase } from '../../src/db/database.ts';
import { startFleet, type Fleet } from '../../src/sandbox/index.ts';
import { until } from '../support/until.ts';
import { ALPHA, bare, waitFor } from '../support/updates.ts';

const SITES = 60;
const SERVER_URL = process.env['TEST_DATABASE_URL'];

interface Item {
  site_id: number;
  ring: string;
  state: string;
}

/** On MariaDB by two processes, of which one is killed; on the embedded database by one, which is started again. */
describe('a ring run whose process is killed', function () {
  this.timeout(180_000);
  let fleet: Fleet;
  let environments: Awaited<ReturnType<typeof serviceEnvironment>>[];
  const services: Service[] = [];
  let dropDatabase: () => Promise<void>;
  /** Indexes of the sites by address. */
  let inOrder: number[];

  before(async () => {
    const [databaseUrl, drop] = await freshDatabase();
    dropDatabase = drop;
    const pool = keyPool();
    const primedKeys = (index: number) => ({
      publicKeyPem: pairOf(pool, index).publicKeyPem,
      server: SERVER,
      admin: 'admin',
    });
    fleet = await startFleet({ sites: SITES, latencyMs: 20, primedKeys, requestLog: 400 });
    environments = [await serviceEnvironment(databaseUrl)];
    if (databaseUrl) {
      environments.push(await serviceEnvironment(databaseUrl));
      for (const { env } of environments)
        env['SITEFLEET_SECRET_KEY'] = environments[0]?.env['SITEFLEET_SECRET_KEY'] ?? '';
    }
    const urls = fleet.sites.map((site) => site.url);
    await seedSites(environments[0]?.env ?? {}, SITES, urls);
    inOrder = urls.map((_, index) => index).sort((a, b) => ((urls[a] ?? '') < (urls[b] ?? '') ? -1 : 1));
    for (const { env } of environments) services.push(await start(env));
  });
  after(async () => {
    for (const service of services) await service.stop();
    for (const { remove } of environments) await remove();
    await fleet.close();
    await dropDatabase();
  });

  const start = (env: Record<string, string>) => startService(env, ['--import=tsx'], 'src/main.ts');
  async function ask(service: Service, method: string, path: string, body?: object) {
    const headers = { authorization: service.authorization, 'content-type': 'application/json' };
    const answer = await fetch(service.url + path, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    assert.equal(answer.status, 200);
    // The contract's own tests look at these answers.
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    return (await answer.json()) as any;
  }
  async function finished(service: Service, jobId: string) {
    for (;;) {
      const job = await ask(service, 'GET', `/api/v2/jobs/${jobId}?per_page=500`);
      if (job.data.completed_at !== null) return job;
      await sleep(50);
    }
  }
  const updatesAt = (index: number) =>
    fleet.sites[index]?.requests.filter((each) => each.function === 'upgradeplugintheme' && each.reached).length ?? 0;
  const updated = () => fleet.sites.filter((_, index) => updatesAt(index) > 0).length;

  // On MariaDB the other process waits for the lease of the dead one, half a minute each time.
  for (const killedAfter of process.env['TEST_DATABASE_URL'] ? [8] : [1, 8, 14, 20])
    it(`when it dies with ${killedAfter} sites updated, then the run goes on and stops where an update broke`, async () => {
      const [killed, other = killed] = services as [Service, Service?];
      for (const site of fleet.sites) {
        site.defects.breakingPage.clear();
        bare(site);
        site.actAsVisitor({ do: 'activate-plugin', plugin: ALPHA });
        waitFor(site, { plugins: [ALPHA] });
      }
      const { job_id: syncId } = await ask(other, 'POST', '/api/v2/sites/sync').catch(() => ({ job_id: null }));
      if (syncId) await finished(other, syncId);
      for (const site of fleet.sites) site.requests.length = 0;
      // The last site of the second ring.
      fleet.sites[inOrder[29] ?? 0]?.defects.breakingPage.set(ALPHA, 500);
      const { job_id: jobId } = await ask(killed, 'POST', '/api/v2/updates/update', {
        type: 'plugins',
        rings: ['20%', '30%'],
      });
      await until(() => updated() >= killedAfter, 'the sites before the kill');
      process.kill(killed.pid, 'SIGKILL');
      await killed.exited;
      services[0] = await start(killed.env);
      const { data, items } = await finished(services[0], jobId);
      assert.deepEqual(
        data.rings.map(({ name, state, broken }: Record<string, unknown>) => [name, state, broken]),
        [
          ['20%', 'passed', 0],
          ['30%', 'broken', 1],
          ['rest', 'not_begun', 0],
        ],
      );
      for (const { site_id, ring, state } of items as Item[]) {
        const calls = updatesAt(site_id - 1);
        if (ring === 'rest') assert.deepEqual([state, calls], ['cancelled', 0]);
        else assert.ok(calls <= 1, `${site_id} was updated ${calls} times`);
      }
      assert.deepEqual(
        inOrder.slice(30).filter((index) => (fleet.sites[index]?.requests.length ?? 0) > 0),
        [],
      );
    });
});

async function freshDatabase(): Promise<[string | undefined, () => Promise<void>]> {
  if (!SERVER_URL) return [undefined, () => Promise.resolve()];
  const name = `sitefleet_test_${randomBytes(6).toString('hex')}`;
  const url = new URL(SERVER_URL);
  url.pathname = '/';
  const server = openDatabase({ dialect: 'mysql', url: url.href, poolSize: 1 });
  await server.knex.raw('create database ??', [name]);
  url.pathname = `/${name}`;
  const drop = async () => {
    await server.knex.raw('drop database ??', [name]);
    await server.close();
  };
  return [url.href, drop];
}
