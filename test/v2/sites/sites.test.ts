import assert from 'node:assert/strict';
import { createClient } from '../../support/clients.ts';
import { refusedFields } from '../../support/refusals.ts';
import { suspendSite, updateSite } from '../../support/sites.ts';
import { createTag } from '../../support/tags.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/sites';
interface Listed {
  id: number;
  name: string;
}

describe('v2 sites', () => {
  let world: World;
  let tag: number;
  let client: number;
  before(async () => {
    world = await startWorld({ sites: 4, connect: 3 });
    tag = await createTag(world, 'shops', world.siteId(0));
    client = await createClient(world, 'Ada', { selected_sites: [world.siteId(0)] });
    await updateSite(world, world.siteId(0), { name: 'First' });
    await suspendSite(world, world.siteId(2));
  });
  after(() => world.close());

  const read = async (path: string) => (await world.request('GET', `${BASE}${path}`)).body;
  const edit = async (body: object, index = 1, options = {}) =>
    (await world.request('PUT', `${BASE}/${world.siteId(index)}/edit`, { body, ...options })).body;

  it('when a site is read by ID or domain, then it has the data of the last sync', async () => {
    const { host } = new URL(world.site(0).url);
    const { success, data } = await read(`/${world.siteId(0)}`);
    assert.deepEqual((await read(`/${encodeURIComponent(host)}`)).data, data);
    const { id, name, status, suspended, client_id, tags, sync_errors, notes } = data;
    assert.deepEqual(
      [success, id, name, status, suspended, client_id, tags, sync_errors, notes],
      [1, world.siteId(0), 'First', 'connected', 0, client, { [tag]: 'shops' }, [], ''],
    );
    const stats = await world.ability('get-site-v1', { site_id_or_domain: id, include_stats: true });
    assert.deepEqual([data.wp_version, data.last_sync], [stats.wp_version, stats.last_sync]);
    assert.equal(data.updates.plugins, stats.stats.plugin_updates);
    assert.ok(!/admin|secret|key|http_pass|unique/.test(Object.keys(data).join()));
    assert.equal('tags' in (await read(`/${id}?with_tags=0`)).data, false);
    assert.deepEqual((await read(`/${id}?_fields=name,updates.total`)).data, {
      id,
      name: 'First',
      updates: { total: data.updates.total },
    });
  });

  it('when full_data is true, then the site has its plugins, themes and updates', async () => {
    const id = world.siteId(0);
    const { data } = await read(`/${id}?full_data=true`);
    const { plugins } = await world.ability('get-site-plugins-v1', { site_id_or_domain: id });
    const { themes, active_theme } = await world.ability('get-site-themes-v1', { site_id_or_domain: id });
    const slugs = (items: { slug: string }[]): string[] => items.map(({ slug }) => slug);
    assert.deepEqual([slugs(data.plugins), slugs(data.themes)], [slugs(plugins), slugs(themes)]);
    assert.equal(data.active_theme, active_theme);
    const { updates } = await world.ability('list-updates-v1', { site_ids_or_domains: [id], per_page: 100 });
    const waiting = ['core', 'plugin', 'theme', 'translation'].flatMap((kind) => slugs(data[`${kind}_upgrades`]));
    assert.deepEqual(waiting.sort(), slugs(updates).sort());
    const { data: listed } = await read('?full_data=1&per_page=1');
    assert.deepEqual(listed[0], data);
  });

  it('when sites are listed, then they are sorted by URL, filtered and paged', async () => {
    const ids = async (query: string): Promise<number[]> => (await read(`?${query}`)).data.map(({ id }: Listed) => id);
    const [first, second, third] = world.siteIds as [number, number, number];
    assert.deepEqual(await ids(''), [first, second, third]);
    assert.deepEqual(await ids('status=suspended'), [third]);
    assert.deepEqual(await ids('status=connected'), [first, second]);
    assert.deepEqual(await ids('search=FIRST'), [first]);
    assert.deepEqual(await ids(`client_id=${client}`), [first]);
    assert.deepEqual(await ids(`tag_id=${tag}`), [first]);
    assert.deepEqual(await ids(`tag_id=${tag}&status=suspended`), []);
    assert.deepEqual(await ids(`include=${first},${third}&exclude=${third}`), [first]);
    const { body, headers } = await world.request('GET', `${BASE}?per_page=2&page=2`);
    assert.deepEqual([body.total, body.pages, body.data.length, headers['x-wp-total']], [3, 2, 1, '3']);
    const basic = await read('/basic?status=suspended');
    assert.deepEqual(Object.keys(basic.data[0]), ['id', 'url', 'name', 'status', 'client_id']);
    assert.deepEqual([basic.total, basic.data[0].status], [1, 'suspended']);
    assert.deepEqual(await read('/count'), { success: 1, count: 3, total: 3 });
    assert.equal((await read(`/count?status=connected&exclude=${first}`)).count, 1);
    for (const path of ['', '/basic', '/count'])
      assert.equal((await refusedFields(world, 'GET', `${BASE}${path}?status=broken`))[0], 'query.status');
  });

  it('when a kind of updates is ignored, then its updates are not counted, and the site shows the rule', async () => {
    const id = world.siteId(0);
    const slug = 'hello-dolly/hello.php';
    await world.request('POST', `/api/v2/updates/${id}/ignore/plugins`, { body: { slug } });
    const rules = async (body: object): Promise<unknown[]> => {
      await world.request('PUT', `${BASE}/${id}/edit`, { body });
      const { data } = await read(`/${id}?full_data=true`);
      return [
        data.ignore_core_updates,
        data.ignore_plugin_updates,
        data.ignore_theme_updates,
        data.ignored_plugins,
        data.plugin_upgrades.length + data.updates.plugins,
      ];
    };
    assert.deepEqual((await rules({ ignore_plugin_updates: 1, ignore_core_updates: 1 })).slice(0, 5), [
      1,
      1,
      0,
      [slug],
      0,
    ]);
    const [core, plugins, themes, own, waiting] = await rules({ ignore_plugin_updates: 0, ignore_core_updates: 0 });
    assert.deepEqual([core, plugins, themes, own], [0, 0, 0, [slug]]);
    assert.ok(Number(waiting) > 0, 'they are seen again');
    await world.request('DELETE', `/api/v2/updates/${id}/ignore/plugins?slug=${encodeURIComponent(slug)}`);
  });

  it('when sites with updates are listed, then ignored updates are not counted, and the list is current', async () => {
    const { knex } = world.container.database;
    const count = async (): Promise<number> => (await read('/count?status=available_update')).count;
    assert.equal(await count(), 3);
    const none = { core_updates: 0, plugin_updates: 0, theme_updates: 0, translation_updates: 0 };
    const stored = await knex('site_states')
      .where({ site_id: world.siteId(1) })
      .first();
    await knex('site_states')
      .where({ site_id: world.siteId(1) })
      .update(none);
    assert.equal(await count(), 2);
    const { data, total } = await read('?status=available_update');
    assert.deepEqual([data.map(({ id }: Listed) => id), total], [[world.siteId(0), world.siteId(2)], 2]);
    await knex('site_states')
      .where({ site_id: world.siteId(1) })
      .update({ translation_updates: 1 });
    assert.equal(await count(), 3);
    await knex('site_states')
      .where({ site_id: world.siteId(1) })
      .update(stored);
  });

  it('when there are more sites, then the list needs no more SQL statements', async () => {
    for (const query of ['', 'full_data=true', 'status=available_update']) {
      const statements = (size: number) =>
        world.countStatements(() => world.request('GET', `${BASE}?per_page=${size}&${query}`));
      await statements(1);
      // The first call with each page size cannot use the cache.
      assert.equal(await statements(3), await statements(2), query);
      assert.equal(await statements(3), await statements(1), query);
    }
  });

  it('when a site is edited, then omitted fields keep their values', async () => {
    const path = `${BASE}/${world.siteId(1)}/edit`;
    for (const [method, body, expected] of [
      ['PUT', { name: ' Second ', notes: 'x' }, ['Second', 'x', null, {}, null]],
      ['PATCH', { client_id: client, groupids: `${tag}` }, ['Second', 'x', client, { [tag]: 'shops' }, null]],
      ['POST', { notes: null, ssl_verify: false }, ['Second', '', client, { [tag]: 'shops' }, false]],
      ['PUT', { client_id: null, groupids: [], ssl_verify: null }, ['Second', '', null, {}, null]],
    ] as const) {
      const { data } = (await world.request(method, path, { body })).body;
      const { name, notes, client_id, tags, ssl_verify } = data;
      assert.deepEqual([name, notes, client_id, tags, ssl_verify], expected);
      assert.deepEqual((await read(`/${world.siteId(1)}`)).data, data);
    }
  });

  it('when an edit sets suspended, then the site is suspended or unsuspended as by the routes', async () => {
    assert.equal((await edit({ suspended: 1 })).data.status, 'suspended');
    assert.equal((await edit({ suspended: 0 })).data.status, 'connected');
    await world.request('POST', `${BASE}/${world.siteId(1)}/disconnect`);
    assert.equal((await edit({ suspended: 0 })).data.status, 'disconnected');
    await world.request('POST', `${BASE}/${world.siteId(1)}/reconnect`);
  });

  it('when an edit sets the user name or HTTP credentials, then the next call uses them', async () => {
    const site = world.site(1);
    const sync = async (expect: number) =>
      (await world.request('POST', `${BASE}/${world.siteId(1)}/sync`, { expect })).body;
    site.fault = { kind: 'basic', user: 'gate', password: 'opens' };
    assert.equal((await sync(502)).code, 'svc_site_refused');
    const { data } = await edit({ http_user: 'gate', http_pass: 'opens' });
    assert.ok(!JSON.stringify(data).includes('opens'));
    assert.equal((await sync(200)).success, 1);
    site.fault = { kind: 'basic', user: 'gate', password: 'changed' };
    await edit({ http_pass: 'changed' });
    await sync(200);
    const half = await edit({ http_user: null }, 1, { expect: 400 });
    assert.deepEqual([half.code, half.data.errors[0].path], ['rest_invalid_param', 'body.http_user']);
    await sync(200);
    await edit({ http_user: null, http_pass: null });
    await sync(502);
    site.fault = null;
    await edit({ adminname: 'nobody-of-that-name' });
    assert.equal((await sync(502)).code, 'svc_site_refused');
    await edit({ adminname: site.admin });
    await world.request('POST', `${BASE}/${world.siteId(1)}/reconnect`);
    await sync(200);
  });

  it('when an edit or removal has an outdated ETag, then it is rejected', async () => {
    const path = `${BASE}/${world.siteId(1)}`;
    const tagOf = async (query = '') => (await world.request('GET', path + query)).headers['etag'];
    const seen = String(await tagOf());
    assert.equal(await tagOf('?with_tags=false&_fields=name'), seen);
    assert.equal(await tagOf('?full_data=true'), undefined);
    await world.request('GET', path, { headers: { 'if-none-match': seen }, expect: 304 });
    const { headers } = await world.request('PUT', `${path}/edit`, {
      body: { notes: 'y' },
      headers: { 'if-match': seen },
    });
    assert.equal(headers['etag'], await tagOf());
    const late = { headers: { 'if-match': seen }, expect: 412 };
    await edit({ notes: 'z' }, 1, late);
    const before = world.site(1).countOf('deactivate');
    await world.request('DELETE', `${path}/remove`, late);
    assert.equal(world.site(1).countOf('deactivate'), before);
    assert.equal((await read(`/${world.siteId(1)}`)).data.notes, 'y');
  });

  for (const secrets of [
    { http_user: 'door', http_pass: 'first' },
    { http_user: 'door', http_pass: 'second' },
    { uniqueid: 'abc' },
    { adminname: 'another' },
  ])
    it(`when an edit changes ${JSON.stringify(secrets)}, then the ETag changes`, async () => {
      const path = `${BASE}/${world.siteId(1)}`;
      const seen = String((await world.request('GET', path)).headers['etag']);
      const { headers } = await world.request('PUT', `${path}/edit`, { body: secrets });
      assert.notEqual(headers['etag'], seen);
      await edit({ notes: 'late' }, 1, { headers: { 'if-match': seen }, expect: 412 });
    });

  it('when sites are added and removed, then they are stored and deleted', async () => {
    const { url, admin, adminPassword } = world.site(3);
    const body = { url, admin, adminpassword: adminPassword, name: 'Fourth', groupids: `${tag}, `, client_id: client };
    await world.request('POST', `${BASE}/add`, { body: { ...body, groupids: String(tag) }, as: 'reader', expect: 403 });
    const wrong = await world.request('POST', `${BASE}/add`, {
      body: { ...body, adminpassword: 'x', groupids: [tag] },
      expect: 502,
    });
    assert.equal(wrong.body.data.reason, 'bad_password');
    const added = (await world.request('POST', `${BASE}/add`, { body: { ...body, groupids: [tag] } })).body;
    assert.deepEqual([added.data.name, added.data.status, added.warnings.length], ['Fourth', 'connected', 1]);
    assert.deepEqual((await read(`/${added.data.id}`)).data.tags, { [tag]: 'shops' });
    const again = await world.request('POST', `${BASE}/add`, { body: { url, admin }, expect: 409 });
    assert.deepEqual([again.body.code, again.body.data.site_id], ['svc_site_already_exists', added.data.id]);
    const removed = (await world.request('DELETE', `${BASE}/${added.data.id}/remove`)).body;
    assert.deepEqual([removed.data, removed.child_notified], [added.data, true]);
    await world.request('GET', `${BASE}/${added.data.id}`, { expect: 404 });
    world.site(3).fault = { kind: 'refuse' };
    const down = await world.request('POST', `${BASE}/add`, { body: { url, admin }, expect: 503 });
    assert.equal(down.body.code, 'svc_site_unreachable');
  });

  it('when a field is invalid or a record unknown, then the error names the field or the record', async () => {
    for (const [body, field] of [
      [{}, 'body'],
      [{ name: '  ' }, 'body.name'],
      [{ protocol: 'http' }, 'body.protocol'],
      [{ suspended: 2 }, 'body.suspended'],
      [{ groupids: 'a' }, 'body.groupids'],
    ] as const)
      assert.equal((await edit(body, 1, { expect: 400 })).data.errors[0].path, field);
    for (const [body, field] of [
      [{ url: 'https://x.example' }, 'body.admin'],
      [{ url: 'ftp://x.example', admin: 'a' }, 'body.url'],
      [{ url: 'https://x.example', admin: 'a', name: ' \t' }, 'body.name'],
      [{ url: 'https://x.example', admin: 'a', http_user: 'u' }, 'body.http_pass'],
    ] as const) {
      const refused = await world.request('POST', `${BASE}/add`, { body, expect: 400 });
      assert.equal(refused.body.data.errors[0].path, field);
    }
    assert.equal((await edit({ client_id: 9999 }, 1, { expect: 404 })).code, 'svc_client_not_found');
    assert.equal((await edit({ name: 'lost', groupids: [9999] }, 1, { expect: 404 })).code, 'svc_tag_not_found');
    assert.notEqual((await read(`/${world.siteId(1)}`)).data.name, 'lost');
    await edit({ name: 'x' }, 1, { as: 'reader', expect: 403 });
    for (const ref of ['99999', 'no.example']) {
      await world.request('GET', `${BASE}/${ref}`, { expect: 404 });
      await world.request('PUT', `${BASE}/${ref}/edit`, { body: { name: 'x' }, expect: 404 });
      const gone = await world.request('DELETE', `${BASE}/${ref}/remove`, { expect: 404 });
      assert.equal(gone.body.code, 'svc_site_not_found');
    }
  });
});

describe('v2 sites on one host', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 2, fleet: { ips: 1 } });
  });
  after(() => world.close());

  it('when a reference has host, port and path, then one site matches; the host alone is ambiguous', async () => {
    const { host, hostname, pathname } = new URL(world.site(1).url);
    const path = pathname.replace(/\/$/, '');
    for (const ref of [host + path, `${host + path}/`, `http://${host}${path}`])
      for (const tail of ['', '/plugins'])
        assert.equal((await world.request('GET', `${BASE}/${encodeURIComponent(ref)}${tail}`)).status, 200);
    const { body } = await world.request('GET', `${BASE}/${encodeURIComponent(host + path)}`);
    assert.equal(body.data.id, world.siteId(1));
    const lower = encodeURIComponent(host + path).replace(/%[0-9A-F]{2}/g, (sign) => sign.toLowerCase());
    assert.equal((await world.request('GET', `${BASE}/${lower}`)).body.data.id, world.siteId(1));
    for (const ref of [host, hostname]) {
      const several = await world.request('GET', `${BASE}/${encodeURIComponent(ref)}`, { expect: 409 });
      assert.deepEqual([several.body.code, several.body.data.site_ids], ['svc_ambiguous_site', world.siteIds]);
    }
  });
});
