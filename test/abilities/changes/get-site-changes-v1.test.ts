import assert from 'node:assert/strict';
import { withoutModule } from '../../support/modules.ts';
import { syncSites, updateSite } from '../../support/sites.ts';
import { startWorld, type CallOptions, type World } from '../../support/world.ts';

const NAME = 'get-site-changes-v1';

interface Change {
  id: number;
  type: string;
  description: string;
  user: string;
  timestamp: string;
}
interface Output {
  site_id: number;
  changes: Change[];
  page: number;
  per_page: number;
  total: number;
}

interface Refusal {
  code: string;
}

describe(NAME, () => {
  let world: World;
  let id: number;
  let plugin: string;
  const call = <T = Output>(input: object, options: CallOptions = {}): Promise<T> =>
    world.ability<T>(NAME, { site_id_or_domain: id, ...input }, options);

  before(async () => {
    world = await startWorld({ sites: 2 });
    id = world.siteId(0);
    const found = [...world.site(0).state.plugins.values()].find(
      (each) => each.active && each.definition.name !== 'MainWP Child',
    );
    assert.ok(found);
    plugin = found.definition.file;
    world.site(0).performWpAdminAction({ do: 'deactivate-plugin', plugin });
    world.site(0).performWpAdminAction({ do: 'publish-post', title: 'Opening hours' });
    await syncSites(world, id);
    await updateSite(world, id, { notes: 'Seen.' });
  });
  after(() => world.close());

  it('when changes come from the site and from Sitefleet, then all are listed, newest first', async () => {
    const { site_id, changes, page, per_page, total } = await call({});
    assert.deepEqual([site_id, page, per_page, total], [id, 1, 50, changes.length]);
    const times = changes.map(({ timestamp }) => Date.parse(timestamp));
    assert.deepEqual(
      times,
      [...times].sort((a, b) => b - a),
    );
    assert.equal(changes[0]?.type, 'site.updated');
    assert.equal(changes[0]?.user, 'admin');
    const types = changes.map(({ type }) => type);
    for (const type of ['plugin.deactivated', 'post.created', 'site.added']) assert.ok(types.includes(type), type);
    const deactivated = changes.find(({ type }) => type === 'plugin.deactivated');
    assert.match(deactivated?.description ?? '', /^"[^"].*" plugin deactivated$/);
    assert.equal(deactivated?.user, world.site(0).admin);
  });

  it('when the site is synced again, then no change is listed twice, and a read does not call the site', async () => {
    const before = await call({});
    const requests = world.site(0).requests.length;
    await call({});
    assert.equal(world.site(0).requests.length, requests);
    await syncSites(world, id);
    assert.deepEqual((await call({})).changes, before.changes);
  });

  it('when a page is requested, then it has its changes and the exact total', async () => {
    const whole = await call({});
    const pages = await Promise.all([1, 2].map((page) => call({ page, per_page: 2 })));
    assert.deepEqual(
      pages.flatMap(({ changes }) => changes),
      whole.changes.slice(0, 4),
    );
    assert.ok(pages.every(({ total, per_page }) => total === whole.total && per_page === 2));
    assert.deepEqual((await call({ page: 1000 })).changes, []);
  });

  it('when a type is given, then only changes of exactly this type are listed', async () => {
    const { changes, total } = await call({ type: 'plugin.deactivated' });
    assert.ok(total > 0);
    assert.equal(total, changes.length);
    assert.ok(changes.every(({ type }) => type === 'plugin.deactivated'));
    assert.equal((await call({ type: 'plugins' })).total, 0);
  });

  it('when other sites have changes, then they are not listed', async () => {
    const { changes } = await world.ability<Output>(NAME, { site_id_or_domain: world.siteId(1) });
    assert.ok(changes.every(({ type }) => type !== 'plugin.deactivated' && type !== 'site.updated'));
  });

  it('when the call uses GET or the URL of the site, then the response is the same', async () => {
    const posted = await call({ per_page: 3 });
    assert.deepEqual(await call({ per_page: 3 }, { method: 'GET' }), posted);
    assert.deepEqual(await call({ per_page: 3, site_id_or_domain: world.site(0).url }), posted);
  });

  it('when the input is invalid, then the error is ability_invalid_input', async () => {
    for (const input of [
      { page: 0 },
      { page: 1.5 },
      { per_page: 0 },
      { per_page: 201 },
      { per_page: 'many' },
      { type: '' },
      { type: 'x'.repeat(97) },
      { source: 'dashboard' },
      { site_id_or_domain: 0 },
      { site_id_or_domain: '' },
      { site_id_or_domain: [1] },
      { site_id_or_domain: undefined },
    ])
      assert.equal((await call<Refusal>(input, { expect: 400 })).code, 'ability_invalid_input');
    assert.equal((await call({ per_page: 200 })).per_page, 200);
  });

  it('when the site is unknown, then the error is svc_site_not_found', async () => {
    const refusal = await call<Refusal>({ site_id_or_domain: 99_999 }, { expect: 404 });
    assert.equal(refusal.code, 'svc_site_not_found');
  });

  it('when the caller may not read, then the call is rejected', async () => {
    await call({}, { as: 'viewer' });
    await call({}, { as: 'reader' });
    const refusal = await call<Refusal>({}, { as: 'writer', expect: 403 });
    assert.equal(refusal.code, 'svc_permission_denied');
    await call({}, { as: 'nobody', expect: 401 });
  });

  it('when the module logs is off, then the call is rejected', async () => {
    await withoutModule(world, 'logs', async () => {
      for (const method of ['POST', 'GET'] as const) {
        const refusal = await call<Refusal>({}, { expect: 404, method });
        assert.equal(refusal.code, 'svc_module_not_available');
      }
    });
    await call({});
  });
});
