import assert from 'node:assert/strict';
import { startWorld, type World } from '../support/world.ts';

const DEADLINE = 1500;
const HANGING = [3, 17, 31];

describe('sites that hang among others', () => {
  let world: World;
  before(async function () {
    this.timeout(60_000);
    world = await startWorld({ sites: 48, overrides: { deadlines: { readMs: DEADLINE } } });
    for (const site of world.fleet.sites) site.latencyMs = 20;
  });
  after(() => world.close());

  it('cost one deadline in all, delay no other site, and are one error each', async () => {
    const healthy = performance.now();
    assert.equal((await world.ability('sync-sites-v1')).total_synced, 48);
    const usual = performance.now() - healthy;

    for (const index of HANGING) world.site(index).fault = { kind: 'hang' };
    const began = performance.now();
    const answer = await world.ability('sync-sites-v1');
    const taken = performance.now() - began;
    assert.equal(answer.total_synced, 48 - HANGING.length);
    assert.deepEqual(
      answer.errors
        .map(({ site_id, code }: { site_id: number; code: string }) => [site_id, code])
        .sort(([a]: unknown[], [b]: unknown[]) => Number(a) - Number(b)),
      HANGING.map((index) => world.siteId(index))
        .sort((a, b) => a - b)
        .map((id) => [id, 'svc_site_unreachable']),
    );
    assert.ok(taken < 2 * usual + 2 * DEADLINE, `It took ${taken} ms, where healthy sites take ${usual} ms.`);

    const { body } = await world.request('GET', '/api/v2/jobs?per_page=1');
    const rows = await world.container.database
      .knex('job_items')
      .where({ job_id: body.data[0].job_id })
      .select<{ state: string; started_at: number; completed_at: number }[]>('state', 'started_at', 'completed_at');
    const slowest = Math.max(
      ...rows
        .filter(({ state }) => state === 'succeeded')
        .map((row) => Number(row.completed_at) - Number(row.started_at)),
    );
    assert.ok(slowest < DEADLINE, `A healthy site waited ${slowest} ms.`);
  });
});
