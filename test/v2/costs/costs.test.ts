import assert from 'node:assert/strict';
import fc from 'fast-check';
import { withoutModule } from '../../support/modules.ts';
import { refusedFields } from '../../support/refusals.ts';
import { editSettings } from '../../support/schedules.ts';
import { seedSite } from '../../support/sites.ts';
import { countStatements } from '../../support/statements.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/costs';

describe('v2 costs', () => {
  let world: World;
  /** Current time of the service. */
  let now = Date.parse('2026-11-21T10:00:00Z');
  let client: number;
  let tag: number;
  /** The client owns the first two sites. The last two have the tag. */
  let sites: { id: number }[];
  let hosting: number;
  before(async () => {
    world = await startWorld({ overrides: { clock: { now: () => now } } });
    const {
      clients: { clients },
      tags: { tags },
    } = world.container.services;
    client = (await clients.create({ name: 'Ada', email: 'ada@example.com' }, 'test')).id;
    await clients.create({ name: 'Bob' }, 'test');
    tag = (await tags.create({ name: 'shops' }, 'test')).id;
    sites = [];
    for (const [clientId, tagIds] of [
      [client, []],
      [client, [tag]],
      [null, [tag]],
    ] as const)
      sites.push(await seedSite(world, { clientId, tagIds: [...tagIds] }));
    hosting = await add({
      name: 'hosting',
      price: 29.9,
      sites: [siteId(0)],
      groups: [tag],
      product_type: 'hosting',
      payment_method: 'paypal',
      last_renewal: '2026-10-31',
      cost_color: '#ABC',
    });
    await add({ name: 'Theme', price: 0.07, type: 'lifetime', clients: [client], cost_status: 'onhold' });
    await add({ name: 'Domain', price: 12, renewal_type: 'yearly', sites: [siteId(2)], license_type: 'multi_site' });
  });
  after(() => world.close());

  const siteId = (index: number): number => sites[index]?.id ?? assert.fail();
  const add = async (body: object): Promise<number> =>
    (await world.request('POST', `${BASE}/add`, { body })).body.data.id as number;
  const get = async (id: number, query = '') => (await world.request('GET', `${BASE}/${id}${query}`)).body.data;

  it('when a cost is read, then the response has all fields as sent', async () => {
    const { created_at, updated_at, ...record } = await get(hosting);
    assert.deepEqual([created_at, updated_at], ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00Z']);
    assert.deepEqual(record, {
      id: hosting,
      name: 'hosting',
      url: '',
      type: 'subscription',
      product_type: 'hosting',
      slug: '',
      license_type: 'single_site',
      cost_status: 'active',
      payment_method: 'paypal',
      price: 29.9,
      price_text: '$29.90',
      amount: 29.9,
      renewal_type: 'monthly',
      frequency: 'monthly',
      last_renewal: '2026-10-31',
      next_renewal: '2026-11-30',
      next_due: '2026-11-30',
      cost_color: '#aabbcc',
      sites: [siteId(0)],
      groups: [tag],
      clients: [],
      note: '',
    });
    assert.deepEqual(await get(hosting, '?_fields=price'), { id: hosting, price: 29.9 });
  });

  it('when costs are listed, then they are sorted by name, filtered and paged', async () => {
    for (const [query, names] of [
      ['', ['Domain', 'hosting', 'Theme']],
      ['search=H', ['hosting', 'Theme']],
      [`include=${hosting}`, ['hosting']],
      [`exclude=${hosting}`, ['Domain', 'Theme']],
      ['category=hosting', ['hosting']],
      ['category=other&type=any&status=any', ['Domain', 'Theme']],
      ['type=lifetime', ['Theme']],
      ['type=subscription&search=d', ['Domain']],
      ['status=onhold', ['Theme']],
      ['status=expired', []],
    ] as const) {
      const { body } = await world.request('GET', `${BASE}?${query}`);
      assert.deepEqual(
        body.data.map(({ name }: { name: string }) => name),
        names,
        query,
      );
      assert.equal(body.total, names.length, query);
    }
    const { body, headers } = await world.request('GET', `${BASE}?per_page=2&page=2`);
    assert.deepEqual([body.total, body.pages, headers['x-wp-total']], [3, 2, '3']);
    assert.deepEqual(body.data, [await get(body.data[0].id)]);
  });

  it('when there are more costs, then the list needs no more SQL statements', async () => {
    const list = (perPage: number) => (): Promise<unknown> => world.request('GET', `${BASE}?per_page=${perPage}`);
    assert.equal(await countStatements(world, list(3)), await countStatements(world, list(1)));
  });

  it('when a cost has tags or clients, then it applies to all their sites and clients', async () => {
    const ids = async (id: number, what: string, query = ''): Promise<number[]> =>
      (await world.request('GET', `${BASE}/${id}/${what}${query}`)).body.data.map((each: { id: number }) => each.id);
    assert.deepEqual(await ids(hosting, 'sites'), [0, 1, 2].map(siteId));
    assert.deepEqual(await ids(hosting, 'clients'), [client]);
    const { body } = await world.request('GET', `${BASE}/${hosting}/sites?per_page=2&page=2&_fields=client_id`);
    assert.deepEqual([body.data, body.total, body.pages], [[{ id: siteId(2), client_id: null }], 3, 2]);
    const theme = (await world.request('GET', `${BASE}?search=theme`)).body.data[0].id as number;
    assert.deepEqual(await ids(theme, 'sites'), [siteId(0), siteId(1)]);
    const { body: clients } = await world.request('GET', `${BASE}/${theme}/clients`);
    assert.deepEqual(
      [clients.total, clients.data],
      [1, [{ id: client, name: 'Ada', email: 'ada@example.com', status: 'active' }]],
    );
    const domain = (await world.request('GET', `${BASE}?search=domain`)).body.data[0].id as number;
    assert.deepEqual([await ids(domain, 'sites'), await ids(domain, 'clients')], [[siteId(2)], []]);
    assert.deepEqual(await ids(domain, 'clients', '?page=9'), []);
  });

  it('when a cost is edited, then omitted fields keep their values and null clears a field', async () => {
    const id = await add({ name: 'X', price: 1, url: 'https://x.example/', sites: [siteId(0)] });
    for (const [method, body, expected] of [
      ['PUT', { price: 1234567.89 }, { price: 1234567.89, amount: 1234567.89, url: 'https://x.example/' }],
      ['PATCH', { url: null, cost_color: '#fff', slug: 'x' }, { url: '', cost_color: '#ffffff', price: 1234567.89 }],
      [
        'POST',
        { cost_color: null, last_renewal: '2026-11-20' },
        { cost_color: null, next_due: '2026-12-20', slug: 'x' },
      ],
      ['PUT', { last_renewal: null }, { last_renewal: null, next_renewal: null }],
      ['PUT', { clients: [client] }, { sites: [siteId(0)], clients: [client], groups: [] }],
      ['PUT', { sites: null, groups: [tag] }, { sites: [], clients: [client], groups: [tag] }],
      ['PUT', { type: 'lifetime' }, { type: 'lifetime', renewal_type: 'disabled', frequency: 'lifetime' }],
      ['PUT', { type: 'subscription', renewal_type: 'weekly' }, { frequency: 'weekly', cost_status: 'active' }],
    ] as const) {
      const { body: answer, headers } = await world.request(method, `${BASE}/${id}/edit`, { body });
      const shown = Object.fromEntries(Object.keys(expected).map((name) => [name, answer.data[name]]));
      assert.deepEqual([answer.message, shown], ['The cost was saved.', expected]);
      assert.equal((await world.request('GET', `${BASE}/${id}`)).headers['etag'], headers['etag']);
    }
    const logged = (): Promise<unknown[]> =>
      world.container.database.knex('changes').where('type', 'cost.updated').select();
    const entries = await logged();
    await world.request('PUT', `${BASE}/${id}/edit`, { body: { name: 'X', groups: [tag] } });
    assert.deepEqual(await logged(), entries, 'what is so already is not written again');
    const { body } = await world.request('DELETE', `${BASE}/${id}/remove`);
    assert.deepEqual([body.message, body.data.id, body.data.groups], ['The cost was removed.', id, [tag]]);
    assert.equal((await world.request('GET', `${BASE}/${id}`, { expect: 404 })).body.code, 'svc_cost_not_found');
  });

  it('when a cost is saved repeatedly, then its price stays exact to the cent', async () => {
    const id = await add({ name: 'Cents', price: 1, sites: [siteId(0)] });
    const example = async (cents: number): Promise<void> => {
      const price = Number(`${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`);
      await world.request('PUT', `${BASE}/${id}/edit`, { body: { price } });
      await world.request('PUT', `${BASE}/${id}/edit`, { body: { note: String(cents) } });
      assert.equal((await get(id)).price, price);
      const { price_units: units } = await world.container.database.knex('costs').where({ id }).first();
      assert.equal(Number(units), cents * 10_000);
    };
    await fc.assert(fc.asyncProperty(fc.nat(99_999_999_999), example), { numRuns: 30 });
    await world.request('DELETE', `${BASE}/${id}/remove`);
  });

  it('when the currency changes, then no price does, and texts have the decimals of the currency or of the settings', async () => {
    const id = await add({ name: 'Digits', price: 1234.5678, sites: [siteId(0)] });
    const settings = async () => (await world.request('GET', '/api/v2/settings/cost-tracker')).body.data;
    const usual = await settings();
    const shown = async (body: object) => {
      await editSettings(world, 'cost-tracker', body);
      const { price, amount, price_text } = await get(id);
      assert.deepEqual([price, amount], [1234.5678, 1234.5678]);
      return [(await settings()).decimals, price_text];
    };
    assert.deepEqual(await shown({ currency: 'JPY' }), [0, '¥1,235']);
    assert.deepEqual(await shown({ currency: 'KWD' }), [3, 'KWD1,234.568']);
    assert.deepEqual(await shown({ decimals: 2 }), [2, 'KWD1,234.57']);
    assert.deepEqual(await shown({ currency: 'JPY' }), [2, '¥1,234.57']);
    assert.deepEqual(await shown({ currency: 'EUR', decimals: null }), [2, '€1,234.57']);
    const { headers } = await world.request('GET', '/api/v2/settings/cost-tracker');
    const path = '/api/v2/settings/cost-tracker/edit';
    const seen = { 'if-match': String(headers['etag']) };
    await world.request('PUT', path, { body: { currency: null }, headers: seen });
    await world.request('PUT', path, { body: { currency: 'EUR' }, headers: seen, expect: 412 });
    assert.deepEqual(await settings(), usual);
    await world.request('DELETE', `${BASE}/${id}/remove`);
  });

  it('when the date passes the renewal, then next_renewal moves on without a scheduled job', async () => {
    const id = await add({ name: 'Due', price: 1, sites: [siteId(0)], last_renewal: '2026-01-31' });
    const due = async (day: string): Promise<string> => {
      now = Date.parse(`${day}T10:00:00Z`);
      return (await get(id)).next_renewal as string;
    };
    const today = now;
    assert.equal(await due('2026-11-21'), '2026-11-30');
    assert.equal(await due('2026-11-30'), '2026-12-31');
    assert.equal(await due('2027-02-01'), '2027-02-28');
    now = today;
    await world.request('DELETE', `${BASE}/${id}/remove`);
  });

  it('when an edit or deletion has an outdated ETag, then it is rejected', async () => {
    const { headers } = await world.request('GET', `${BASE}/${hosting}`);
    const seen = { 'if-match': String(headers['etag']) };
    await world.request('PUT', `${BASE}/${hosting}/edit`, { body: { note: 'a' }, headers: seen });
    const late = { headers: seen, expect: 412 };
    assert.equal(
      (await world.request('PUT', `${BASE}/${hosting}/edit`, { body: { note: 'b' }, ...late })).body.code,
      'svc_precondition_failed',
    );
    await world.request('DELETE', `${BASE}/${hosting}/remove`, late);
    assert.equal((await get(hosting)).note, 'a');
  });

  it('when the client of a cost is removed, then the cost stays', async () => {
    const gone = await world.container.services.clients.clients.create({ name: 'Gone' }, 'test');
    const id = await add({ name: 'Orphan', price: 1, clients: [gone.id] });
    await world.request('DELETE', `/api/v2/clients/${gone.id}/remove`);
    const { sites: named, groups, clients } = await get(id);
    assert.deepEqual([named, groups, clients], [[], [], []]);
    assert.equal((await world.request('GET', `${BASE}/${id}/sites`)).body.total, 0);
    const { body } = await world.request('PUT', `${BASE}/${id}/edit`, { body: { price: 2 } });
    assert.equal(body.data.price, 2);
    await world.request('DELETE', `${BASE}/${id}/remove`);
  });

  it('when the costs of a client are read, then they have the amount per site and the totals', async () => {
    const { body } = await world.request('GET', '/api/v2/clients/ada@example.com/costs?_fields=amount,site_id');
    assert.deepEqual(body, {
      success: 1,
      data: [0, 1].map((n) => ({ id: hosting, amount: 29.9, site_id: siteId(n) })),
      total: 2,
      total_monthly: 59.8,
      total_yearly: 717.6,
    });
  });

  it('when a field is invalid, then the error names the field and nothing changes', async () => {
    const before = (await world.request('GET', BASE)).body.data;
    const good = { name: 'q', price: 1, sites: [siteId(0)] };
    for (const [method, path, body, field] of [
      ['POST', 'add', { price: 1, sites: [siteId(0)] }, 'body.name'],
      ['POST', 'add', { name: 'q', sites: [siteId(0)] }, 'body.price'],
      ['POST', 'add', { name: 'q', price: 1 }, 'body.sites'],
      ['POST', 'add', { ...good, sites: [], groups: null }, 'body.sites'],
      ['POST', 'add', { ...good, price: 0.0000001 }, 'body.price'],
      ['POST', 'add', { ...good, price: -1 }, 'body.price'],
      ['POST', 'add', { ...good, last_renewal: '2026-02-30' }, 'body.last_renewal'],
      ['POST', 'add', { ...good, product_type: 'No Slug' }, 'body.product_type'],
      ['POST', 'add', { ...good, cost_tracker_status: 'active' }, 'body.cost_tracker_status'],
      ['PUT', `${hosting}/edit`, {}, 'body'],
      ['PUT', `${hosting}/edit`, { price: null }, 'body.price'],
      ['PUT', `${hosting}/edit`, { renewal_type: 'daily' }, 'body.renewal_type'],
      ['PUT', `${hosting}/edit`, { sites: [], groups: [] }, 'body.sites'],
      ['PUT', `${hosting}/edit`, { cost_color: 'red' }, 'body.cost_color'],
    ] as const)
      assert.equal((await refusedFields(world, method, `${BASE}/${path}`, body))[0], field);
    for (const [query, field] of [
      ['status=paused', 'query.status'],
      ['type=gift', 'query.type'],
      ['category=No%20Slug', 'query.category'],
      ['include=x', 'query.include'],
    ] as const)
      assert.ok((await refusedFields(world, 'GET', `${BASE}?${query}`))[0]?.startsWith(field), query);
    for (const [target, code] of [
      [{ sites: [999_999] }, 'svc_site_not_found'],
      [{ groups: [999_999] }, 'svc_tag_not_found'],
      [{ clients: [999_999] }, 'svc_client_not_found'],
    ] as const)
      for (const [method, path] of [
        ['POST', 'add'],
        ['PUT', `${hosting}/edit`],
      ] as const) {
        const body = { ...good, ...target };
        const refused = await world.request(method, `${BASE}/${path}`, { body, expect: 404 });
        assert.equal(refused.body.code, code);
      }
    assert.deepEqual((await world.request('GET', BASE)).body.data, before);
  });

  it('when the cost is unknown, the right is missing or the module is off, then the call is rejected', async () => {
    const routes = [
      ['GET', '', undefined],
      ['GET', '/{id}', undefined],
      ['GET', '/{id}/sites', undefined],
      ['GET', '/{id}/clients', undefined],
      ['POST', '/add', { name: 'q', price: 1, sites: [siteId(0)] }],
      ['PUT', '/{id}/edit', { note: 'q' }],
      ['DELETE', '/{id}/remove', undefined],
    ] as const;
    const call = async (
      [method, path, body]: (typeof routes)[number],
      id: number,
      options: { as?: 'reader'; expect: number },
    ): Promise<string> =>
      (await world.request(method, BASE + path.replace('{id}', String(id)), { body, ...options })).body.code as string;
    for (const route of routes) {
      const [method, path] = route;
      if (path.includes('{id}')) assert.equal(await call(route, 999_999, { expect: 404 }), 'svc_cost_not_found', path);
      if (method !== 'GET')
        assert.equal(await call(route, hosting, { as: 'reader', expect: 403 }), 'svc_permission_denied');
      else await call(route, hosting, { as: 'reader', expect: 200 });
    }
    await withoutModule(world, 'cost-tracker', async () => {
      for (const route of routes)
        assert.equal(await call(route, hosting, { expect: 404 }), 'svc_module_not_available', route[1]);
      const { body } = await world.request('GET', `/api/v2/clients/${client}/costs`, { expect: 404 });
      assert.equal(body.code, 'svc_module_not_available');
    });
  });
});
