import assert from 'node:assert/strict';
import { syncSites } from '../../support/sites.ts';
import { startWorld, type World } from '../../support/world.ts';
import { ALPHA, removeItemsWithUpdates, releaseUpdates } from '../../support/updates.ts';

interface Failure {
  identifier: unknown;
  code: string;
  site_id: number;
}

describe('updates of several sites, one with an outdated child plugin', () => {
  let world: World;
  let old: string;
  before(async () => {
    world = await startWorld({ sites: 3 });
    for (const site of world.fleet.sites) removeItemsWithUpdates(site);
    world.site(1).setChildVersion('3.9');
    old = new URL(world.site(1).url).host;
    await syncSites(world);
  });
  after(() => world.close());

  const runs = {
    'run-updates-v1': async (sites: unknown[]) =>
      (await world.ability('run-updates-v1', { site_ids_or_domains: sites })).errors,
    'update-all-v1': async (sites: unknown[]) =>
      (await world.ability('update-all-v1', { site_ids_or_domains: sites })).errors,
    'POST /updates/update': async () =>
      (await world.request('POST', '/api/v2/updates/update', { body: { include: [world.siteId(0), world.siteId(1)] } }))
        .body.errors,
  } satisfies Record<string, (sites: unknown[]) => Promise<Failure[]>>;

  for (const [name, run] of Object.entries(runs))
    for (const waiting of [true, false])
      it(`when ${name} runs ${waiting ? 'with' : 'without'} its update, then the site has an error`, async () => {
        releaseUpdates(world.site(0), { plugins: [ALPHA] });
        if (waiting) releaseUpdates(world.site(1), { plugins: [ALPHA] });
        else removeItemsWithUpdates(world.site(1));
        world.site(1).setChildVersion('3.9');
        await syncSites(world);
        const byName = name.startsWith('POST') ? world.siteId(1) : old;
        const errors = await run([world.siteId(0), old]);
        assert.deepEqual(
          errors.map(({ identifier, code, site_id }: Failure) => [identifier, code, site_id]),
          [[byName, 'svc_child_outdated', world.siteId(1)]],
        );
        const left = await world.ability('get-site-updates-v1', { site_id_or_domain: world.siteId(0) });
        assert.deepEqual(left.updates, [], 'the other site is updated');
      });

  it('when the outdated site is excluded, then it has no error', async () => {
    const body = { include: [world.siteId(0), world.siteId(1)], exclude: [world.siteId(1)] };
    const { errors } = (await world.request('POST', '/api/v2/updates/update', { body })).body;
    assert.deepEqual(errors, []);
  });
});
