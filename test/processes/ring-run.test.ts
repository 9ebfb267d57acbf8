import assert from 'node:assert/strict';
import type { Fleet } from '../../src/sandbox/index.ts';
import { ServiceFleet, sharedServer } from '../support/service-fleet.ts';
import { until } from '../support/until.ts';
import { ALPHA, removeItemsWithUpdates, releaseUpdates } from '../support/updates.ts';

const SITES = 60;

interface Item {
  site_id: number;
  ring: string;
  state: string;
}

/** On MariaDB one of two processes is killed. On SQLite the only process is restarted. */
describe('a ring update of a killed process', function () {
  this.timeout(300_000);
  let services: ServiceFleet;
  let fleet: Fleet;
  /** Indexes of the sites in the order of their addresses. */
  let inOrder: number[];

  before(async () => {
    services = await ServiceFleet.start({ sites: SITES });
    ({ fleet } = services);
    const urls = fleet.sites.map((site) => site.url);
    inOrder = urls.map((_, index) => index).sort((a, b) => ((urls[a] ?? '') < (urls[b] ?? '') ? -1 : 1));
  });
  after(() => services.close());

  const updatesAt = (index: number) =>
    fleet.sites[index]?.requests.filter((each) => each.function === 'upgradeplugintheme' && each.reached).length ?? 0;
  const updated = () => fleet.sites.filter((_, index) => updatesAt(index) > 0).length;

  // On MariaDB each kill costs ten seconds, because the other process waits for the lease.
  for (const killedAfter of sharedServer() ? [8] : [1, 8, 14, 20])
    it(`when the process dies with ${killedAfter} sites updated, then the update continues and stops at a broken site`, async () => {
      const [killed, other] = [0, services.services.length - 1];
      for (const site of fleet.sites) {
        site.defects.breakingPage.clear();
        removeItemsWithUpdates(site);
        site.performWpAdminAction({ do: 'activate-plugin', plugin: ALPHA });
        releaseUpdates(site, { plugins: [ALPHA] });
      }
      await services.request(other, 'POST', '/api/v2/sites/sync');
      for (const site of fleet.sites) site.requests.length = 0;
      // The last site of the second ring.
      fleet.sites[inOrder[29] ?? 0]?.defects.breakingPage.set(ALPHA, 500);
      const { job_id: jobId } = await services.request(killed, 'POST', '/api/v2/updates/update', {
        type: 'plugins',
        rings: ['20%', '30%'],
      });
      await until(() => updated() >= killedAfter, 'the sites before the kill');
      await services.kill(killed);
      await services.restart(killed);
      const { data, items } = await services.finishedJob(killed, jobId, 150_000);
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
        if (ring === 'rest') assert.deepEqual([state, calls], ['not_begun', 0]);
        else assert.ok(calls <= 1, `${site_id} was updated ${calls} times`);
      }
      assert.deepEqual(
        inOrder.slice(30).filter((index) => (fleet.sites[index]?.requests.length ?? 0) > 0),
        [],
      );
    });
});
