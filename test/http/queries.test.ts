import assert from 'node:assert/strict';
import { startSmallApp, type SmallApp, withSmallApp } from './small-app.ts';

const LOOK = '/abilities/v1/svc/look-around-v1/run';
const DEFAULTS = { page: 1, per_page: 20, search: '' };

/** Query string and the input that the handler gets in addition to the defaults. */
const READ_AS: [query: string, input: Record<string, unknown>][] = [
  ['', {}],
  ['input=', {}],
  ['input[page]=3', { page: 3 }],
  ['input%5Bpage%5D=3', { page: 3 }],
  ['input[types][]=core&input[types][]=themes', { types: ['core', 'themes'] }],
  ['input[types][]=core', { types: ['core'] }],
  ['input[types][0]=core&input[types][1]=themes', { types: ['core', 'themes'] }],
  ['input%5Btypes%5D%5B0%5D=core', { types: ['core'] }],
  ['input[types]=core,themes', { types: ['core', 'themes'] }],
  ['input[types]=core', { types: ['core'] }],
  ['input[types]=', { types: [] }],
  ['input[kinds][]=core', { types: ['core'] }],
  ['input[up]=true', { up: true }],
  ['input[up]=false', { up: false }],
  ['input[up]=1', { up: true }],
  ['input[up]=0', { up: false }],
  ['input[search]=a%26input%5Bpage%5D%3D9', { search: 'a&input[page]=9' }],
  ['input[search]=100%25+x', { search: '100% x' }],
  ['input[search]=%2525', { search: '%25' }],
  ['input[search]=100%', { search: '100%' }],
  ['input[search]=%F0%9F%98%80', { search: '\u{1f600}' }],
  ['input[search]=12', { search: '12' }],
  ['input[ref]=12', { ref: '12' }],
  ['input[ref]=example.com', { ref: 'example.com' }],
  ['input[owner]=3', { owner: 3 }],
  ['input[filter]=', { filter: { up: true } }],
  ['input[filter][minimum]=4', { filter: { up: true, minimum: 4 } }],
  [
    'input[filter][up]=false&input[filter][minimum]=4&input[filter][tags][]=a&input[filter][tags][]=b',
    { filter: { up: false, minimum: 4, tags: ['a', 'b'] } },
  ],
  [
    `input=${encodeURIComponent('{"page": 4, "types": ["core"], "filter": {"minimum": 2}}')}`,
    {
      page: 4,
      types: ['core'],
      filter: { up: true, minimum: 2 },
    },
  ],
];

/** Query string and the paths that the error must name. */
const REFUSED: [query: string, paths: string[]][] = [
  ['input[nope]=1', ['input.nope']],
  ['input[search]=%ff', ['input.search']],
  ['input[search]=100%+%c3', ['input.search']],
  ['input[__proto__][page]=3', ['input.__proto__.page']],
  ['input[%5F_proto__]=3', ['input.__proto__']],
  ['__proto__[page]=3', ['__proto__.page']],
  ['input[constructor]=3', ['input.constructor']],
  ['toString=3', ['toString']],
  ['input[filter][nope]=1', ['input.filter.nope']],
  ['page=3', ['page']],
  ['input[page]=0', ['input.page']],
  ['input[page]=two', ['input.page']],
  ['input[page]=1.5', ['input.page']],
  ['input[page]=1&input[page]=2', ['input.page']],
  ['input[up]=yes', ['input.up']],
  ['input[types][]=core&input[types][]=everything', ['input.types.1']],
  ['input[ids][]=1&input[ids][]=x', ['input.ids.1']],
  ['input[day]=2026-02-31', ['input.day']],
  ['input[owner]=null', ['input.owner']],
  ['input[kinds][]=core&input[types][]=core', ['input.kinds']],
  [
    'input[page]=0&input[per_page]=101&input[up]=yes&input[types][]=x',
    ['input.page', 'input.per_page', 'input.types.0', 'input.up'],
  ],
  ['input=%7Bpage', ['input']],
  [`input=${encodeURIComponent('{"page": "x", "nope": 1}')}`, ['input.nope', 'input.page']],
];

describe('queries of abilities', () => {
  let app: SmallApp;
  withSmallApp((started) => (app = started));

  for (const [query, input] of READ_AS)
    it(`when the query is ?${query}, then the input is ${JSON.stringify(input)}`, async () => {
      const { status, text, json } = await app.call('GET', query === '' ? LOOK : `${LOOK}?${query}`);
      assert.equal(status, 200, text);
      assert.deepEqual(json.input, { ...DEFAULTS, ...input });
    });

  for (const [query, paths] of REFUSED)
    it(`when the query is ?${query}, then the error names ${paths.join(', ')}`, async () => {
      const { status, json } = await app.call('GET', `${LOOK}?${query}`);
      assert.equal(status, 400);
      assert.equal(json.code, 'ability_invalid_input');
      assert.equal(json.data.status, 400);
      const errors = json.data.errors as { path: string; message: string }[];
      assert.deepEqual([...new Set(errors.map(({ path }) => path))].sort(), paths);
      assert.ok(errors.every(({ message }) => message.length > 3));
    });

  for (const count of [25, 150])
    it(`when a list has ${count} indexed items, then they keep their order`, async () => {
      const ids = Array.from({ length: count }, (_, index) => index + 1);
      for (const form of [(index: number) => `[${index}]`, () => '[]']) {
        const query = ids.map((id, index) => `input[ids]${form(index)}=${id}`).join('&');
        const { json } = await app.call('GET', `${LOOK}?${query}`);
        assert.deepEqual(json.input.ids, ids);
      }
    });

  it('when calls run at the same time, then each gets its own query', async () => {
    const pages = Array.from({ length: 30 }, (_, index) => index + 1);
    const answers = await Promise.all(pages.map((page) => app.call('GET', `${LOOK}?input[page]=${page}`)));
    assert.deepEqual(
      answers.map(({ json }) => json.input.page as number),
      pages,
    );
  });

  it('when a handler changes its input, then the next call gets fresh defaults', async () => {
    const greedy = await startSmallApp({
      handlers: {
        'look-around-v1': async (input: { page: number; search: string }) => {
          const seen = { ...input };
          input.page = 99;
          input.search = 'left behind';
          return { input: seen };
        },
      },
    });
    for (let round = 0; round < 2; round++)
      assert.deepEqual((await greedy.call('GET', LOOK)).json, { input: DEFAULTS });
    await greedy.close();
  });
});

describe('queries of routes', () => {
  let app: SmallApp;
  withSmallApp((started) => (app = started));

  for (const [query, read] of [
    ['', {}],
    ['page=2', { page: 2 }],
    ['status=', {}],
    ['page=&full_data=', {}],
    ['full_data=1', { full_data: true }],
    ['full_data=false', { full_data: false }],
    ['status=open', { status: 'open' }],
    ['ids=1,2', { ids: [1, 2] }],
    ['ids=1%2C2', { ids: [1, 2] }],
    ['ids=7', { ids: [7] }],
  ] as const)
    it(`when the query is ?${query}, then the handler gets ${JSON.stringify(read)}`, async () => {
      const { status, text, json } = await app.call('GET', `/api/v2/things?${query}`);
      assert.equal(status, 200, text);
      assert.deepEqual(json.query, { page: 1, full_data: false, ...read });
    });

  for (const [query, paths] of [
    ['nope=1', ['query.nope']],
    ['__proto__[page]=1', ['query.__proto__.page']],
    ['valueOf=1', ['query.valueOf']],
    ['page=x', ['query.page']],
    ['page=0&status=lost', ['query.page', 'query.status']],
    ['full_data=maybe', ['query.full_data']],
    ['ids=1,x', ['query.ids.1']],
  ] as const)
    it(`when the query is ?${query}, then the error names ${paths.join(', ')}`, async () => {
      const { status, json } = await app.call('GET', `/api/v2/things?${query}`);
      assert.equal(status, 400);
      assert.equal(json.code, 'rest_invalid_param');
      const errors = json.data.errors as { path: string }[];
      assert.deepEqual(errors.map(({ path }) => path).sort(), paths);
    });

  for (const [part, ref] of [
    ['example.com', 'example.com'],
    ['example.com%3A8080', 'example.com:8080'],
    ['example.com%2Fblog', 'example.com/blog'],
    ['https%3A%2F%2Fwww.example.com%2F', 'https://www.example.com/'],
    ['b%C3%BCcher.example', 'bücher.example'],
    ['a%252Fb', 'a%2Fb'],
    ['a+b', 'a+b'],
  ] as const)
    it(`when a path segment is ${part}, then it is decoded once`, async () => {
      const { json } = await app.call('GET', `/api/v2/things/${part}`);
      assert.deepEqual(json.path, { ref });
    });

  it('when a static path and a path with a parameter match, then the static path is called', async () => {
    await app.call('GET', '/api/v2/things/basic');
    assert.equal(app.handledOperations.at(-1), 'things_basic');
  });

  it('when a query is not UTF-8, then the request is rejected, and the error names the field', async () => {
    for (const query of ['search=%ff', 'search=a%ED%A0%80']) {
      const { status, json } = await app.call('GET', `/api/v2/things?${query}`);
      assert.deepEqual([status, json.code], [400, 'rest_invalid_param'], query);
      const message = 'must be valid UTF-8, without half of a surrogate pair';
      assert.deepEqual(json.data.errors, [{ path: 'query.search', message }]);
    }
    assert.equal((await app.call('GET', '/api/v2/things?sea%ffrch=a')).status, 400);
  });

  it('when a path has invalid percent-encoding, then the request is rejected', async () => {
    const { status, json } = await app.call('GET', '/api/v2/things/%E0%A4%A');
    assert.equal(status, 400);
    assert.equal(json.code, 'rest_invalid_param');
    assert.deepEqual(json.data.errors, [{ path: 'path', message: 'is not valid percent-encoding' }]);
  });
});
