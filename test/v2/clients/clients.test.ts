import assert from 'node:assert/strict';
import { refusedFields } from '../../support/refusals.ts';
import { seedSite } from '../../support/sites.ts';
import { countStatements } from '../../support/statements.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/clients';

describe('v2 clients', () => {
  let world: World;
  let ada: number;
  let sites: { id: number; url: string; name: string }[];
  let tag: number;
  before(async () => {
    world = await startWorld();
    tag = (await world.container.services.tags.tags.create({ name: 'shops' }, 'test')).id;
    sites = [await seedSite(world, { tagIds: [tag] }), await seedSite(world), await seedSite(world)];
    await world.request('POST', `${BASE}/fields/add`, { body: { name: 'VAT number' } });
    ada = await add({
      name: 'Ada',
      client_email: 'Ada+1@Example.com',
      client_phone: '1',
      city: 'Lyon',
      client_linkedin: 'https://www.linkedin.com/in/ada',
      selected_sites: [siteId(0), siteId(1)],
      custom_fields: { 'vat NUMBER': 'FR1' },
    });
    for (const name of ['Bob', 'Cleo']) await add({ name });
  });
  after(() => world.close());

  const siteId = (index: number): number => sites[index]?.id ?? assert.fail();
  const add = async (body: object): Promise<number> =>
    (await world.request('POST', `${BASE}/add`, { body })).body.data.id as number;
  const get = async (ref: string | number, query = '') =>
    (await world.request('GET', `${BASE}/${ref}${query}`)).body.data;
  const namesOf = async (query: string): Promise<string[]> =>
    (await world.request('GET', `${BASE}?${query}`)).body.data.map(({ name }: { name: string }) => name);

  it('when no mail can be sent to an address, then it is refused, but a stored one does not block other edits', async () => {
    const id = await add({ name: 'Dora', client_email: 'dora@firm.example' });
    for (const client_email of ['j\u00f6rg@firm.example', 'a@b_c.example'])
      assert.deepEqual(await refusedFields(world, 'PUT', `${BASE}/${id}/edit`, { client_email }), [
        'body.client_email',
      ]);
    await world.container.database.knex('clients').where({ id }).update({ email: 'j\u00f6rg@firm.example' });
    await world.request('PUT', `${BASE}/${id}/edit`, { body: { city: 'Graz' } });
    assert.equal((await get(id)).city, 'Graz');
    await world.request('DELETE', `${BASE}/${id}/remove`);
  });

  it('when a client is read by ID or e-mail address, then the response has all fields', async () => {
    const record = await get(ada);
    const { created_at, updated_at, ...rest } = record;
    assert.ok(created_at <= updated_at);
    assert.deepEqual(rest, {
      id: ada,
      name: 'Ada',
      email: 'Ada+1@Example.com',
      client_email: 'Ada+1@Example.com',
      phone: '1',
      client_phone: '1',
      address_1: '',
      address_2: '',
      city: 'Lyon',
      state: '',
      zip: '',
      country: '',
      note: '',
      client_facebook: '',
      client_twitter: '',
      client_instagram: '',
      client_linkedin: 'https://www.linkedin.com/in/ada',
      time_zone: '',
      mail_from_name: '',
      mail_reply_to: '',
      language: '',
      report_template: '',
      report_text: '',
      site_order: [],
      status: 'active',
      suspended: 0,
      sites_count: 2,
      selected_sites: [siteId(0), siteId(1)],
      tags: [{ id: tag, name: 'shops' }],
      custom_fields: { 'VAT number': 'FR1' },
    });
    for (const ref of ['ada+1@example.com', 'ADA%2B1%40example.COM']) assert.deepEqual(await get(ref), record);
    assert.deepEqual(await get(ada, '?_fields=city,custom_fields'), {
      id: ada,
      city: 'Lyon',
      custom_fields: { 'VAT number': 'FR1' },
    });
  });

  it('when clients are listed, then they are sorted by name, filtered, counted and paged', async () => {
    for (const [query, names] of [
      ['', ['Ada', 'Bob', 'Cleo']],
      ['search=B', ['Bob']],
      ['search=example.com', ['Ada']],
      [`include=${ada}`, ['Ada']],
      [`exclude=${ada}&search=b`, ['Bob']],
      [`include=${ada},${ada + 1}&exclude=${ada}`, ['Bob']],
      ['status=active', ['Ada', 'Bob', 'Cleo']],
      ['status=suspended', []],
    ] as const) {
      assert.deepEqual(await namesOf(query), names, query);
      const { body } = await world.request('GET', `${BASE}/count?${query}`);
      assert.deepEqual(body, { success: 1, total: names.length, count: names.length }, query);
    }
    const { body, headers } = await world.request('GET', `${BASE}?per_page=2&page=2`);
    assert.deepEqual([body.total, body.pages, body.data.length, headers['x-wp-total']], [3, 2, 1, '3']);
  });

  it('when a list parameter requests more fields, then only these fields are added', async () => {
    const extras = async (query: string): Promise<object> => {
      const { data } = (await world.request('GET', `${BASE}?search=ada&${query}`)).body;
      const { selected_sites, tags, custom_fields, city } = data[0];
      assert.equal(city, 'Lyon');
      return JSON.parse(JSON.stringify({ selected_sites, tags, custom_fields })) as object;
    };
    const all = {
      selected_sites: [siteId(0), siteId(1)],
      tags: [{ id: tag, name: 'shops' }],
      custom_fields: { 'VAT number': 'FR1' },
    };
    assert.deepEqual(await extras(''), {});
    assert.deepEqual(await extras('with_tags=1'), { tags: all.tags });
    assert.deepEqual(await extras('with_custom_fields=true'), { custom_fields: all.custom_fields });
    assert.deepEqual(await extras('full_data=1'), all);
    const { data } = (await world.request('GET', `${BASE}?full_data=1&search=bob`)).body;
    assert.deepEqual([data[0].selected_sites, data[0].tags, data[0].custom_fields], [[], [], {}]);
  });

  it('when there are more clients, then the list needs no more SQL statements', async () => {
    const list = (perPage: number) => (): Promise<unknown> =>
      world.request('GET', `${BASE}?full_data=1&per_page=${perPage}`);
    assert.equal(await countStatements(world, list(3)), await countStatements(world, list(1)));
  });

  it('when a client is edited, then omitted fields keep their values and null clears a field', async () => {
    const id = await add({ name: 'X', client_email: 'x@example.com', city: 'Rome', selected_sites: [siteId(2)] });
    for (const [method, body, expected] of [
      ['PUT', { name: 'Y', note: 'n' }, { name: 'Y', note: 'n', city: 'Rome', email: 'x@example.com' }],
      ['PATCH', { city: null, client_email: null }, { name: 'Y', note: 'n', city: '', email: '' }],
      ['POST', { custom_fields: { 'VAT number': '7' } }, { custom_fields: { 'VAT number': '7' }, sites_count: 1 }],
      ['PUT', { selected_sites: [siteId(2), siteId(1)] }, { sites_count: 2, custom_fields: { 'VAT number': '7' } }],
      ['PUT', { custom_fields: { 'vat number': null } }, { custom_fields: {} }],
      ['PUT', { selected_sites: null }, { selected_sites: [], sites_count: 0, note: 'n' }],
      ['PUT', { client_twitter: ' http://x.example/y ' }, { client_twitter: 'http://x.example/y' }],
      ['PUT', { custom_fields: { 'VAT number': '8' } }, { custom_fields: { 'VAT number': '8' } }],
      ['PUT', { custom_fields: null }, { custom_fields: {} }],
    ] as const) {
      const { body: answer, headers } = await world.request(method, `${BASE}/${id}/edit`, { body });
      const { data, message } = answer;
      const shown = Object.fromEntries(Object.keys(expected).map((name) => [name, data[name]]));
      assert.deepEqual([message, shown], ['The client was saved.', expected]);
      assert.equal((await world.request('GET', `${BASE}/${id}`)).headers['etag'], headers['etag']);
    }
    assert.deepEqual((await get(ada)).selected_sites, [siteId(0)], 'the other site was taken, and is free now');
    await world.request('PUT', `${BASE}/${ada}/edit`, { body: { selected_sites: [siteId(0), siteId(1)] } });
    const { body } = await world.request('DELETE', `${BASE}/${id}/remove`);
    assert.deepEqual([body.message, body.data.id, body.data.name], ['The client was removed.', id, 'Y']);
    await world.request('GET', `${BASE}/${id}`, { expect: 404 });
  });

  it('when an edit or deletion has an outdated ETag, then it is rejected', async () => {
    const { headers } = await world.request('GET', `${BASE}/${ada}`);
    const seen = { 'if-match': String(headers['etag']) };
    // Custom fields are part of the record, so they change its ETag.
    await world.request('PUT', `${BASE}/${ada}/edit`, {
      body: { custom_fields: { 'VAT number': 'FR2' } },
      headers: seen,
    });
    const late = { headers: seen, expect: 412 };
    await world.request('PUT', `${BASE}/${ada}/edit`, { body: { city: 'Nice' }, ...late });
    assert.equal((await world.request('DELETE', `${BASE}/${ada}/remove`, late)).body.code, 'svc_precondition_failed');
    const { city, custom_fields } = await get(ada);
    assert.deepEqual([city, custom_fields], ['Lyon', { 'VAT number': 'FR2' }]);
  });

  it('when a client is suspended or unsuspended, then its sites are too', async () => {
    const { body } = await world.request('GET', `${BASE}/ada+1@example.com/sites?per_page=1`);
    assert.deepEqual(
      [body.total, body.pages, body.data],
      [2, 2, [{ id: siteId(0), url: sites[0]?.url, name: sites[0]?.name, status: 'connected', client_id: ada }]],
    );
    const counted = (await world.request('GET', `${BASE}/${ada}/sites/count`)).body;
    assert.deepEqual(counted, { success: 1, total: 2, count: 2 });
    const { body: off } = await world.request('POST', `${BASE}/${ada}/suspend`);
    assert.deepEqual([off.suspended, off.sites_suspended, off.data.status, off.data.suspended], [1, 2, 'suspended', 1]);
    assert.deepEqual(await namesOf('status=suspended'), ['Ada']);
    assert.equal((await world.ability('get-site-v1', { site_id_or_domain: siteId(1) })).status, 'suspended');
    assert.equal((await world.request('POST', `${BASE}/${ada}/suspend`)).body.sites_suspended, 0);
    const { body: on } = await world.request('POST', `${BASE}/${ada}/unsuspend`);
    assert.deepEqual([on.suspended, on.sites_unsuspended, on.data.status], [0, 2, 'active']);
  });

  it('when a client is removed, then its sites are kept without a client', async () => {
    const site = await seedSite(world);
    const id = await add({ name: 'Gone', selected_sites: [site.id], custom_fields: { 'VAT number': '1' } });
    await world.request('DELETE', `${BASE}/${id}/remove`);
    assert.equal((await world.ability('get-site-v1', { site_id_or_domain: site.id })).client_id, null);
    assert.deepEqual(await world.container.database.knex('client_field_values').where({ client_id: id }), []);
  });

  it('when a field is invalid, then the error names the field and nothing changes', async () => {
    const before = await get(ada);
    for (const [method, path, body, field] of [
      ['POST', 'add', {}, 'body.name'],
      ['POST', 'add', { name: 'q', email: 'q@example.com' }, 'body.email'],
      ['POST', 'add', { name: 'q', client_email: 'nobody' }, 'body.client_email'],
      ['POST', 'add', { name: 'q', client_facebook: 'javascript:alert(1)' }, 'body.client_facebook'],
      ['POST', 'add', { name: 'q', client_facebook: 'http://[' }, 'body.client_facebook'],
      ['POST', 'add', { name: 'q', custom_fields: { Nope: '1' } }, 'body.custom_fields.Nope'],
      ['PUT', `${ada}/edit`, { name: null }, 'body.name'],
      ['PUT', `${ada}/edit`, { name: ' ' }, 'body.name'],
      ['PUT', `${ada}/edit`, { city: 'Nice', custom_fields: { Nope: '1' } }, 'body.custom_fields.Nope'],
      [
        'PUT',
        `${ada}/edit`,
        { custom_fields: { 'VAT number': '1', 'vat number': '2' } },
        'body.custom_fields.vat number',
      ],
      ['PUT', `${ada}/edit`, { custom_fields: { 'VAT number': 5 } }, 'body.custom_fields.VAT number'],
      ['PUT', `${ada}/edit`, { primary_contact_id: 1 }, 'body.primary_contact_id'],
      ['PUT', `${ada}/edit`, {}, 'body'],
    ] as const)
      assert.equal((await refusedFields(world, method, `${BASE}/${path}`, body))[0], field);
    for (const [query, field] of [
      ['status=paused', 'query.status'],
      ['include=x', 'query.include'],
      ['page=0', 'query.page'],
      ['nope=1', 'query.nope'],
    ] as const)
      for (const path of field === 'query.page' ? [''] : ['', '/count']) {
        const [first] = await refusedFields(world, 'GET', `${BASE}${path}?${query}`);
        assert.ok(first?.startsWith(field), `${path} ${query}`);
      }
    const taken = { name: 'q', client_email: 'ADA+1@example.com' };
    assert.equal(
      (await world.request('POST', `${BASE}/add`, { body: taken, expect: 409 })).body.code,
      'svc_already_exists',
    );
    const lost = { city: 'Nice', selected_sites: [999_999] };
    const missing = await world.request('PUT', `${BASE}/${ada}/edit`, { body: lost, expect: 404 });
    assert.equal(missing.body.code, 'svc_site_not_found');
    assert.deepEqual(await get(ada), before);
  });

  it('when a client is unknown, then every route returns svc_client_not_found', async () => {
    for (const ref of ['99999', 'nobody@example.com', 'nobody', '99999999999999999999'])
      for (const [method, path] of [
        ['GET', ''],
        ['PUT', '/edit'],
        ['DELETE', '/remove'],
        ['GET', '/sites'],
        ['GET', '/sites/count'],
        ['GET', '/costs'],
        ['POST', '/suspend'],
        ['POST', '/unsuspend'],
      ] as const) {
        const body = method === 'PUT' ? { body: { name: 'z' } } : {};
        const { code } = (await world.request(method, `${BASE}/${ref}${path}`, { ...body, expect: 404 })).body;
        assert.equal(code, 'svc_client_not_found', `${ref}${path}`);
      }
  });

  it('when the caller may only read, then changes are rejected', async () => {
    for (const [method, path, body] of [
      ['POST', '/add', { name: 'r' }],
      ['PUT', `/${ada}/edit`, { name: 'r' }],
      ['DELETE', `/${ada}/remove`, undefined],
      ['POST', `/${ada}/suspend`, undefined],
      ['POST', `/${ada}/unsuspend`, undefined],
    ] as const) {
      const refused = await world.request(method, `${BASE}${path}`, { as: 'reader', body, expect: 403 });
      assert.equal(refused.body.code, 'svc_permission_denied');
    }
    for (const path of ['', '/count', `/${ada}`, `/${ada}/sites`, `/${ada}/sites/count`, `/${ada}/costs`])
      await world.request('GET', `${BASE}${path}`, { as: 'reader' });
  });
});
