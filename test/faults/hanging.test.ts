import assert from 'node:assert/strict';
import { startWorld, type World } from '../support/world.ts';
import { until } from '../support/until.ts';

// Runs on SQLite only: the test is about the calls to a site.

const SITES = 48;
const HANGING = [3, 17, 31];

describe('hanging sites', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: SITES });
    for (const site of world.fleet.sites) site.latencyMs = 20;
  });
  after(() => world.close());

  it('when some sites hang, then they hang in parallel, delay no other site and have one error each', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    for (const index of HANGING) world.site(index).fault = { kind: 'hang', until: released };
    const answering = world.ability('sync-sites-v1');
    const hangingIds = HANGING.map((index) => world.siteId(index)).sort((a, b) => a - b);
    const items = world.container.database.knex('job_items');
    await until(async () => {
      const done = await items.clone().where({ state: 'succeeded' }).count<{ n: number }[]>({ n: '*' });
      return Number(done[0]?.n) === SITES - HANGING.length;
    }, 'all other sites to be synced');
    assert.deepEqual(
      await items.clone().where({ state: 'running' }).orderBy('site_id').pluck<number[]>('site_id'),
      hangingIds,
    );
    release();
    const answer = await answering;
    assert.equal(answer.total_synced, SITES - HANGING.length);
    assert.deepEqual(
      answer.errors
        .map(({ site_id, code }: { site_id: number; code: string }) => [site_id, code])
        .sort(([a]: unknown[], [b]: unknown[]) => Number(a) - Number(b)),
      hangingIds.map((id) => [id, 'svc_site_unreachable']),
    );
  });
});
