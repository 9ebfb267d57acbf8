import assert from 'node:assert/strict';
import { refusedFields } from '../../support/refusals.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/clients/fields';

describe('v2 client fields', () => {
  let world: World;
  let vat: number;
  before(async () => {
    world = await startWorld();
    vat = (await add({ name: 'VAT number', description: 'As the invoice shows it.' })).id;
    for (const name of ['a/b & c', 'Birthday']) await add({ name });
  });
  after(() => world.close());

  const add = async (body: object) => (await world.request('POST', `${BASE}/add`, { body })).body.data;
  const client = async (values: object) => {
    const body = { name: 'C', custom_fields: values };
    return (await world.request('POST', '/api/v2/clients/add', { body })).body.data;
  };
  const valuesOf = async (id: number): Promise<object> =>
    (await world.request('GET', `/api/v2/clients/${id}`)).body.data.custom_fields as object;
  const names = async (query: string): Promise<string[]> =>
    (await world.request('GET', `${BASE}?${query}`)).body.data.map(({ name }: { name: string }) => name);

  it('when fields are listed, then they are sorted by name, filtered and paged', async () => {
    assert.deepEqual(await names(''), ['a/b & c', 'Birthday', 'VAT number']);
    assert.deepEqual(await names('search=vat'), ['VAT number']);
    assert.deepEqual(await names(`include=${vat}`), ['VAT number']);
    assert.deepEqual(await names(`exclude=${vat}`), ['a/b & c', 'Birthday']);
    assert.deepEqual(await names('search=nothing'), []);
    const { body, headers } = await world.request('GET', `${BASE}?per_page=2&page=2&_fields=name,description`);
    const record = { id: vat, name: 'VAT number', description: 'As the invoice shows it.' };
    assert.deepEqual([body.data, body.total, body.pages, headers['x-wp-total']], [[record], 3, 2, '3']);
  });

  it('when a field is edited by ID or name, then clients keep their values', async () => {
    const { id } = await add({ name: 'Color', description: 'd' });
    const owner = await client({ Color: 'red' });
    for (const [method, ref, body, name, description] of [
      ['PUT', id, { name: 'Colour' }, 'Colour', 'd'],
      ['PATCH', 'COLOUR', { description: 'e' }, 'Colour', 'e'],
      ['POST', 'colour', { description: null, name: 'x/y?%' }, 'x/y?%', ''],
    ] as const) {
      const { data, message } = (await world.request(method, `${BASE}/${ref}/edit`, { body })).body;
      assert.deepEqual(
        [message, data.id, data.field_id, data.name, data.description],
        ['The client field was saved.', id, id, name, description],
      );
      assert.deepEqual(await valuesOf(owner.id), { [name]: 'red' });
    }
    const { body } = await world.request('DELETE', `${BASE}/${encodeURIComponent('X/Y?%')}/delete`);
    assert.deepEqual([body.message, body.data.id], ['The client field was deleted.', id]);
    assert.deepEqual(await valuesOf(owner.id), {});
    assert.deepEqual(await world.container.database.knex('client_field_values').where({ field_id: id }), []);
    await world.request('PUT', `${BASE}/${id}/edit`, { body: { name: 'z' }, expect: 404 });
  });

  it('when a value has quotes, HTML and emoji, then it is stored unchanged', async () => {
    const text = ' "q" \\ <b>é</b> 🙂\n';
    const { custom_fields } = await client({ 'a/b & c': text, Birthday: '' });
    assert.deepEqual(custom_fields, { 'a/b & c': text });
  });

  it('when a field name is a JavaScript property or has dots and emoji, then the field works', async () => {
    for (const name of ['__proto__', 'constructor', 'id', 'dé.jà 🙂']) {
      const { id } = await add({ name });
      const given = JSON.parse(`{${JSON.stringify(name)}: "v"}`) as object;
      const { custom_fields } = await client(given);
      assert.equal(JSON.stringify(custom_fields), JSON.stringify(given));
      await world.request('DELETE', `${BASE}/${encodeURIComponent(name)}/delete`);
      await world.request('DELETE', `${BASE}/${id}/delete`, { expect: 404 });
    }
  });

  it('when a name is taken in any case, then no other field can have it', async () => {
    const taken = await world.request('POST', `${BASE}/add`, { body: { name: ' vat NUMBER ' }, expect: 409 });
    assert.equal(taken.body.code, 'svc_already_exists');
    const renamed = await world.request('PUT', `${BASE}/Birthday/edit`, { body: { name: 'Vat Number' }, expect: 409 });
    assert.equal(renamed.body.code, 'svc_already_exists');
    await world.request('PUT', `${BASE}/${vat}/edit`, { body: { name: 'VAT Number' } });
  });

  it('when a field is deleted while clients are created with it, then each client is saved or rejected', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await add({ name: 'Short-lived' });
      const [removed, ...written] = await Promise.all([
        world.agent().delete(`${BASE}/${id}/delete`),
        ...['a', 'b', 'c'].map((name) =>
          world
            .agent()
            .post('/api/v2/clients/add')
            .send({ name, custom_fields: { 'Short-lived': name } }),
        ),
      ]);
      assert.equal(removed.status, 200);
      assert.ok(
        written.every(({ status }) => status === 200 || status === 400),
        written.map(({ status }) => status).join(),
      );
    }
  });

  it('when a field is added, then the change log has an entry', async () => {
    const rows = await world.container.database
      .knex('changes')
      .where('type', 'like', 'client_field.%')
      .orderBy('id')
      .limit(1)
      .select<object[]>('type', 'description', 'actor', 'site_id');
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [
        {
          type: 'client_field.added',
          description: 'Added the client field VAT number.',
          actor: 'admin',
          site_id: null,
        },
      ],
    );
  });

  it('when a field is invalid, unknown or the right is missing, then the request is rejected', async () => {
    for (const [method, path, body, field] of [
      ['POST', 'add', {}, 'body.name'],
      ['POST', 'add', { name: '  ' }, 'body.name'],
      ['POST', 'add', { name: '12' }, 'body.name'],
      ['POST', 'add', { name: 'q', description: 'x'.repeat(1001) }, 'body.description'],
      ['POST', 'add', { name: 'q', kind: 'text' }, 'body.kind'],
      ['PUT', `${vat}/edit`, {}, 'body'],
      ['PUT', `${vat}/edit`, { name: null }, 'body.name'],
    ] as const)
      assert.equal((await refusedFields(world, method, `${BASE}/${path}`, body))[0], field);
    assert.ok((await refusedFields(world, 'GET', `${BASE}?include=x`))[0]?.startsWith('query.include'));
    for (const ref of [99_999, 'nothing', '99999999999999999999']) {
      const unknown = await world.request('PUT', `${BASE}/${ref}/edit`, { body: { name: 'q' }, expect: 404 });
      const gone = await world.request('DELETE', `${BASE}/${ref}/delete`, { expect: 404 });
      for (const { body } of [unknown, gone]) assert.equal(body.code, 'svc_client_field_not_found');
    }
    for (const [method, path, body] of [
      ['POST', 'add', { name: 'r' }],
      ['PUT', `${vat}/edit`, { name: 'r' }],
      ['DELETE', `${vat}/delete`, undefined],
    ] as const) {
      const refused = await world.request(method, `${BASE}/${path}`, { as: 'reader', body, expect: 403 });
      assert.equal(refused.body.code, 'svc_permission_denied');
    }
    await world.request('GET', BASE, { as: 'reader' });
  });
});
