import assert from 'node:assert/strict';
import { ServiceFleet, sharedServer } from '../support/service-fleet.ts';
import { eventually } from '../support/until.ts';

const SITES = 6;

(sharedServer() ? describe : describe.skip)('calls of two processes with one MariaDB', () => {
  let services: ServiceFleet;
  before(async () => {
    services = await ServiceFleet.start({ sites: SITES, latencyMs: 300 });
  });
  after(() => services.close());

  const run = (index: number, ability: string, input: object) =>
    services.request(index, 'POST', `/abilities/v1/svc/${ability}/run`, { input });

  it('when both change and sync the same sites, then each site has one call at a time', async () => {
    const { fleet } = services;
    const { synced } = await run(0, 'sync-sites-v1', {});
    const ids: number[] = synced.map(({ id }: { id: number }) => id);
    const { plugins } = await run(0, 'get-site-plugins-v1', { site_id_or_domain: ids[0] });
    const slugs = plugins.flatMap(({ slug }: { slug: string }) => (slug.startsWith('mainwp-child/') ? [] : [slug]));
    const each = ids.flatMap((id) =>
      [0, 1, 0, 1].flatMap((index) => [
        run(index, 'activate-site-plugins-v1', { site_id_or_domain: id, slugs: slugs.slice(0, 1) }),
        run(index, 'sync-sites-v1', { site_ids_or_domains: [id] }),
      ]),
    );
    await Promise.all(each);
    assert.deepEqual(
      fleet.sites.map((site) => site.maxConcurrent),
      fleet.sites.map(() => 1),
    );
  });

  it('when a process dies during a call, then the other process calls the site after the lease', async () => {
    const [site] = services.fleet.sites;
    assert.ok(site);
    const before = site.countOf('stats');
    site.faultQueue.push({ kind: 'hang', function: 'stats' });
    const lost = run(0, 'sync-sites-v1', { site_ids_or_domains: [1] }).catch(() => null);
    await eventually(() => site.countOf('stats') > before, 'the call to begin');
    await services.kill(0);
    await lost;
    const { total_synced: total } = await run(1, 'sync-sites-v1', { site_ids_or_domains: [1] });
    assert.equal(total, 1);
  });
});
