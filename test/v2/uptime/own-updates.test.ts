import assert from 'node:assert/strict';
import { syncSites } from '../../support/sites.ts';
import { until } from '../../support/until.ts';
import { ALPHA, releaseUpdates, removeItemsWithUpdates } from '../../support/updates.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('monitors of sites that are being updated', () => {
  let world: World;
  let letThrough = (): void => undefined;
  before(async () => {
    world = await startWorld({ sites: 1, connect: 0, overrides: { tickMs: null, deadlines: { confirmAfterMs: 0 } } });
  });
  after(() => world.close());

  it('when a check meets 503 while an update runs, then it opens no incident, and a later failed check does', async () => {
    const { id, site } = await world.freshSite((fresh) => {
      removeItemsWithUpdates(fresh);
      releaseUpdates(fresh, { plugins: [ALPHA] });
    });
    await syncSites(world, id);
    const verdict = async (): Promise<string> =>
      (await world.request('POST', `/api/v2/monitors/${id}/check`)).body.data.evidence.verdict;
    const check = async (): Promise<string> =>
      (await world.request('POST', `/api/v2/monitors/${id}/check`)).body.data.uptime_status;
    const incidents = async (): Promise<number> =>
      (await world.request('GET', `/api/v2/monitors/${id}/incidents`)).body.total;
    const isLater = new Promise<void>((resolve) => (letThrough = resolve));
    site.fault = { kind: 'delay', ms: { until: isLater }, function: 'upgradeplugintheme' };
    const update = world.ability('update-site-plugins-v1', { site_id_or_domain: id, slugs: [ALPHA] });
    await until(() => site.countOf('upgradeplugintheme') === 1, 'the update');
    site.maintenance = 1;
    assert.deepEqual([await check(), await check(), await incidents()], ['pending', 'pending', 0]);
    assert.equal(
      await verdict(),
      'The status 503 is not accepted. This service is updating the site, so the first check after the update decides.',
    );
    const { body } = await world.request('GET', `/api/v2/monitors/${id}/heartbeat`);
    assert.match(body.data[0].msg, /the first check after the update decides/);
    site.maintenance = 0;
    letThrough();
    assert.equal((await update).total_updated, 1);
    assert.deepEqual([await check(), await incidents()], ['up', 0]);
    site.maintenance = 1;
    assert.deepEqual([await check(), await incidents()], ['down', 1]);
  });
});
