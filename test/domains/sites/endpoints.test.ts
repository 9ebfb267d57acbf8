import assert from 'node:assert/strict';
import { startWorld, type World } from '../../support/world.ts';

describe('a site with a blocked admin-ajax.php', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 2, connect: 2 });
  });
  after(() => world.close());

  const stored = async (id: number): Promise<unknown> =>
    (await world.container.database.knex('site_secrets').where({ site_id: id }).first('endpoint'))?.endpoint;
  const pathsSince = (index: number, from: number): string[] =>
    world
      .site(index)
      .requests.slice(from)
      .map(({ function: name, path }) => `${name} ${path}`);

  it('when an action runs, then the front page is called, and its endpoint is stored until it fails', async () => {
    const id = world.siteId(0);
    const site = world.site(0);
    const input = { site_id_or_domain: id, slugs: ['hello.php'] };
    site.performWpAdminAction({ do: 'deactivate-plugin', plugin: 'hello.php' });
    await world.ability('sync-sites-v1', { site_ids_or_domains: [id] });
    assert.equal(await stored(id), null);

    site.fault = { kind: 'closed-ajax' };
    let from = site.requests.length;
    await world.ability('activate-site-plugins-v1', input);
    assert.deepEqual(pathsSince(0, from), ['plugin_action /wp-admin/admin-ajax.php', 'plugin_action /']);
    assert.equal(site.state.plugins.get('hello.php')?.active, true);
    assert.equal(await stored(id), 'front');

    from = site.requests.length;
    await world.ability('deactivate-site-plugins-v1', input);
    await world.ability('sync-sites-v1', { site_ids_or_domains: [id] });
    assert.deepEqual(
      [...new Set(pathsSince(0, from).filter((each) => !/^(GET|HEAD)/.test(each)))],
      ['plugin_action /', 'stats /'],
    );

    site.fault = { kind: 'raw', status: 403, body: 'closed', path: '/' };
    await world.ability('sync-sites-v1', { site_ids_or_domains: [id] });
    assert.equal(await stored(id), null);
  });

  it('when such a site is added or deleted, then the request succeeds', async () => {
    const site = world.site(1);
    await world.ability('delete-site-v1', { site_id_or_domain: world.siteId(1), confirm: true });
    site.performWpAdminAction({ do: 'activate-child' });
    site.fault = { kind: 'closed-ajax', status: 404 };
    const { url, admin, adminPassword } = site;
    const { id } = await world.ability('add-site-v1', { url, admin, admin_password: adminPassword });
    assert.equal(await stored(id), 'front');
  });
});
