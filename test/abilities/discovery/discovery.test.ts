import assert from 'node:assert/strict';
import { readContract } from '../../../src/surfaces/generated-files.ts';
import { CATEGORIES, routes } from '../../../src/surfaces/abilities/discovery/routes.ts';
import { bearer, startSmallApp, type SmallApp } from '../../http/small-app.ts';

const BASE = 'https://fleet.example/abilities/v1';
const contract = readContract('abilities');
const names = Object.keys(contract.paths).flatMap((path) => /^\/svc\/([^/{]+)\/run$/.exec(path)?.[1] ?? []);
const categories = Object.entries(CATEGORIES);

interface Listed {
  name: string;
  category: string;
  [field: string]: unknown;
}
const namesOf = (list: unknown): string[] => (list as Listed[]).map(({ name }) => name);

describe('ability discovery', () => {
  let app: SmallApp;
  before(async () => {
    app = await startSmallApp({
      contracts: { abilities: contract },
      handlers: { ...routes({}, { contract, base: BASE, links: { job: String } }) },
    });
  });
  after(() => app.close());

  it('when abilities are listed, then all are in the order of the contract, in a plain array', async () => {
    const { status, json, headers } = await app.call('GET', '/abilities/v1?per_page=100');
    assert.equal(status, 200);
    assert.deepEqual(
      namesOf(json),
      names.map((name) => `svc/${name}`),
    );
    assert.equal(headers['x-wp-total'], String(names.length));
    assert.equal(headers['x-wp-totalpages'], String(Math.ceil(names.length / 100)));
  });

  it('when one ability is read, then it has schemas, annotations and links', async () => {
    const { json } = await app.call('GET', '/abilities/v1/svc/list-sites-v1');
    assert.deepEqual(Object.keys(json as object).sort(), [
      '_links',
      'category',
      'description',
      'input_schema',
      'label',
      'meta',
      'name',
      'output_schema',
    ]);
    assert.deepEqual([json.name, json.category], ['svc/list-sites-v1', 'svc-sites']);
    const { annotations, show_in_rest } = json.meta;
    assert.equal(show_in_rest, true);
    assert.deepEqual(annotations, { readonly: true, destructive: false, idempotent: true, instructions: '' });
    assert.deepEqual(json.input_schema.type, ['object', 'null']);
    assert.deepEqual(json.input_schema.default, {});
    assert.equal(json.input_schema.properties.page.default, 1);
    assert.deepEqual(json._links, {
      self: [{ href: `${BASE}/svc/list-sites-v1` }],
      collection: [{ href: BASE }],
      'wp:action-run': [{ href: `${BASE}/svc/list-sites-v1/run` }],
    });
  });

  it('when schemas are returned, then they are complete JSON Schema draft 4 without internal keys', async () => {
    const { json } = await app.call('GET', '/abilities/v1?per_page=100');
    for (const { name, input_schema, output_schema } of json as Listed[])
      for (const schema of [input_schema, output_schema]) {
        const text = JSON.stringify(schema);
        assert.doesNotMatch(text, /"(\$ref|const|examples|x-[a-z-]+|allOf)":/, name);
        assert.equal((schema as { required?: string[] }).required?.length !== 0, true, name);
      }
  });

  it('when an ability has a required field, then its input has no default', async () => {
    const { json } = await app.call('GET', '/abilities/v1/svc/delete-site-v1');
    assert.equal(json.input_schema.type, 'object');
    assert.ok(json.input_schema.required.includes('site_id_or_domain'));
    assert.equal('default' in json.input_schema, false);
    assert.deepEqual([json.meta.annotations.readonly, json.meta.annotations.destructive], [false, true]);
  });

  it('when one ability is read, then it is the same as in the list', async () => {
    const { json } = await app.call('GET', '/abilities/v1?per_page=100');
    for (const listed of json as Listed[])
      assert.deepEqual((await app.call('GET', `/abilities/v1/${listed.name}`)).json, listed);
  });

  it('when the list is longer than a page, then pages have 50 abilities and links keep the query', async () => {
    const first = await app.call('GET', '/abilities/v1');
    assert.equal(first.json.length, Math.min(50, names.length));
    const pages = Math.ceil(names.length / 10);
    const second = await app.call('GET', '/abilities/v1?page=2&per_page=10&category=svc-sites');
    const whole = (await app.call('GET', '/abilities/v1?per_page=100&category=svc-sites')).json as Listed[];
    assert.deepEqual(second.json, whole.slice(10, 20));
    assert.match(
      String(second.headers.link),
      new RegExp(`<${BASE}\\?[^>]*category=svc-sites[^>]*page=1>; rel="prev", <${BASE}\\?[^>]*page=3>; rel="next"`),
    );
    const last = await app.call('GET', `/abilities/v1?page=${pages}&per_page=10`);
    assert.match(String(last.headers.link), /rel="prev"/);
    assert.doesNotMatch(String(last.headers.link), /rel="next"/);
    assert.equal(last.headers['x-wp-totalpages'], String(pages));
    const past = await app.call('GET', '/abilities/v1?page=99');
    assert.deepEqual([past.status, past.json], [200, []]);
  });

  it('when _fields or context are given, then only these fields are returned, and links keep them', async () => {
    const shownBy = async (query: string): Promise<string[]> => {
      const { json } = await app.call('GET', `/abilities/v1?per_page=2&${query}`);
      const one = (await app.call('GET', `/abilities/v1/${(json as Listed[])[0]?.name ?? `svc/${names[0]}`}?${query}`))
        .json;
      assert.deepEqual(one, json[0], query);
      return Object.keys(json[0] as object);
    };
    const all = ['name', 'label', 'description', 'category', 'input_schema', 'output_schema', 'meta', '_links'];
    for (const query of ['', 'context=view', 'context=edit']) assert.deepEqual(await shownBy(query), all);
    assert.deepEqual(await shownBy('context=embed'), ['name', 'label', 'category', '_links']);
    assert.deepEqual(await shownBy('_fields=name,label'), ['name', 'label']);
    assert.deepEqual(await shownBy('context=embed&_fields=name,meta'), ['name']);
    const { json, headers } = await app.call('GET', '/abilities/v1?per_page=1&_fields=name,meta.annotations.readonly');
    assert.deepEqual(json, [{ name: `svc/${names[0]}`, meta: { annotations: { readonly: true } } }]);
    assert.match(String(headers.link), /_fields=name%2Cmeta\.annotations\.readonly[^>]*page=2>; rel="next"/);
    const { json: category } = await app.call('GET', '/abilities/v1/categories/svc-sites?context=embed');
    assert.deepEqual(Object.keys(category as object), ['slug', 'label', '_links']);
    for (const query of ['_fields=strange', 'context=other']) {
      const { status, json: refusal } = await app.call('GET', `/abilities/v1?${query}`);
      assert.deepEqual([status, refusal.code], [400, 'ability_invalid_input']);
    }
  });

  it('when a paging parameter is invalid, then the request is rejected', async () => {
    for (const query of ['page=0', 'per_page=0', 'per_page=101', 'page=x', 'nope=1'])
      assert.equal((await app.call('GET', `/abilities/v1?${query}`)).status, 400, query);
  });

  it('when a category is given, then only its abilities are listed; an unknown category has none', async () => {
    let found = 0;
    for (const [slug] of categories) {
      const { json, headers } = await app.call('GET', `/abilities/v1?per_page=100&category=${slug}`);
      assert.ok((json as Listed[]).every(({ category }) => category === slug));
      assert.equal(headers['x-wp-total'], String(json.length));
      found += json.length as number;
    }
    assert.equal(found, names.length, 'every ability is in a category that is listed');
    const { status, json, headers } = await app.call('GET', '/abilities/v1?category=nothing');
    assert.deepEqual([status, json, headers['x-wp-total']], [200, [], '0']);
  });

  it('when the method is HEAD, then the response has counts and links without a body', async () => {
    const { status, text, headers } = await app.call('HEAD', '/abilities/v1?per_page=10');
    assert.deepEqual([status, text, headers['x-wp-total']], [200, '', String(names.length)]);
    assert.match(String(headers.link), /rel="next"/);
  });

  it('when categories are listed, then each can be read and is the same as in the list', async () => {
    const { json, headers } = await app.call('GET', '/abilities/v1/categories');
    assert.equal(headers['x-wp-total'], String(categories.length));
    assert.deepEqual(
      (json as { slug: string; label: string }[]).map(({ slug, label }) => [slug, label]),
      categories.map(([slug, { label }]) => [slug, label]),
    );
    for (const listed of json as { slug: string; _links: unknown }[]) {
      assert.match(listed.slug, /^[a-z0-9]+(-[a-z0-9]+)*$/);
      assert.deepEqual(listed._links, {
        self: [{ href: `${BASE}/categories/${listed.slug}` }],
        collection: [{ href: `${BASE}/categories` }],
        abilities: [{ href: `${BASE}?category=${listed.slug}` }],
      });
      assert.deepEqual((await app.call('GET', `/abilities/v1/categories/${listed.slug}`)).json, listed);
    }
  });

  for (const [path, code] of [
    ['/abilities/v1/svc/nothing-v1', 'rest_ability_not_found'],
    ['/abilities/v1/categories/nothing', 'rest_ability_category_not_found'],
    ['/abilities/v1/svc/nothing-v1/run', 'rest_ability_not_found'],
  ] as const)
    it(`when ${path} is read, then the error is ${code}`, async () => {
      const { status, json } = await app.call('GET', path);
      assert.deepEqual([status, json.code, json.data], [404, code, { status: 404 }]);
    });

  it('when the credential is missing or may not read, then the request is rejected', async () => {
    for (const path of ['/abilities/v1', '/abilities/v1/categories', '/abilities/v1/svc/list-sites-v1']) {
      assert.equal((await app.call('GET', path, { as: null })).status, 401);
      assert.equal((await app.call('GET', path, { as: bearer('reads') })).status, 200);
      assert.equal((await app.call('GET', path, { as: bearer('writes') })).status, 403);
    }
  });
});
