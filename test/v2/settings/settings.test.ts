import assert from 'node:assert/strict';
import { ADVANCED_DEFAULTS } from '../../support/settings.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('v2 advanced settings', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 6 });
  });
  after(() => world.close());

  const edit = (body: unknown, options: object = {}) =>
    world.request('PUT', '/api/v2/settings/advanced/edit', { body, ...options });

  it('when no setting was changed, then the response has the defaults', async () => {
    const { body } = await world.request('GET', '/api/v2/settings/advanced');
    assert.deepEqual(body, { success: 1, data: ADVANCED_DEFAULTS });
  });

  it('when a setting is sent, then only this setting changes, and null restores the default', async () => {
    const { body } = await edit({ svc_maximum_requests: 5, svc_minimum_delay: 30 });
    assert.deepEqual(body.data, { ...ADVANCED_DEFAULTS, svc_maximum_requests: 5, svc_minimum_delay: 30 });
    const { body: back } = await edit({ svc_maximum_requests: null, svc_minimum_delay: null });
    assert.deepEqual(back.data, ADVANCED_DEFAULTS);
  });

  it('when a value is out of range, of another type or unknown, then no setting changes', async () => {
    const { body } = await edit(
      { svc_maximum_requests: 501, svc_minimum_delay: '5', nope: 1, svc_maximum_ip_requests: 7 },
      { expect: 400 },
    );
    assert.equal(body.code, 'rest_invalid_param');
    assert.deepEqual(body.data.errors.map(({ path }: { path: string }) => path).sort(), [
      'body.nope',
      'body.svc_maximum_requests',
      'body.svc_minimum_delay',
    ]);
    await edit({}, { expect: 400 });
    assert.deepEqual((await world.request('GET', '/api/v2/settings/advanced')).body.data, ADVANCED_DEFAULTS);
  });

  it('when parallel edits have the same ETag, then one succeeds, even for the first edit', async () => {
    const tagOf = async (): Promise<string> =>
      String((await world.request('GET', '/api/v2/settings/advanced')).headers['etag']);
    for (const name of ['svc_minimum_delay', 'svc_minimum_ip_delay']) {
      const seen = await tagOf();
      const outcomes = await Promise.all(
        Array.from({ length: 5 }, async (_, index) => {
          const edit = world.agent().put('/api/v2/settings/advanced/edit').set('if-match', seen);
          return (await edit.send({ [name]: index + 1 })).status;
        }),
      );
      assert.deepEqual(outcomes.sort(), [200, ...Array<number>(4).fill(412)]);
      assert.notEqual(await tagOf(), seen);
    }
    const { headers } = await edit({ svc_minimum_delay: null, svc_minimum_ip_delay: null });
    assert.equal(headers['etag'], await tagOf());
    await world.request('GET', '/api/v2/settings/advanced', {
      headers: { 'if-none-match': await tagOf() },
      expect: 304,
    });
  });

  it('when the caller is no administrator, then settings are readable but cannot be edited', async () => {
    for (const as of ['viewer', 'reader', 'writer'] as const)
      await edit({ svc_maximum_requests: 5 }, { as, expect: 403 });
    await world.request('GET', '/api/v2/settings/advanced', { as: 'viewer' });
  });

  it('when a limit of calls is set, then it applies from the next call', async () => {
    for (const site of world.fleet.sites) site.latencyMs = 400;
    const highest = async (): Promise<number> => {
      world.fleet.gauge.highest = 0;
      assert.equal((await world.ability('sync-sites-v1')).total_synced, 6);
      return world.fleet.gauge.highest;
    };
    // A busy machine may start fewer calls at a time, but never more.
    const reaches = (limit: number): Promise<void> =>
      until(async () => {
        const seen = await highest();
        assert.ok(seen <= limit, `${seen} calls at the same time`);
        return seen === limit;
      }, `${limit} calls at the same time`);
    await reaches(6);
    await edit({ svc_maximum_requests: 2 });
    await reaches(2);
    await edit({ svc_maximum_requests: null, svc_maximum_sync_requests: 3 });
    await reaches(3);
    await edit({ svc_maximum_sync_requests: null });
    await reaches(6);
  });

  it('when a flag is a boolean or a string, then it is stored as 0 or 1', async () => {
    const general = (body: unknown, expect = 200) =>
      world.request('PUT', '/api/v2/settings/general/edit', { body, expect });
    for (const [sent, kept] of [
      [true, 1],
      ['0', 0],
      ['1', 1],
      [false, 0],
      [1, 1],
    ] as const) {
      const { body } = await general({ check_http_response: sent, svc_widgets: { notes: sent } });
      assert.deepEqual([body.data.check_http_response, body.data.svc_widgets.notes], [kept, kept]);
    }
    for (const sent of ['yes', 2, [1], 'true']) {
      const { body } = await general({ svc_widgets: { notes: sent } }, 400);
      assert.ok(body.data.errors.some(({ path }: { path: string }) => path === 'body.svc_widgets.notes'));
    }
    await general({ check_http_response: null, svc_widgets: null });
  });

  it('when an object has an unknown key, then the error names its path', async () => {
    const { body } = await world.request('PUT', '/api/v2/settings/general/edit', {
      body: { svc_widgets: { foo: 1 } },
      expect: 400,
    });
    assert.ok(body.data.errors.some(({ path }: { path: string }) => path === 'body.svc_widgets.foo'));
  });

  it('when the number of days for abandoned items is set, then it decides which items are listed', async () => {
    const editDays = (days: number | null) =>
      world.request('PUT', '/api/v2/settings/general/edit', { body: { numberdays_outdate_plugin_theme: days } });
    const total = async (): Promise<number> => (await world.ability('get-abandoned-plugins-v1')).total;
    const before = await total();
    await editDays(3650);
    // The child deletes its list when the number of days changes, and sends a new one at the next sync.
    for (let sync = 0; sync < 2; sync++) await world.ability('sync-sites-v1');
    assert.ok((await total()) < before, 'fewer items are as old as ten years');
    await editDays(null);
    for (let sync = 0; sync < 2; sync++) await world.ability('sync-sites-v1');
    assert.equal(await total(), before);
  });
});

describe('setting groups', () => {
  let world: World;
  before(async () => (world = await startWorld()));
  after(() => world.close());

  const list = async () => (await world.request('GET', '/api/v2/settings', { as: 'viewer' })).body.data;
  const switchModule = (slug: string, active: boolean) =>
    world.request('PUT', `/api/v2/modules/${slug}`, { body: { active } });

  it('when groups are listed, then each has a link to its settings', async () => {
    const groups = await list();
    const slugs = groups.map(({ slug }: { slug: string }) => slug) as string[];
    assert.deepEqual(slugs, [...slugs].sort());
    const all = 'advanced api-backups cost-tracker dashboard-insights emails general monitoring tools'.split(' ');
    assert.deepEqual(
      all.filter((slug) => !slugs.includes(slug)),
      [],
    );
    for (const { links, active } of groups) {
      assert.equal(active, true);
      await world.request('GET', new URL(links.read).pathname);
      assert.match(links.edit, /\/edit$/);
    }
  });

  it('when the module of a group is off, then the group is listed but cannot be read or edited', async () => {
    const path = '/api/v2/settings/cost-tracker';
    await world.request('PUT', `${path}/edit`, { body: { currency: 'EUR' } });
    await switchModule('cost-tracker', false);
    const group = (await list()).find(({ slug }: { slug: string }) => slug === 'cost-tracker');
    assert.deepEqual([group.active, group.module], [false, 'cost-tracker']);
    const calls = [
      ['GET', path, undefined],
      ['PUT', `${path}/edit`, { currency: 'CHF' }],
    ] as const;
    for (const [method, at, body] of calls) {
      const { body: refused } = await world.request(method, at, { ...(body && { body }), expect: 404 });
      assert.equal(refused.code, 'svc_module_not_available');
    }
    await switchModule('cost-tracker', true);
    assert.equal((await world.request('GET', path)).body.data.currency, 'EUR');
    await world.request('PUT', `${path}/edit`, { body: { currency: null } });
  });

  it('when the cost tracker settings change, then prices have the new format', async () => {
    const edit = (body: unknown, expect = 200) =>
      world.request('PUT', '/api/v2/settings/cost-tracker/edit', { body, expect });
    const client = await world.request('POST', '/api/v2/clients/add', { body: { name: 'Ann' } });
    const cost = { name: 'Hosting', price: 1234.5, clients: [client.body.data.id] };
    const { id, price_text: before } = (await world.request('POST', '/api/v2/costs/add', { body: cost })).body.data;
    assert.equal(before, '$1,234.50');
    const european = { currency_position: 'right', thousand_separator: '.', decimal_separator: ',' };
    await edit({ currency: 'EUR', ...european });
    assert.equal((await world.request('GET', `/api/v2/costs/${id}`)).body.data.price_text, '1.234,50€');
    for (const [body, path] of [
      [{ currency: 'XQX' }, 'body.currency'],
      [{ currency: 'eur' }, 'body.currency'],
      [{ thousand_separator: ',' }, 'body.thousand_separator'],
      [{ decimal_separator: '' }, 'body.decimal_separator'],
    ] as const) {
      const { body: refused } = await edit(body, 400);
      assert.deepEqual(
        refused.data.errors.map((error: { path: string }) => error.path),
        [path],
      );
    }
    await edit({ currency: null, currency_position: null, thousand_separator: null, decimal_separator: null });
  });
});

describe('svc_ssl_verify_certificate', () => {
  it('when certificates are not verified, then sites without their own setting are called', async () => {
    const world = await startWorld({ sites: 1, connect: 0, fleet: { tls: true } });
    try {
      const { url, admin, adminPassword } = world.site(0);
      const site = { url, admin, admin_password: adminPassword };
      const refused = await world.ability('add-site-v1', site, { expect: 503 });
      assert.equal(refused.data.layer, 'tls');
      const set = (value: number | null) =>
        world.request('PUT', '/api/v2/settings/advanced/edit', { body: { svc_ssl_verify_certificate: value } });
      await set(0);
      const { id } = await world.ability('add-site-v1', { ...site, ssl_verify: null });
      const sync = () => world.ability('sync-sites-v1', { site_ids_or_domains: [id] });
      assert.equal((await sync()).total_synced, 1);
      await set(null);
      assert.equal((await sync()).errors[0].code, 'svc_site_unreachable');
      await set(0);
      assert.equal((await sync()).total_synced, 1);
    } finally {
      await world.close();
    }
  });

  it('when ssl_verify of a site is true, then the general setting does not change it', async () => {
    const world = await startWorld({ sites: 1, connect: 0, fleet: { tls: true } });
    try {
      const { url, admin, adminPassword } = world.site(0);
      await world.request('PUT', '/api/v2/settings/advanced/edit', { body: { svc_ssl_verify_certificate: 0 } });
      const input = { url, admin, admin_password: adminPassword };
      for (const ssl_verify of [true, undefined])
        await world.ability('add-site-v1', { ...input, ssl_verify }, { expect: 503 });
      const body = { url, admin, adminpassword: adminPassword };
      await world.request('POST', '/api/v2/sites/add', { body: { ...body, ssl_verify: true }, expect: 503 });
      const { id } = (await world.request('POST', '/api/v2/sites/add', { body })).body.data;
      const edited = await world.request('PUT', `/api/v2/sites/${id}/edit`, { body: { ssl_verify: true } });
      assert.equal(edited.body.data.ssl_verify, true);
      const synced = await world.ability('sync-sites-v1', { site_ids_or_domains: [id] });
      assert.equal(synced.errors[0].code, 'svc_site_unreachable');
    } finally {
      await world.close();
    }
  });

  it('when ssl_verify of a site is false, then the general setting does not change it', async () => {
    const world = await startWorld({ sites: 1, connect: 0, fleet: { tls: true } });
    try {
      const { url, admin, adminPassword } = world.site(0);
      const site = await world.ability('add-site-v1', { url, admin, admin_password: adminPassword, ssl_verify: false });
      assert.equal(site.status, 'connected');
    } finally {
      await world.close();
    }
  });
});
