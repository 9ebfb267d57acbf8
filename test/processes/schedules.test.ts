import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { keyPool, pairOf, SERVER } from '../../scripts/bench/keys.ts';
import { serviceEnvironment, startService, type Service } from '../../scripts/bench/processes.ts';
import { seedSites } from '../../scripts/bench/seed.ts';
import { openDatabase } from '../../src/db/database.ts';
import { startFleet } from '../../src/sandbox/index.ts';
import { until } from '../support/until.ts';

const SITES = 60;
const ROUNDS = 2;
const SERVER_URL = process.env['TEST_DATABASE_URL'];

(SERVER_URL ? describe : describe.skip)('schedules of two processes on one MariaDB', function () {
  this.timeout(240_000);

  it('when one of them is killed around the time of a run, then each run happens once, and each site is synced', async () => {
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
    const fleet = await startFleet({ sites: SITES, latencyMs: 20, primedKeys });
    const environments = [await serviceEnvironment(url.href), await serviceEnvironment(url.href)];
    const [first, second] = environments.map(({ env }) => env) as [Record<string, string>, Record<string, string>];
    second['SITEFLEET_SECRET_KEY'] = first['SITEFLEET_SECRET_KEY'] ?? '';
    await seedSites(
      first,
      SITES,
      fleet.sites.map((site) => site.url),
    );
    const start = (env: Record<string, string>) => startService(env, ['--import=tsx'], 'src/main.ts');
    const services: Service[] = [await start(first), await start(second)];
    const database = openDatabase({ dialect: 'mysql', url: url.href, poolSize: 2 });
    const { knex } = database;
    const row = () => knex('schedules').where({ name: 'daily-sync' }).first<Record<string, unknown> | undefined>();
    try {
      await until(async () => (await row())?.['next_run_at'] !== undefined, 'the schedules');
      for (let round = 0; round < ROUNDS; round++) {
        const lastRun = (await row())?.['last_run_at'];
        await knex('schedules').where({ name: 'daily-sync' }).update({ next_run_at: 1 });
        // Both look every second: somewhere in it one of them finds the run due and begins it.
        await sleep(Math.random() * 1100);
        const victim = round % 2;
        process.kill(services[victim]?.pid ?? 0, 'SIGKILL');
        await services[victim]?.exited;
        await until(async () => (await row())?.['last_run_at'] !== lastRun, 'the run');
        await until(
          async () => (await knex('jobs').whereNull('completed_at').pluck('id')).length === 0,
          'the job to end',
          60_000,
        );
        services[victim] = await start(victim === 0 ? first : second);
        const jobs = await knex('jobs')
          .where({ requested_by: 'schedule:daily-sync' })
          .select<{ total: number; succeeded: number }[]>('total', 'succeeded');
        assert.deepEqual(
          jobs,
          Array.from({ length: round + 1 }, () => ({ total: SITES, succeeded: SITES })),
        );
      }
    } finally {
      for (const service of services) await service.stop();
      for (const { remove } of environments) await remove();
      await database.close();
      await fleet.close();
      await server.knex.raw('drop database ??', [name]);
      await server.close();
    }
  });
});
