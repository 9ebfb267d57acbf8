import assert from 'node:assert/strict';
import { CHILD_PLUGIN, installPluginsInMixedStates } from '../../support/inventory.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/sites';
interface Item {
  slug: string;
}

describe('v2 plugins and themes of a site', () => {
  let world: World;
  let path: string;
  before(async () => {
    world = await startWorld({ sites: 1, connect: 0 });
    path = `${BASE}/${(await world.freshSite(installPluginsInMixedStates)).id}`;
  });
  after(() => world.close());

  const slugs = (items: Item[]): string[] => items.map(({ slug }) => slug);
  const read = async (tail: string) => (await world.request('GET', path + tail)).body;

  it('when plugins and themes are listed, then they are sorted by slug, filtered and paged', async () => {
    const plugins = async (query: string): Promise<string[]> => slugs((await read(`/plugins?${query}`)).data);
    const all = ['alpha/alpha.php', 'beta/beta.php', 'gamma/gamma.php', CHILD_PLUGIN];
    assert.deepEqual(await plugins(''), all);
    assert.deepEqual(await plugins('status=active'), ['gamma/gamma.php', CHILD_PLUGIN]);
    assert.deepEqual(await plugins('status=inactive'), ['alpha/alpha.php', 'beta/beta.php']);
    assert.deepEqual(await plugins('has_update=1'), ['beta/beta.php']);
    assert.deepEqual(await plugins('has_update=0'), all);
    assert.deepEqual(await plugins('search=ALPHA'), ['alpha/alpha.php']);
    assert.deepEqual(await plugins('must_use=1'), []);
    assert.deepEqual(await plugins('must_use=0'), all);
    await world.container.database.knex('site_plugins').where({ slug: 'alpha/alpha.php' }).update({ must_use: 1 });
    assert.deepEqual(await plugins('must_use=true'), ['alpha/alpha.php']);
    assert.deepEqual(await plugins('must_use=false'), all.slice(1));
    await world.container.database.knex('site_plugins').update({ must_use: 0 });
    const page = await read('/plugins?per_page=3&page=2&_fields=version,slug');
    assert.deepEqual([slugs(page.data), page.total, page.pages], [[CHILD_PLUGIN], 4, 2]);
    assert.deepEqual(Object.keys(page.data[0]), ['slug', 'version']);
    assert.deepEqual([page.site.id, page.site.url], [world.siteId(0), world.site(0).url]);
    const themes = await read('/themes?status=active');
    assert.deepEqual(slugs(themes.data), [themes.active_theme]);
    for (const kind of ['plugins', 'themes'])
      assert.equal(
        (await world.request('GET', `${path}/${kind}?status=on`, { expect: 400 })).body.code,
        'rest_invalid_param',
      );
  });

  it('when abandoned plugins or themes are listed, then the response has those of the site', async () => {
    for (const kind of ['plugins', 'themes']) {
      const ability = await world.ability(`get-abandoned-${kind}-v1`, {});
      const { data, total, site } = await read(`/${kind}/abandoned`);
      assert.deepEqual([slugs(data), total, site.id], [slugs(ability.items), ability.total, world.siteId(0)]);
    }
  });

  it('when plugins are activated, deactivated or deleted, then each slug has its own result', async () => {
    const act = async (action: string, slug: unknown) =>
      (await world.request('POST', `${path}/plugins/${action}`, { body: { slug } })).body;
    const on = await act('activate', 'alpha/alpha.php, none/none.php');
    assert.deepEqual(Object.keys(on.data[0]), ['slug', 'name', 'version']);
    assert.deepEqual(
      [slugs(on.data), on.errors[0].identifier, on.errors[0].code],
      [['alpha/alpha.php'], 'none/none.php', 'svc_plugin_not_found'],
    );
    assert.deepEqual(slugs((await read('/plugins?status=active')).data), [
      'alpha/alpha.php',
      'gamma/gamma.php',
      CHILD_PLUGIN,
    ]);
    const off = await act('deactivate', ['alpha/alpha.php', CHILD_PLUGIN]);
    assert.deepEqual([slugs(off.data), off.errors[0].code], [['alpha/alpha.php'], 'svc_protected_item']);
    const none = await act('deactivate', CHILD_PLUGIN);
    assert.deepEqual([none.success, none.data, none.errors.length], [1, [], 1]);
    const gone = (await world.request('DELETE', `${path}/plugins/delete?slug=beta/beta.php,alpha/alpha.php`)).body;
    assert.deepEqual(
      [slugs(gone.data), gone.errors, gone.site.id],
      [['beta/beta.php', 'alpha/alpha.php'], [], world.siteId(0)],
    );
    assert.deepEqual(slugs((await read('/plugins')).data), ['gamma/gamma.php', CHILD_PLUGIN]);
  });

  it('when a theme is activated, then it replaces the active one, and others can be deleted', async () => {
    const { data, active_theme: before } = await read('/themes');
    const other = slugs(data).find((slug) => slug !== before) ?? assert.fail('the site has one theme');
    const activate = async (slug: string, expect = 200) =>
      (await world.request('POST', `${path}/themes/activate`, { body: { slug }, expect })).body;
    const switched = await activate(other);
    assert.deepEqual([switched.data.deactivate.slug, switched.data.activate.slug], [before, other]);
    assert.equal((await activate(other)).data.deactivate, null);
    assert.equal((await activate('none', 404)).code, 'svc_theme_not_found');
    const gone = (await world.request('DELETE', `${path}/themes/delete?slug=${before},${other}`)).body;
    assert.equal(gone.errors[0].code, 'svc_protected_item');
    assert.deepEqual(slugs(gone.data.delete), gone.errors.length === 1 ? [before] : []);
  });

  it('when the input is invalid or the site is unknown or down, then the call is rejected', async () => {
    const calls = [
      ['POST', 'plugins/activate', 'body'],
      ['POST', 'plugins/deactivate', 'body'],
      ['DELETE', 'plugins/delete', 'query'],
      ['POST', 'themes/activate', 'body'],
      ['DELETE', 'themes/delete', 'query'],
    ] as const;
    const send = async (method: string, route: string, place: string, slug: string | null, options: object) =>
      (
        await world.request(method, `${route}${place === 'query' && slug !== null ? `?slug=${slug}` : ''}`, {
          ...(place === 'body' ? { body: slug === null ? {} : { slug } } : {}),
          ...options,
        })
      ).body;
    for (const [method, tail, place] of calls) {
      for (const slug of [null, '', ' , '.trim()]) {
        const refused = await send(method, `${path}/${tail}`, place, slug, { expect: 400 });
        assert.match(refused.data.errors[0].path, new RegExp(`^${place}.slug`), `${tail} ${slug}`);
      }
      await send(method, `${BASE}/99999/${tail}`, place, 'x', { expect: 404 });
      await send(method, `${path}/${tail}`, place, 'x', { as: 'reader', expect: 403 });
      world.site(0).fault = { kind: 'refuse' };
      const down = await send(method, `${path}/${tail}`, place, 'x', { expect: 503 });
      assert.equal(down.code, 'svc_site_unreachable');
      world.site(0).fault = null;
    }
    const long = await world.request('POST', `${path}/plugins/activate`, {
      body: { slug: 'x'.repeat(256) },
      expect: 400,
    });
    assert.equal(long.body.data.errors[0].path, 'body.slug');
    for (const tail of ['plugins', 'themes', 'plugins/abandoned', 'themes/abandoned'])
      assert.equal(
        (await world.request('GET', `${BASE}/99999/${tail}`, { expect: 404 })).body.code,
        'svc_site_not_found',
      );
  });
});
