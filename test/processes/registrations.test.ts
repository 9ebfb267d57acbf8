import assert from 'node:assert/strict';
import { ServiceFleet, sharedServer } from '../support/service-fleet.ts';

const SITES = 4;

(sharedServer() ? describe : describe.skip)('registrations by two processes with one MariaDB', () => {
  let services: ServiceFleet;
  before(async () => {
    services = await ServiceFleet.start({ sites: SITES, latencyMs: 150, tokens: false });
  });
  after(() => services.close());

  it('when both processes renew the keys of the same sites, then one waits and each site stays connected', async () => {
    const { fleet } = services;
    await services.request(0, 'POST', '/api/v2/sites/sync');
    const ids = fleet.sites.map((_, index) => index + 1);
    const { renew_id: renewId } = await services.request(0, 'POST', '/api/v2/settings/tools/renew-connections');
    await Promise.all(
      ids.flatMap((id) => [0, 1].map((index) => services.request(index, 'POST', `/api/v2/sites/${id}/reconnect`))),
    );
    const { data } = await services.finishedJob(1, renewId);
    assert.deepEqual([data.succeeded, data.failed], [SITES, 0]);
    for (const site of fleet.sites) {
      assert.ok(site.countOf('register') >= 2);
      assert.equal(site.maxConcurrent, 1, 'calls of two registrations never overlap');
    }
    assert.deepEqual(await services.knex('site_leases').pluck('site_id'), []);
    for (const index of [0, 1]) {
      const synced = await services.request(index, 'POST', '/abilities/v1/svc/sync-sites-v1/run', { input: {} });
      assert.equal(synced.total_synced, SITES);
    }
  });
});
