import assert from 'node:assert/strict';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { createClient } from '../support/clients.ts';
import { ABILITIES_MOUNT, CompatMcpClient } from '../support/compat-clients.ts';
import { createTag } from '../support/tags.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the test is about the translation of requests and responses.

describe('MCP client of the established product', () => {
  let world: World;
  let client: CompatMcpClient;
  before(async () => {
    world = await startWorld({ sites: 3 });
    client = await CompatMcpClient.start(world);
  });
  after(() => world.close());

  it('when the client starts, then the catalogue has every ability under its known name', () => {
    const names = Object.keys(readContract('abilities').paths).flatMap(
      (path) => /^\/svc\/(.+)\/run$/.exec(path)?.[1] ?? [],
    );
    assert.deepEqual(client.catalogue.map(({ name }) => name).sort(), names.map((name) => `mainwp/${name}`).sort());
    for (const { name, label, description, category, input_schema: input, meta } of client.catalogue) {
      assert.match(name, /^[a-z0-9-]+\/[a-z0-9-]+$/);
      assert.match(category, /^mainwp-(sites|updates|clients|tags|batch)$/);
      assert.ok(label && description);
      assert.equal([input.type].flat()[0], 'object');
      for (const flag of ['readonly', 'destructive', 'idempotent'] as const)
        assert.equal(typeof meta.annotations[flag], 'boolean');
    }
    assert.doesNotMatch(JSON.stringify(client.catalogue), /\bsvc[_/-]/);
  });

  it('when the client reads the catalogue, then inputs have the names that it sends', () => {
    const { properties, required } = client.entry('activate-site-plugins-v1').input_schema;
    assert.deepEqual(required, ['site_id_or_domain', 'plugins']);
    assert.equal('slugs' in properties, false);
    const added = client.entry('add-site-v1').input_schema.properties;
    for (const name of ['admin_username', 'adminpassword', 'uniqueid', 'tag_ids', 'verify_certificate'])
      assert.ok(name in added, name);
    assert.ok(client.entry('list-updates-v1').input_schema.properties.types.items.enum.includes('core'));
    assert.equal(client.methodOf('delete-tag-v1'), 'DELETE');
    assert.equal(client.methodOf('get-site-v1'), 'GET');
    const deletion = client.entry('delete-site-v1').input_schema.properties;
    assert.deepEqual([deletion.confirm.type, deletion.dry_run.type], ['boolean', 'boolean']);
  });

  it('when links of the catalogue are followed, then they stay on the mount', async () => {
    const path = `${ABILITIES_MOUNT}/abilities?per_page=50&category=mainwp-sites&_fields=name,_links`;
    const { body, headers } = await world.request('GET', path);
    assert.equal(headers['x-wp-totalpages'], '1');
    for (const { name, _links: links } of body) {
      assert.equal(links['wp:action-run'][0].href, `${world.url}${ABILITIES_MOUNT}/abilities/${name}/run`);
      const one = new URL(links.self[0].href as string).pathname;
      assert.equal((await world.request('GET', one)).body.name, name);
    }
    const next = await world.request('GET', `${ABILITIES_MOUNT}/abilities?per_page=2`);
    assert.match(
      String(next.headers.link),
      new RegExp(`^<${world.url}${ABILITIES_MOUNT}/abilities\\?.*>; rel="next"$`),
    );
  });

  it('when the client lists the categories, then they have its prefix', async () => {
    const { body } = await world.request('GET', `${ABILITIES_MOUNT}/categories`);
    assert.deepEqual(body.map(({ slug }: { slug: string }) => slug).sort(), [
      'mainwp-batch',
      'mainwp-clients',
      'mainwp-sites',
      'mainwp-tags',
      'mainwp-updates',
    ]);
    const { body: one } = await world.request('GET', `${ABILITIES_MOUNT}/categories/mainwp-tags`);
    assert.equal(one.slug, 'mainwp-tags');
    assert.equal(one._links.abilities[0].href, `${world.url}${ABILITIES_MOUNT}/abilities?category=mainwp-tags`);
  });

  it('when the client runs a readonly ability, then it sends GET with bracket parameters', async () => {
    const { items, total } = await client.run('list-sites-v1', { page: 1, per_page: 100, status: 'connected' });
    assert.equal(total, (await client.run('count-sites-v1')).total);
    assert.deepEqual(Object.keys(items[0]), ['id', 'url', 'name', 'status', 'client_id']);
    const site = await client.run('get-site-v1', { site_id_or_domain: world.siteId(0), include_stats: true });
    assert.equal(typeof site.stats.plugin_updates, 'number');
    const { plugins, total: count } = await client.run('get-site-plugins-v1', { site_id_or_domain: site.url });
    assert.equal(plugins.length, count);
    const themes = await client.run('get-site-themes-v1', { site_id_or_domain: world.siteId(0) });
    assert.ok(themes.themes.some(({ slug }: { slug: string }) => slug === themes.active_theme));
    const waiting = await client.run('list-updates-v1', {
      site_ids_or_domains: [world.siteId(0)],
      types: ['plugins', 'themes'],
      per_page: 200,
    });
    assert.deepEqual([waiting.errors, waiting.updates.length], [[], waiting.total]);
    const basic = await client.run('get-sites-basic-v1', { page: 2, per_page: 2 });
    assert.deepEqual(basic, {
      total: 3,
      items: [{ id: world.siteId(2), url: world.site(2).url, name: basic.items[0].name }],
      page: 2,
      per_page: 2,
    });
  });

  it('when the client checks a site, then the response has the fields that it reads', async () => {
    const checked = await client.run('check-site-v1', { site_id_or_domain: world.siteId(1) });
    assert.equal(checked.checked, true);
    assert.equal(checked.site_id, world.siteId(1));
    assert.equal(checked.site.url, world.site(1).url);
    assert.deepEqual([checked.status.online, checked.status.http_code], [true, 200]);
    assert.equal(checked.response_time, checked.response_time_ms / 1000);
    const all = await client.run('check-sites-v1');
    assert.deepEqual([all.total_checked, all.total_errors, all.checked.length], [3, 0, 3]);
  });

  it('when a site is unknown, then the response is 404 with the known code', async () => {
    for (const name of ['get-site-v1', 'check-site-v1', 'delete-site-v1']) {
      const { code } = await client.run(name, { site_id_or_domain: 'nobody.example', ...CONFIRMED[name] }, 404);
      assert.equal(code, 'mainwp_site_not_found');
    }
    const { code } = await client.run('get-tag-v1', { tag_id: 999 }, 404);
    assert.equal(code, 'mainwp_tag_not_found');
  });

  it('when the client toggles a plugin, then the next read shows the change', async () => {
    const input = { site_id_or_domain: world.siteId(0), plugins: ['hello.php'] };
    const isActive = async (): Promise<boolean> =>
      (await client.run('get-site-plugins-v1', { site_id_or_domain: world.siteId(0) })).plugins.find(
        ({ slug }: { slug: string }) => slug === 'hello.php',
      ).active;
    assert.deepEqual((await client.run('activate-site-plugins-v1', input)).activated, [{ slug: 'hello.php' }]);
    assert.equal(await isActive(), true);
    assert.deepEqual((await client.run('deactivate-site-plugins-v1', input)).deactivated, [{ slug: 'hello.php' }]);
    assert.equal(await isActive(), false);
    const { errors } = await client.run('activate-site-plugins-v1', { ...input, plugins: ['nobody/nobody.php'] });
    assert.deepEqual([errors[0].slug, errors[0].code], ['nobody/nobody.php', 'mainwp_plugin_not_found']);
  });

  it('when the client syncs one site, then the response has that site', async () => {
    const synced = await client.run('sync-sites-v1', { site_ids_or_domains: [world.siteId(1)] });
    assert.deepEqual([synced.queued, synced.total_synced, synced.synced[0].id], [false, 1, world.siteId(1)]);
    assert.equal((await client.run('sync-sites-v1', { site_ids: [world.siteId(2)] })).total_synced, 1);
    const one = await client.run('sync-sites-v1', { site_ids_or_domains: 'nobody.example' });
    assert.deepEqual([one.total_synced, one.errors[0].code], [0, 'mainwp_site_not_found']);
  });

  it('when the client previews and confirms, then only the confirmed call deletes', async () => {
    const tag = await createTag(world, 'shops', world.siteId(0));
    const preview = await client.run('delete-tag-v1', { tag_id: tag, dry_run: true });
    assert.deepEqual(
      [preview.dry_run, preview.would_affect.sites_count, preview.would_affect.name],
      [true, 1, 'shops'],
    );
    assert.equal((await client.run('delete-tag-v1', { tag_id: tag }, 400)).code, 'mainwp_confirmation_required');
    const deleted = await client.run('delete-tag-v1', { tag_id: tag, confirm: true });
    assert.deepEqual([deleted.deleted, deleted.tag], [true, { id: tag, name: 'shops' }]);
    assert.equal('would_affect' in deleted, false);
    const site = { site_id_or_domain: world.siteId(2) };
    assert.equal((await client.run('delete-site-v1', { ...site, dry_run: true })).deleted, false);
    assert.equal((await client.run('delete-site-v1', site, 400)).code, 'mainwp_confirmation_required');
    assert.equal((await client.run('count-sites-v1')).total, 3);
  });

  it('when the client reads and edits clients, then they have the fields that it knows', async () => {
    const id = await createClient(world, 'Harbour Bakery', { selected_sites: [world.siteId(0)] });
    const { items } = await client.run('list-clients-v1', { per_page: 100 });
    const listed = items.find((each: { id: number }) => each.id === id);
    assert.deepEqual([listed.suspended, listed.created], [0, listed.created_at]);
    assert.equal((await client.run('count-clients-v1')).total, items.length);
    const sites = await client.run('get-client-sites-v1', { client_id_or_email: id });
    assert.deepEqual(sites.items, sites.sites);
    assert.equal((await client.run('count-client-sites-v1', { client_id_or_email: id })).total, 1);
    const suspended = await client.run('suspend-client-v1', { client_id_or_email: id });
    assert.deepEqual([suspended.id, suspended.suspended], [id, 1]);
    assert.equal((await client.run('unsuspend-client-v1', { client_id_or_email: id })).suspended, 0);
  });

  it('when the client runs updates, then each has the fields that it knows', async () => {
    const site = { site_id_or_domain: world.siteId(1) };
    const [plugin] = (await client.run('get-site-updates-v1', { ...site, types: ['plugins'] })).updates;
    const ran = await client.run('update-site-plugins-v1', { ...site, slugs: [plugin.slug] });
    assert.deepEqual([ran.updated[0].site_id, ran.updated[0].type], [world.siteId(1), 'plugin']);
    assert.deepEqual(ran.summary, { total_updated: 1, total_errors: 0 });
    const all = await client.run('update-all-v1', { site_ids_or_domains: [world.siteId(1)], types: ['themes'] });
    assert.ok(Array.isArray(all.updated) && all.updated.every(({ type }: { type: string }) => type === 'theme'));
    const ignored = await client.run('ignore-site-plugins-v1', { ...site, slugs: ['hello.php'] });
    assert.deepEqual([ignored.success, ignored.ignored_count], [true, 1]);
  });

  it('when credentials are missing, wrong or contain blanks, then the client gets the code that it knows', async () => {
    const catalogue = await world.request('GET', `${ABILITIES_MOUNT}/abilities`, { as: 'nobody', expect: 401 });
    assert.equal(catalogue.body.code, 'rest_forbidden');
    const path = `${ABILITIES_MOUNT}/abilities/mainwp/list-sites-v1/run`;
    const wrong = { authorization: `Basic ${Buffer.from('admin:wrong wrong').toString('base64')}` };
    for (const options of [{ as: 'nobody' as const }, { headers: wrong }])
      assert.equal(
        (await world.request('GET', path, { ...options, expect: 401 })).body.code,
        'mainwp_permission_denied',
      );
    const { access } = world.container.services.access;
    const user = await access.createUser({ name: 'spaced', role: 'administrator' }, 'test');
    const { password } = await access.addPassword(user.id, 'test', 'test');
    const spaced = `spaced:${password.replace(/(.{4})(?=.)/g, '$1 ')}`;
    const authorization = `Basic ${Buffer.from(spaced).toString('base64')}`;
    await world.request('GET', path, { headers: { authorization } });
    const denied = await world.request('POST', `${ABILITIES_MOUNT}/abilities/mainwp/suspend-site-v1/run`, {
      as: 'viewer',
      expect: 403,
      body: { input: { site_id_or_domain: world.siteId(0) } },
    });
    assert.equal(denied.body.code, 'mainwp_permission_denied');
  });
});

const CONFIRMED: Record<string, object> = { 'delete-site-v1': { confirm: true } };
