import assert from 'node:assert/strict';
import { startWorld, type World } from '../../support/world.ts';

describe('a site with three failed calls', () => {
  const clock = { time: Date.UTC(2026, 10, 22, 12), now: () => clock.time };
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 3, connect: 3, overrides: { clock } });
  });
  after(() => world.close());

  const both = () => ({ site_ids_or_domains: [world.siteId(0), world.siteId(1)] });
  const askedSince = (from: number): number => world.site(0).requests.slice(from).length;
  const broken = async (): Promise<number> => {
    const { text } = await world.agent('nobody').get('/metrics');
    return Number(/^sitefleet_sites_broken (\d+)$/m.exec(text)?.[1]);
  };

  beforeEach(async () => {
    const site = world.site(0);
    site.fault = { kind: 'refuse' };
    for (let round = 0; round < 3; round += 1) await world.ability('sync-sites-v1', both());
    assert.equal(await broken(), 1);
  });
  afterEach(async () => {
    world.site(0).fault = null;
    await world.ability('sync-sites-v1', { site_ids_or_domains: [world.siteId(0)] });
    assert.equal(await broken(), 0);
  });

  it('when a call covers several sites, then the failing site is skipped and the error has the time of the next attempt', async () => {
    const from = world.site(0).requests.length;
    const { errors, total_synced: synced } = await world.ability('sync-sites-v1', both());
    assert.deepEqual([synced, errors.length, askedSince(from)], [1, 1, 0]);
    assert.match(
      errors[0].message,
      /was interrupted\. 3 calls in a row failed, so it is not called again before 2026-11-22T12:00:30Z\.$/,
    );
    const { body } = await world.request('GET', `/api/v2/posts?websites=${world.siteId(0)},${world.siteId(1)}`);
    assert.match(body.errors[0].message, /not called again before/);
    assert.equal(askedSince(from), 0);
  });

  it('when the site is the only target, then it is called, and one response ends the pause', async () => {
    const from = world.site(0).requests.length;
    const sync = () => world.request('POST', `/api/v2/sites/${world.siteId(0)}/sync`, { expect: 503 });
    const { data } = (await sync()).body;
    assert.deepEqual([data.layer, data.retry_after_seconds], ['http', undefined]);
    assert.ok(askedSince(from) > 0);
    await sync();
    // Failed calls of a single site do not extend the pause.
    clock.time += 30_001;
    world.site(0).fault = null;
    const { errors, total_synced: synced } = await world.ability('sync-sites-v1', both());
    assert.deepEqual([synced, errors], [2, []]);
  });

  it('when a check of the web server succeeds, then the site is called again', async () => {
    world.site(0).fault = null;
    const input = { site_id_or_domain: world.siteId(0) };
    assert.equal((await world.ability('check-site-v1', input)).reachable, true);
    assert.equal(await broken(), 0);
    assert.equal((await world.ability('sync-sites-v1', both())).total_synced, 2);
  });

  it('when a check of the web server fails, then the site stays paused', async () => {
    const input = { site_id_or_domain: world.siteId(0) };
    assert.equal((await world.ability('check-site-v1', input)).reachable, false);
    world.site(0).fault = { kind: 'raw', status: 503, body: 'x' };
    assert.equal((await world.ability('check-site-v1', input)).reachable, false);
    assert.equal(await broken(), 1);
  });
});
