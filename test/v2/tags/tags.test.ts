import assert from 'node:assert/strict';
import { createClient } from '../../support/clients.ts';
import { refusedFields } from '../../support/refusals.ts';
import { updateSite } from '../../support/sites.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/tags';

describe('v2 tags', () => {
  let world: World;
  let shops: number;
  before(async () => {
    world = await startWorld({ sites: 2 });
    shops = (await world.request('POST', `${BASE}/add`, { body: { name: 'shops', color: '#ABC' } })).body.data.id;
    for (const name of ['blogs', 'news']) await world.request('POST', `${BASE}/add`, { body: { name } });
    const client_id = await createClient(world, 'Ada');
    await updateSite(world, world.siteId(0), { tags: [shops], client_id });
  });
  after(() => world.close());

  it('when a tag is read, then the response has its sites and clients', async () => {
    const { body } = await world.request('GET', `${BASE}/${shops}`);
    const { id, name, color, sites_count, count_sites, sites_ids } = body.data;
    assert.deepEqual(
      [body.success, id, name, color, sites_count, count_sites, sites_ids],
      [1, shops, 'shops', '#aabbcc', 1, 1, [world.siteId(0)]],
    );
    const { body: sites } = await world.request('GET', `${BASE}/${shops}/sites`);
    assert.deepEqual([sites.total, sites.data[0].id, sites.data[0].status], [1, world.siteId(0), 'connected']);
    const { body: clients } = await world.request('GET', `${BASE}/${shops}/clients`);
    assert.deepEqual([clients.total, clients.data[0].name, clients.data[0].sites_with_tag], [1, 'Ada', 1]);
  });

  it('when tags are listed, then they are sorted by name, filtered and paged', async () => {
    const names = async (query: string): Promise<string[]> =>
      (await world.request('GET', `${BASE}?${query}`)).body.data.map(({ name }: { name: string }) => name);
    assert.deepEqual(await names(''), ['blogs', 'news', 'shops']);
    assert.deepEqual(await names('search=S'), ['blogs', 'news', 'shops']);
    assert.deepEqual(await names('search=sh'), ['shops']);
    assert.deepEqual(await names('search=a,b@c:d'), []);
    assert.deepEqual(await names(`include=${shops}`), ['shops']);
    assert.deepEqual(await names(`exclude=${shops}`), ['blogs', 'news']);
    assert.deepEqual(await names(`include=${shops},${shops + 1}&search=blog`), ['blogs']);
    const { body, headers } = await world.request('GET', `${BASE}?per_page=2&page=2&exclude=999`);
    assert.deepEqual([body.total, body.pages, body.data.length, headers['x-wp-total']], [3, 2, 1, '3']);
    assert.match(String(headers['link']), /exclude=999&.*page=1&per_page=2>; rel="first"/);
    const { body: full } = await world.request('GET', `${BASE}?full_data=1&search=shops`);
    assert.deepEqual(full.data[0].sites_ids, [world.siteId(0)]);
  });

  it('when a list is filtered by 500 IDs, then HTTP clients accept the headers with its page links', async () => {
    const missing = Array.from({ length: 499 }, (_, n) => 2_000_000_000 + n);
    const url = `${world.url}${BASE}?per_page=1&exclude=${missing.join()}&page=`;
    const headers = { authorization: world.authorizations.admin ?? '' };
    const middle = await fetch(`${url}2`, { headers });
    assert.deepEqual([middle.status, middle.headers.get('x-wp-total')], [200, '3']);
    const [, next = ''] = /<([^>]+)>; rel="next"/.exec(middle.headers.get('link') ?? '') ?? [];
    const last = (await (await fetch(next, { headers })).json()) as { data: { name: string }[] };
    assert.deepEqual(
      last.data.map(({ name }) => name),
      ['shops'],
    );
  });

  it('when there are more tags, then the list needs no more SQL statements', async () => {
    const few = await world.countStatements(() => world.request('GET', `${BASE}?per_page=1&full_data=true`));
    assert.ok(few > 0, 'nothing was counted');
    const many = await world.countStatements(() => world.request('GET', `${BASE}?per_page=3&full_data=true`));
    assert.equal(many, few);
  });

  it('when _fields names fields, then only these and the ID are returned', async () => {
    const { body } = await world.request('GET', `${BASE}?_fields=name`);
    assert.deepEqual(Object.keys(body.data[0]), ['id', 'name']);
    assert.equal(body.total, 3);
    const one = await world.request('GET', `${BASE}/${shops}?_fields=color,sites_count`);
    assert.deepEqual(one.body.data, { id: shops, color: '#aabbcc', sites_count: 1 });
    const { body: refused } = await world.request('GET', `${BASE}?_fields=name,secret`, { expect: 400 });
    assert.deepEqual([refused.code, refused.data.errors[0].path], ['rest_invalid_param', 'query._fields']);
  });

  it('when a tag is edited, then omitted fields keep their values', async () => {
    const { id } = (await world.request('POST', `${BASE}/add`, { body: { name: 'x', color: '#123456' } })).body.data;
    for (const [method, body, name, color] of [
      ['PUT', { name: 'y' }, 'y', '#123456'],
      ['PATCH', { color: '#fff' }, 'y', '#ffffff'],
      ['POST', { color: null }, 'y', null],
    ] as const) {
      const { data } = (await world.request(method, `${BASE}/${id}/edit`, { body })).body;
      assert.deepEqual([data.name, data.color], [name, color]);
    }
    const { body } = await world.request('DELETE', `${BASE}/${id}/remove`);
    assert.deepEqual([body.data.id, body.data.name], [id, 'y']);
    assert.equal((await world.request('GET', `${BASE}/${id}`, { expect: 404 })).body.code, 'svc_tag_not_found');
  });

  it('when a number is infinite, then the request is rejected', async () => {
    for (const [path, field] of [
      [`${BASE}/1e999`, 'params.tag_id'],
      [`${BASE}?page=1e999`, 'query.page'],
      [`${BASE}?include=1,-1e999`, 'query.include.1'],
      ['/abilities/v1/svc/list-tags-v1/run?input[page]=1e999', 'input.page'],
      ['/abilities/v1/svc/list-tags-v1/run?input[include][]=1e999', 'input.include.0'],
    ] as const) {
      const { body } = await world.request('GET', path, { expect: 400 });
      assert.equal(body.data.errors[0].path, field, path);
    }
  });

  it('when a field is invalid, then the error names the field', async () => {
    for (const [method, path, body, field] of [
      ['POST', 'add', {}, 'body.name'],
      ['POST', 'add', { name: 'q', colour: '#fff' }, 'body.colour'],
      ['POST', 'add', { name: 'q', color: 'red' }, 'body.color'],
      ['PUT', `${shops}/edit`, { name: '  ' }, 'body.name'],
      ['PUT', `${shops}/edit`, {}, 'body'],
    ] as const)
      assert.equal((await refusedFields(world, method, `${BASE}/${path}`, body))[0], field);
    const taken = await world.request('POST', `${BASE}/add`, { body: { name: 'SHOPS' }, expect: 409 });
    assert.equal(taken.body.code, 'svc_already_exists');
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', '/edit'],
      ['DELETE', '/remove'],
      ['GET', '/sites'],
      ['GET', '/clients'],
    ] as const) {
      const body = method === 'PUT' ? { body: { name: 'z' } } : {};
      const { code } = (await world.request(method, `${BASE}/99999${path}`, { ...body, expect: 404 })).body;
      assert.equal(code, 'svc_tag_not_found');
    }
    const reader = await world.request('POST', `${BASE}/add`, { as: 'reader', body: { name: 'r' }, expect: 403 });
    assert.equal(reader.body.code, 'svc_permission_denied');
  });
});
