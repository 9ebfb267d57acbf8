import assert from 'node:assert/strict';
import { operationsOf } from '../../src/contract/index.ts';
import { ABILITIES_MOUNT, ROUTES_MOUNT } from '../support/compat-clients.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the test is about the translation of requests and responses.

const DEEP = JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`) as object;
const BODIES: readonly string[] = [
  'null',
  '[]',
  '"text"',
  '7',
  '{"input":null}',
  '{"input":[]}',
  '{"input":"text"}',
  '{"input":{"site_id_or_domain":{"a":1},"per_page":"abc","slugs":{},"confirm":"yes"}}',
  '{"input":{"__proto__":{"x":1},"constructor":1,"site_ids_or_domains":{"0":"x"}}}',
  '{"__proto__":{"x":1},"name":{"a":[]},"slug":[[[]]],"mainwp_maximum_requests":[1,2],"type":{"wp":1}}',
  JSON.stringify({ input: DEEP, ...DEEP, sites: DEEP, create: [DEEP, null, 7] }),
  '{"input":{"plugins":[null,{}],"tag_id":"-1","types":"wp,x","page":"1e3"}}',
];
const QUERIES: readonly string[] = [
  '',
  'input=%7Bbroken',
  'input[a][b][c][d][e][f][g][h][i][j]=1',
  'input[__proto__][x]=1&__proto__[x]=1&constructor=1',
  'page=abc&per_page=-1&type[wp]=1&include[a]=b&_fields[]=id&_method=TRACE&paged[]=1',
  `search=${'x'.repeat(7_900)}`,
  `input[site_ids_or_domains][]=${Array.from({ length: 900 }, (_, at) => at).join('&input[site_ids_or_domains][]=')}`,
  '_method=get&input=[]&%00=1&search=%00&a=%F0%9F%92%A9',
];

type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';

describe('hostile callers of the compatibility mount', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.close());

  const paths = [
    ...operationsOf(readContract('abilities')).map(({ path, verb }) => [
      verb,
      ABILITIES_MOUNT + path.replace('/svc/', '/abilities/mainwp/'),
    ]),
    ...operationsOf(readContract('v2')).map(({ path, verb }) => [verb, ROUTES_MOUNT + path]),
  ].map(([verb = '', path = '']) => [verb as Verb, path.replace(/\{\w+\}/g, '77')] as const);

  it('when queries and bodies are malformed, then no response is 500', async () => {
    const statuses = new Set<number>();
    let turn = 0;
    const ask = async ([method, path]: readonly [Verb, string]): Promise<void> => {
      // Each operation gets three bodies and queries, so each body and query is used many times.
      for (let round = 0; round < 3; round++) {
        const body = BODIES[turn % BODIES.length];
        const query = QUERIES[turn++ % QUERIES.length] ?? '';
        const agent = world.agent('nobody').set({ authorization: await authorization });
        const request = agent[method](`${path}?${query}`).type('json');
        // A string is sent unchanged.
        const { status, text } = await request.send(method === 'get' ? undefined : body);
        statuses.add(status);
        assert.ok(
          status < 500 || status === 502 || status === 503,
          `${method} ${path}?${query.slice(0, 80)} ${body}: ${text}`,
        );
        // A header that is too long is refused before its path is known.
        if (status !== 431) assert.doesNotMatch(text, /"code":"svc_/, `${method} ${path}`);
      }
    };
    const authorization = (async () => {
      const { access } = world.container.services.access;
      const user = await access.createUser({ name: 'hostile', role: 'administrator' }, 'test');
      const { password } = await access.addPassword(user.id, 'test', 'test');
      return `Basic ${Buffer.from(`hostile:${password}`).toString('base64')}`;
    })();
    const safe = paths.filter(([, path]) => !/schedules|vulnerab|perf-audit|domain-monitor|rest-api/.test(path));
    for (let start = 0; start < safe.length; start += 8) await Promise.all(safe.slice(start, start + 8).map(ask));
    assert.ok(statuses.has(200) && statuses.has(400) && statuses.has(404));
    assert.equal(({} as Record<string, unknown>)['x'], undefined);
  });

  it('when dry_run is sent to an ability without a dry run, then nothing is done', async () => {
    for (const [name, input] of [
      ['suspend-client-v1', { client_id_or_email: 1, dry_run: true }],
      ['delete-site-plugins-v1', { site_id_or_domain: 1, plugins: ['hello.php'], dry_run: true }],
      ['add-client-v1', { name: 'x', client_facebook: 'x' }],
    ] as const) {
      const { body } = await world.request('POST', `${ABILITIES_MOUNT}/abilities/mainwp/${name}/run`, {
        expect: 400,
        body: { input },
      });
      assert.equal(body.code, 'ability_invalid_input');
    }
    const { total } = await world.ability<{ total: number }>('count-clients-v1');
    assert.equal(total, 0);
  });

  it('when unknown fields are sent to an ability without input fields, then they are rejected', async () => {
    const closed = await world.request(
      'GET',
      `${ABILITIES_MOUNT}/abilities/mainwp/list-sites-v1/run?input[nothing]=1`,
      {
        expect: 400,
      },
    );
    assert.equal(closed.body.code, 'ability_invalid_input');
    await world.request('GET', `${ABILITIES_MOUNT}/abilities/mainwp/count-clients-v1/run?input[nothing]=1`);
    await world.request('GET', `${ABILITIES_MOUNT}/abilities/mainwp/list-sites-v1/run?per_page=1&nothing=1`);
    await world.request('GET', `${ROUTES_MOUNT}/sites?nothing=1`);
    const unknown = await world.request('GET', `${ABILITIES_MOUNT}/abilities/mainwp/no-such-ability/run`, {
      expect: 404,
    });
    assert.equal(unknown.body.code, 'rest_ability_not_found');
    const other = await world.request('GET', `${ABILITIES_MOUNT}/abilities/svc/list-sites-v1/run`, { expect: 404 });
    assert.match(other.body.code, /^rest_/);
    const method = await world.request('POST', `${ABILITIES_MOUNT}/abilities/mainwp/delete-tag-v1/run`, {
      expect: 400,
    });
    assert.equal(method.body.code, 'ability_invalid_input');
    const wrong = await world.request('GET', `${ABILITIES_MOUNT}/abilities/mainwp/add-tag-v1/run`, { expect: 405 });
    assert.equal(wrong.body.code, 'rest_ability_invalid_method');
    const broken = await world.request('POST', `${ROUTES_MOUNT}/tags/add`, { expect: 400, body: '{"name":' });
    assert.equal(broken.body.code, 'rest_invalid_json');
  });

  it('when logins fail too often, then mount and plain paths share the limit', async () => {
    const limited = await startWorld({ env: { SITEFLEET_LOGIN_FAILURE_LIMIT: '2', SITEFLEET_RATE_LIMIT: '3' } });
    try {
      const headers = { authorization: 'Bearer nope' };
      await limited.request('GET', '/api/v2/sites/count', { headers, expect: 401 });
      await limited.request('GET', `${ROUTES_MOUNT}/sites/count`, { headers, expect: 401 });
      const over = await limited.request('GET', `${ROUTES_MOUNT}/sites/count`, { headers, expect: 429 });
      assert.equal(over.body.code, 'mainwp_rate_limited');
      for (const path of ['/api/v2/sites/count', `${ROUTES_MOUNT}/sites/count`, '/api/v2/sites/count'])
        await limited.request('GET', path);
      await limited.request('GET', `${ROUTES_MOUNT}/sites/count`, { expect: 429 });
      const line = limited.logLines.find(
        (each) => each.includes(`"path":"${ROUTES_MOUNT}/sites/count"`) && each.includes('"status":200'),
      );
      assert.match(line ?? '', /"operation":"sites_count"/);
    } finally {
      await limited.close();
    }
  });
});
