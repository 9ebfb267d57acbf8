import assert from 'node:assert/strict';
import { addPendingUpdates } from '../support/updates.ts';
import { until } from '../support/until.ts';
import { startWorld } from '../support/world.ts';

describe('SITEFLEET_LEASE', () => {
  it('when SITEFLEET_LEASE is 7, then leases last seven seconds', async () => {
    let stoppedAt: number | null = null;
    const clock = { now: () => stoppedAt ?? Date.now() };
    const world = await startWorld({ sites: 1, env: { SITEFLEET_LEASE: '7' }, overrides: { clock } });
    const { knex } = world.container.database;
    const leases = async () => [
      ...(await knex('job_items').where({ state: 'running' }).pluck<number[]>('lease_until')),
      ...(await knex('site_leases').pluck<number[]>('leased_until')),
    ];
    try {
      addPendingUpdates(world.site(0));
      await world.ability('sync-sites-v1', {});
      world.site(0).fault = { kind: 'hang' };
      stoppedAt = Date.now();
      // The response would come at the end of the job, which does not end in this test.
      void world.request('POST', '/api/v2/updates/update', { body: { type: 'plugins' } }).catch(() => undefined);
      await until(async () => (await leases()).length === 2, 'the update to begin');
      assert.deepEqual(await leases(), [stoppedAt + 7_000, stoppedAt + 7_000]);
    } finally {
      await world.close();
    }
  });
});
