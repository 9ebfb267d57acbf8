import assert from 'node:assert/strict';
import { N8nNode, ROUTES_MOUNT } from '../support/compat-clients.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the test is about the translation of requests and responses.

describe('n8n node', () => {
  let world: World;
  let node: N8nNode;
  let site: number;
  before(async () => {
    world = await startWorld({ sites: 3, connect: 2 });
    node = await N8nNode.start(world);
    site = world.siteId(0);
  });
  after(() => world.close());

  it('when the node tests its credential, then a read key passes and a wrong key has its error code', async () => {
    const reader = await N8nNode.start(world, 'read');
    assert.equal((await reader.call('GET', '/sites/count')).count, 2);
    assert.equal(
      (await reader.call('POST', `/sites/${site}/sync`, undefined, 401)).code,
      'mainwp_rest_authentication_error',
    );
    for (const [authorization, code] of [
      ['Bearer nobody==nothing', 'mainwp_rest_authentication_disabled_key'],
      ['', 'mainwp_rest_authentication_error'],
    ]) {
      const { body } = await world.request('GET', `${ROUTES_MOUNT}/sites/count`, {
        as: 'nobody',
        expect: 401,
        headers: authorization ? { authorization } : {},
      });
      assert.equal(body.code, code);
    }
    assert.equal((await node.call('GET', '/no-such-route', undefined, 404)).code, 'rest_no_route');
    assert.equal((await node.call('DELETE', '/sites/count', undefined, 404)).code, 'rest_no_route');
  });

  it('when the node lists options, then each has an ID and a name', async () => {
    for (const path of ['/sites/basic', '/clients', '/tags']) {
      const items = await node.all(path, { search: '' });
      for (const { id, name } of items) assert.ok(typeof id === 'number' && typeof name === 'string');
    }
    const sites = await node.all('/sites/basic');
    assert.deepEqual(
      sites.map(({ status }) => status),
      ['connected', 'connected'],
    );
    const mails = await node.call('GET', '/settings/emails');
    assert.ok(Object.keys(mails).includes('daily_digest') && Object.keys(mails).includes('lighthouse_noti_email'));
  });

  it('when the node reads sites, then they have the field names that other consumers know', async () => {
    const [first] = await node.all('/sites');
    for (const field of [
      'id',
      'url',
      'name',
      'health_score',
      'plugins',
      'plugin_upgrades',
      'theme_upgrades',
      'wp_upgrades',
      'note',
    ])
      assert.ok(field in first, field);
    assert.ok(Array.isArray(first.plugins) && Array.isArray(first.wp_upgrades));
    assert.equal((await node.call('GET', `/sites/${site}`)).id, site);
    assert.equal((await node.call('GET', `/sites/${site}`)).note, '');
    assert.ok('wp_uptodate' in (await node.call('GET', `/sites/${site}/security`)));
    assert.equal(await node.call('GET', `/sites/${site}/client`), null);
    assert.deepEqual(await node.call('GET', '/sites?_fields=id,name&per_page=1'), [{ id: first.id, name: first.name }]);
    assert.equal((await node.call('GET', '/sites/999', undefined, 404)).code, 'mainwp_rest_invalid_site_id');
    assert.equal(
      (await node.call('GET', '/sites/nobody.example', undefined, 404)).code,
      'mainwp_rest_invalid_site_data',
    );
  });

  it('when the node runs site actions without a body, then they succeed', async () => {
    for (const action of ['sync', 'check', 'reconnect', 'suspend', 'unsuspend', 'disconnect', 'reconnect'])
      await node.call('POST', `/sites/${site}/${action}`);
    for (const action of ['sync', 'check', 'reconnect']) await node.call('POST', `/sites/${action}`);
    // The library decides if it sends an empty body.
    await node.call('POST', `/sites/${site}/sync`, {});
    await node.call('POST', `/sites/${site}/check`, { anything: [1, { deep: true }] });
    assert.equal((await node.call('GET', `/sites/${site}`)).status, 'connected');
  });

  it('when the node sends slugs, then they are comma-separated, and in the query for a deletion', async () => {
    const active = async (): Promise<string[]> =>
      (await node.all(`/sites/${site}/plugins`, { status: 'active' })).map(({ slug }) => slug as string);
    await node.call('POST', `/sites/${site}/plugins/activate`, { slug: 'hello.php' });
    assert.ok((await active()).includes('hello.php'));
    await node.call('POST', `/sites/${site}/plugins/deactivate?slug=hello.php`);
    assert.ok(!(await active()).includes('hello.php'));
    await node.call('DELETE', `/sites/${site}/plugins/delete?slug=hello.php`);
    const themes = await node.all(`/sites/${site}/themes`);
    const other = themes.find(({ active: isActive }) => !isActive);
    await node.call('POST', `/sites/${site}/themes/activate`, { slug: other.slug });
    assert.ok(Array.isArray(await node.call('GET', `/sites/${site}/plugins/abandoned`)));
  });

  it('when the node adds or edits records, then IDs may be strings and unknown fields are ignored', async () => {
    const tag = await node.call('POST', '/tags/add', { name: 'shops', color: '#ff0000', nothing: { of: ['ours'] } });
    await node.call('POST', `/tags/${tag.id}/edit`, { name: 'web shops' });
    const client = await node.call('POST', '/clients/add', {
      name: 'Harbour Bakery',
      client_email: 'office@harbour.example',
      zip: 12345,
      selected_sites: [String(site)],
      unknown: null,
    });
    assert.equal((await node.call('GET', `/clients/${client.id}`)).zip, '12345');
    assert.equal((await node.call('GET', `/clients/office%40harbour.example`)).id, client.id);
    const edited = await node.call('POST', `/sites/${site}/edit`, {
      name: 'Shop',
      note: 'Renewal in March.',
      groupids: String(tag.id),
      client_id: String(client.id),
      ssl_verify: 2,
      suspended: 0,
      automatic_update: 1,
      monitoring_emails: 'ops@example.com',
    });
    assert.deepEqual(
      [edited.name, edited.note, edited.client_id, edited.ssl_verify],
      ['Shop', 'Renewal in March.', client.id, null],
    );
    assert.equal((await node.all(`/tags/${tag.id}/sites`)).length, 1);
    await node.call('POST', `/clients/${client.id}/suspend`);
    await node.call('POST', `/clients/${client.id}/unsuspend`);
    const field = await node.call('POST', '/clients/fields/add', { name: 'VAT', description: 'number' });
    await node.call('PUT', `/clients/fields/${field.field_id}/edit`, { description: 'VAT number' });
    assert.equal((await node.call('GET', '/clients/fields?page=1&per_page=20&pre_page=20')).length, 1);
    await node.call('DELETE', `/clients/fields/VAT/delete`);
    await node.call('DELETE', `/clients/${client.id}/remove`);
    await node.call('DELETE', `/tags/${tag.id}/remove`);
  });

  it('when the node adds a site, then field names of the established product are accepted', async () => {
    const { url, admin, adminPassword } = world.site(2);
    const added = await node.call('POST', '/sites/add', {
      url,
      admin,
      adminpassword: adminPassword,
      name: 'New',
      ssl_verify: 1,
      force_use_ipv4: 0,
    });
    assert.equal(added.name, 'New');
    assert.equal((await node.call('DELETE', `/sites/${added.id}/remove`)).id, added.id);
  });

  it('when the node saves a cost, then a whole record with known field names is accepted', async () => {
    const record = {
      name: 'Hosting',
      price: '10.50',
      payment_type: 'subscription',
      product_type: 'hosting',
      license_type: 'single_site',
      cost_tracker_status: 'active',
      product_color: '#34afd8',
      payment_method: 'paypal',
      renewal_type: 'monthly',
      last_renewal: '2026-11-01',
      sites: [String(site)],
      icon_hidden: 'x',
    };
    const cost = await node.call('POST', '/costs/add', record);
    assert.deepEqual([cost.price, cost.type, cost.cost_status], [10.5, 'subscription', 'active']);
    await node.call('POST', `/costs/${cost.id}/edit`, { ...record, price: 12 });
    assert.equal((await node.all('/costs')).length, 1);
    assert.equal((await node.all(`/sites/${site}/costs`)).length, 1);
    assert.equal((await node.call('GET', '/costs/999', undefined, 404)).code, 'mainwp_rest_invalid_costs_id');
    await node.call('DELETE', `/costs/${cost.id}/remove`);
  });

  it('when the node edits settings, then keys have the known prefix', async () => {
    const advanced = await node.call('PUT', '/settings/advanced/edit', {
      mainwp_maximum_requests: '24',
      mainwp_ssl_verify_certificate: true,
      mainwp_connect_signature_algo: 'OPENSSL_ALGO_SHA512',
      mainwp_optimize: 1,
      sync_data: { wp_updates: 1, dbsize: 1 },
    });
    assert.deepEqual([advanced.mainwp_maximum_requests, advanced.mainwp_connect_signature_algo], [24, 'sha512']);
    assert.doesNotMatch(JSON.stringify(advanced), /svc_/);
    const general = await node.call('PUT', '/settings/general/edit', {
      automatic_daily_update: ['1'],
      trans_automatic_daily_update: ['0'],
      mainwp_widgets: { non_mainwp_changes: 0, 'get-started': 1 },
      sidebar_position: 1,
    });
    assert.deepEqual([general.automatic_daily_update, general.trans_automatic_daily_update], [1, 0]);
    assert.equal(general.mainwp_widgets.non_mainwp_changes, 0);
    const monitoring = await node.call('PATCH', '/settings/monitoring/edit', {
      mainwp_uptime_monitoring_interval: '15m',
      mainwp_uptime_monitoring_up_status_codes: [200, '201'],
    });
    assert.equal(monitoring.mainwp_uptime_monitoring_interval, 15);
    const tools = await node.call('PUT', '/settings/tools/edit', { mainwp_theme: 'dark', chatbase: 1 });
    assert.deepEqual([tools.mainwp_theme, tools.chatbase], ['dark', 1]);
    await node.call('PUT', '/settings/emails/lighthouse_noti_email/edit', {
      disable: true,
      recipients: 'ops@example.com',
    });
    await node.call('PUT', '/settings/cost-tracker/edit', { currency: 'EUR' });
    await node.call('PUT', '/settings/dashboard-insights/edit', { enable_insights_logging: 1 });
    const { body } = await world.request('GET', '/api/v2/settings/advanced');
    assert.equal(body.data.svc_maximum_requests, 24);
    const refusal = await node.call('PUT', '/settings/advanced/edit', { mainwp_maximum_requests: 0 }, 400);
    assert.equal(refusal.code, 'rest_invalid_param');
    assert.ok('mainwp_maximum_requests' in refusal.data.params);
    assert.match(refusal.message, /mainwp_maximum_requests/);
  });

  it('when the node handles updates, then core is called wp', async () => {
    for (const type of ['plugin', 'theme', 'translation', 'wp', 'wp,plugins'])
      for (const each of await node.call('GET', `/updates?type=${type}&include=${site}`))
        assert.ok(each.site_id === site && each.slug && each.new_version);
    await node.call('POST', `/updates/${site}/ignore/wp`);
    assert.ok(Array.isArray(await node.call('GET', `/updates/${site}/ignored`)));
    assert.equal(
      (await node.call('GET', '/updates/ignored')).some(({ type }: { type: string }) => type === 'core'),
      true,
    );
    const [plugin] = await node.call('GET', `/updates/${site}?type=plugins`);
    await node.call('POST', `/updates/${site}/update/plugins`, { slug: plugin.slug });
    await node.call('POST', `/updates/${site}/update/themes`);
    await node.call('POST', `/updates/${site}/update/translations`);
    assert.ok(Array.isArray(await node.call('POST', `/updates/${site}/update/wp`)));
    await node.call('POST', `/updates/${site}/update`);
    await node.call('POST', '/updates/update', { type: 'wp' });
  });

  it('when the node writes posts, pages and users, then they exist on the site', async () => {
    for (const kind of ['post', 'page'] as const) {
      const body = { post_title: 'Hours', post_content: 'Nine to five.', post_status: 'publish', post_name: 'hours' };
      const made = await node.call('POST', `/${kind}s/${site}/create`, { ...body, post_custom: {}, unknown: 1 });
      const id = made[`${kind}_id`] ?? made.post_id;
      await node.call('PUT', `/${kind}s/${site}/${id}/edit`, { ...body, post_title: 'New hours' });
      await node.call('PUT', `/${kind}s/${site}/${id}/update-status`, { status: 'unpublish' });
      assert.equal((await node.call('GET', `/${kind}s/${site}/${id}`)).post_title, 'New hours');
      const lists = await node.call('GET', `/${kind}s?websites=${site}&search=hours&search_on=title&maximum=5`);
      assert.ok(
        Object.values(lists as Record<string, { id: number }[]>)
          .flat()
          .some((each) => each.id === id),
      );
      await node.call('DELETE', `/${kind}s/${site}/${id}/delete`);
    }
    const user = { username: 'ann', email: 'ann@example.com', role: 'editor', websites: String(site) };
    assert.equal((await node.call('POST', '/users/create', user)).total_success, 1);
    const users = await node.call('GET', `/users?websites=${site}&roles[]=editor`);
    const ann = (Object.values(users).flat() as { id: number; username: string }[]).find(
      (each) => each.username === 'ann',
    );
    await node.call('PUT', `/users/${site}/${ann?.id}/edit`, { first_name: 'Ann' });
    await node.call('DELETE', `/users/${site}/${ann?.id}/delete`);
  });

  it('when a site of a list cannot be reached, then the error has the known code', async () => {
    const answer = await world.request('GET', `${ROUTES_MOUNT}/posts?websites=999`, { expect: 200 });
    assert.equal(answer.body.success, 1);
    assert.doesNotMatch(JSON.stringify(answer.body), /svc_/);
  });

  it('when the node starts a tool, then the status URL is on the mount and the status is never failed', async () => {
    for (const [tool, name] of [
      ['destroy-sessions', 'destroy_id'],
      ['renew-connections', 'renew_id'],
    ] as const) {
      const { body } = await world.request('POST', `${ROUTES_MOUNT}/settings/tools/${tool}`);
      assert.equal(body.status_url, `${world.url}${ROUTES_MOUNT}/settings/tools/${tool}-status/${body[name]}`);
      const path = (body.status_url as string).slice((world.url + ROUTES_MOUNT).length);
      assert.ok('progress' in (await node.call('GET', path)));
    }
    await node.call('POST', '/settings/tools/clear-activation-data');
    await node.call('POST', '/settings/tools/restore-info-messages');
  });

  it('when the trigger polls twice, then unchanged records have the same keys', async () => {
    const poll = async (): Promise<string[]> => {
      const updates = await node.call('GET', '/updates?type=plugin');
      const sites = await node.call('GET', '/sites/basic');
      const clients = await node.call('GET', '/clients');
      const incidents = await node.call('GET', `/monitors/${site}/incidents`);
      const changes = await node.call('GET', `/sites/${site}/non-mainwp-changes`);
      return [
        ...updates.map(
          (each: Record<string, string | number>) => `${each['site_id']} ${each['slug']} ${each['new_version']}`,
        ),
        ...sites.map((each: Record<string, string | number>) => `${each['id']} ${each['status']}`),
        ...[clients, incidents, changes].flatMap((list) => list.map(({ id }: { id: number }) => String(id))),
      ];
    };
    const first = await poll();
    assert.ok(first.length > 2 && first.every((key) => !key.includes('undefined')));
    assert.deepEqual(await poll(), first);
  });

  it('when the node sends a batch, then the response has the structure of the request', async () => {
    const { body } = await world.request('POST', `${ROUTES_MOUNT}/batch`, {
      body: {
        tags: { create: [{ name: 'batched', unknown: 1 }] },
        sites: { sync: [String(site), 999], 'non-mainwp-changes': [site] },
        updates: { create: [{ site, type: 'wp', slugs: [] }] },
      },
    });
    assert.equal(body.success, undefined);
    assert.equal(body.tags.create[0].success, 1);
    assert.equal(body.sites.sync[1].error.code, 'mainwp_site_not_found');
    assert.equal(body.sites['non-mainwp-changes'][0].success, 1);
    assert.doesNotMatch(JSON.stringify(body), /svc[_-]/);
  });

  it('when the node reads monitors and reports without dates, then the range is the last year', async () => {
    await node.call('PUT', '/monitors/settings', { active: true, interval: 5 });
    await node.call('PUT', `/monitors/${site}/settings`, { interval: 'useglobal', active: '1' });
    assert.equal((await node.call('GET', '/monitors/count')).count, 2);
    await node.call('POST', `/monitors/${site}/check`);
    assert.ok(Array.isArray(await node.call('GET', `/monitors/${site}/heartbeat?page=1&limit=10`)));
    for (const segment of ['plugins', 'wordpress', 'lighthouse', 'aum'])
      assert.ok('sections_data' in (await node.call('GET', `/pro-reports/${site}/${segment}`)), segment);
    assert.ok(await node.call('GET', '/lighthouse/results'));
  });

  it('when a form or another verb is sent, then it is accepted as in the established product', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const form = { headers, body: 'description=ci&permissions=read&active=1' };
    assert.ok((await world.request('POST', `${ROUTES_MOUNT}/rest-api/add-key`, form)).body.data.token);
    const fields = { headers, body: 'name=Town&description=where' };
    assert.equal((await world.request('POST', `${ROUTES_MOUNT}/clients/fields/add`, fields)).body.data.name, 'Town');
    await node.call('PUT', '/tags/add', { name: 'by put' });
    const [tag] = await node.all('/tags', { search: 'by put' });
    await world.request('POST', `${ROUTES_MOUNT}/tags/${tag.id}/remove?_method=DELETE`);
    assert.deepEqual(await node.all('/tags', { search: 'by put' }), []);
    const asForm = await world.request('POST', '/wp-json/wp-abilities/v1/abilities/mainwp/sync-sites-v1/run', {
      headers,
      body: 'input=x',
      expect: 415,
    });
    assert.equal(asForm.body.code, 'rest_unsupported_media_type');
  });
});
