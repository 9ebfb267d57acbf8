import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceFleet, sharedServer } from '../support/service-fleet.ts';

const SITES = 300;

(sharedServer() ? describe : describe.skip)('two processes with one MariaDB', () => {
  let services: ServiceFleet;
  before(async () => {
    services = await ServiceFleet.start({ sites: SITES, latencyMs: 100 });
  });
  after(() => services.close());

  /** Returns the number of items that a process is running. */
  async function running(index: number): Promise<number> {
    const text = await (await fetch(`${services.services[index]?.url}/metrics`)).text();
    return Number(/^sitefleet_queue_running (\d+)/m.exec(text)?.[1] ?? 0);
  }

  it('when a job of 300 sites runs, then both processes work on it and call each site once', async () => {
    const { job_id: jobId } = await services.request(0, 'POST', '/abilities/v1/svc/sync-sites-v1/run', { input: {} });
    const took = [false, false];
    for (;;) {
      for (const index of [0, 1]) took[index] ||= (await running(index)) > 0;
      const { data } = await services.request(1, 'GET', `/api/v2/jobs/${jobId}?per_page=1`);
      if (data.completed_at !== null) {
        assert.deepEqual([data.status, data.succeeded, data.failed], ['completed', SITES, 0]);
        break;
      }
      await sleep(20);
    }
    assert.deepEqual(took, [true, true], 'both took part');
    // A first sync also asks backup sites for their last backup, in calls without sync data.
    const syncs = services.fleet.sites.map(
      ({ requests }) => requests.filter(({ fields }) => fields['syncdata']).length,
    );
    assert.deepEqual(
      syncs.filter((count) => count !== 1),
      [],
    );
  });
});
