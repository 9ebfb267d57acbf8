import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceFleet, SHARED_SERVER } from '../support/service-fleet.ts';
import { until } from '../support/until.ts';

const SITES = 60;
const ROUNDS = 2;

(SHARED_SERVER ? describe : describe.skip)('schedules of two processes on one MariaDB', function () {
  this.timeout(240_000);
  let services: ServiceFleet;
  before(async () => {
    services = await ServiceFleet.start({ sites: SITES });
  });
  after(() => services.close());

  it('when one is killed around the time of a run, then each run happens once, and each site is synced', async () => {
    const { knex } = services;
    const row = () => knex('schedules').where({ name: 'daily-sync' }).first<Record<string, unknown> | undefined>();
    await until(async () => (await row())?.['next_run_at'] !== undefined, 'the schedules');
    for (let round = 0; round < ROUNDS; round++) {
      const lastRun = (await row())?.['last_run_at'];
      await knex('schedules').where({ name: 'daily-sync' }).update({ next_run_at: 1 });
      // Both look every second: somewhere in it one of them finds the run due and begins it.
      await sleep(Math.random() * 1100);
      const victim = round % 2;
      await services.kill(victim);
      await until(async () => (await row())?.['last_run_at'] !== lastRun, 'the run');
      await until(
        async () => (await knex('jobs').whereNull('completed_at').pluck('id')).length === 0,
        'the job to end',
        60_000,
      );
      await services.revive(victim);
      const jobs = await knex('jobs')
        .where({ requested_by: 'schedule:daily-sync' })
        .select<{ total: number; succeeded: number }[]>('total', 'succeeded');
      assert.deepEqual(
        jobs,
        Array.from({ length: round + 1 }, () => ({ total: SITES, succeeded: SITES })),
      );
    }
  });
});
