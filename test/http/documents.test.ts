import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { basic, bearer, startSmallApp, type SmallApp, withSmallApp } from './small-app.ts';

// Needs generated/docs.

const SURFACES = ['abilities', 'v2'] as const;
const open = { as: null };

describe('served documents', () => {
  let app: SmallApp;
  withSmallApp((started) => (app = started));

  for (const surface of SURFACES) {
    it(`when the contract of ${surface} is requested, then JSON and YAML are equal and have the address of this server`, async () => {
      const json = await app.call('GET', `/openapi/${surface}.json`, open);
      const yaml = await app.call('GET', `/openapi/${surface}.yaml`, open);
      assert.deepEqual([json.status, yaml.status], [200, 200]);
      assert.match(json.headers['content-type'] ?? '', /^application\/json/);
      assert.match(yaml.headers['content-type'] ?? '', /yaml/);
      assert.deepEqual(parse(yaml.text), json.json);
      const contract = readContract(surface);
      const servers = contract.servers.map((server) => ({ ...server, url: `http://sitefleet.test${server.url}` }));
      assert.deepEqual(json.json, { ...contract, servers });
    });

    it(`when the old address of the ${surface} reference is requested, then it redirects`, async () => {
      const { status, headers } = await app.call('GET', `/docs/${surface}`, open);
      assert.deepEqual([status, headers['location']], [308, `reference/${surface}/`]);
    });
  }

  for (const [path, type, words] of [
    ['/docs/', 'text/html; charset=utf-8', '<h1>Sitefleet</h1>'],
    ['/docs/guides/errors', 'text/html; charset=utf-8', 'svc_outcome_unknown'],
    ['/docs/guides/errors.md', 'text/markdown; charset=utf-8', '# Errors'],
    ['/docs/reference/abilities/list-sites-v1', 'text/html; charset=utf-8', 'list-sites-v1'],
    ['/docs/reference/v2/', 'text/html; charset=utf-8', 'sites_list'],
    ['/docs/reference/v2/sites_list.md', 'text/markdown; charset=utf-8', '# List sites'],
    ['/docs/examples/ci/github.yml', 'text/plain; charset=utf-8', 'sitefleet verify --against contract'],
    ['/docs/examples/typescript/errors.ts', 'text/plain; charset=utf-8', "from '@sitefleet/sdk'"],
    ['/llms.txt', 'text/plain; charset=utf-8', '/docs/reference/v2/sites_list.md'],
    ['/llms-full.txt', 'text/plain; charset=utf-8', '# List sites'],
  ] as const)
    it(`when ${path} is requested, then it is served with a policy that forbids other origins`, async () => {
      const { status, headers, text } = await app.call('GET', path, open);
      assert.equal(status, 200);
      assert.equal(headers['content-type']?.toLowerCase(), type);
      assert.ok(text.includes(words));
      assert.equal(headers['cache-control'], 'no-cache');
      const policy = String(headers['content-security-policy']);
      assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /https?:|\*|unsafe/);

      const head = await app.call('HEAD', path, open);
      assert.deepEqual([head.status, head.text ?? ''], [200, '']);
      const again = await app.call('GET', path, { ...open, headers: { 'if-none-match': headers['etag'] ?? '' } });
      assert.deepEqual([again.status, again.text ?? ''], [304, '']);
    });

  it('when an asset is requested, then it is cached forever', async () => {
    const { text } = await app.call('GET', '/docs/', open);
    const assets = [...text.matchAll(/"(assets\/[^"]+)"/g)].map(([, file = '']) => file);
    assert.ok(assets.length >= 4);
    for (const asset of assets) {
      const { status, headers } = await app.call('GET', `/docs/${asset}`, open);
      assert.equal(status, 200);
      assert.match(headers['cache-control'] ?? '', /max-age=31536000, immutable/);
    }
  });

  it('when /docs is requested without a slash, then it redirects', async () => {
    const { status, headers } = await app.call('GET', '/docs', open);
    assert.deepEqual([status, headers['location']], [308, 'docs/']);
  });

  it('when a workflow is requested, then it is an Arazzo document and its source documents are served', async () => {
    const path = '/openapi/workflows/connect-and-sync.arazzo.yaml';
    const { status, headers, text } = await app.call('GET', path, open);
    assert.equal(status, 200);
    assert.match(headers['content-type'] ?? '', /yaml/);
    const { arazzo, sourceDescriptions } = parse(text) as { arazzo: string; sourceDescriptions: { url: string }[] };
    assert.equal(arazzo, '1.0.1');
    for (const { url } of sourceDescriptions) {
      const { pathname } = new URL(url, `http://sitefleet.test${path}`);
      assert.equal((await app.call('GET', pathname, open)).status, 200, pathname);
    }
  });

  for (const path of [
    '/openapi/workflows/nothing.arazzo.yaml',
    '/openapi/workflows/connect-and-sync',
    '/openapi/workflows/..%2f..%2fv2.arazzo.yaml',
    '/docs/nothing',
    '/docs/__proto__',
    '/docs/..%2fv2.openapi.json',
    '/docs/reference/..%2f..%2f..%2fdatabase.md',
    '/docs/.git/config',
    '/openapi/nothing.json',
    '/openapi/abilities.xml',
    '/openapi/abilities',
    '/openapi/..%2fv2.json',
  ])
    it(`when ${path} is requested, then the response is 404`, async () => {
      assert.equal((await app.call('GET', path, open)).status, 404);
    });
});

describe('operator endpoints', () => {
  const readiness = async () => ({ ready: false, reasons: { database: 'The database does not answer.' } });
  /** Headers of a request through a proxy on this machine. It no longer counts as loopback. */
  const away = { 'x-forwarded-for': '198.51.100.7' };

  it('when anybody requests /healthz, then the response is ok', async () => {
    const app = await startSmallApp({ readiness });
    for (const headers of [{}, away]) {
      const { status, json } = await app.call('GET', '/healthz', { as: null, headers });
      assert.deepEqual([status, json], [200, { status: 'ok' }]);
    }
    await app.close();
  });

  it('when anybody requests /readyz, then the response has the status, and the reasons only for loopback or a credential', async () => {
    const app = await startSmallApp({ readiness });
    const told = { status: 'not ready', reasons: { database: 'The database does not answer.' } };
    for (const [asking, body] of [
      [{ as: null }, told],
      [{ as: null, headers: away }, { status: 'not ready' }],
      [{ as: bearer('wrong'), headers: away }, { status: 'not ready' }],
      [{ as: bearer('reads'), headers: away }, told],
      [{ as: basic('viewer'), headers: away }, told],
    ] as const) {
      const { status, json } = await app.call('GET', '/readyz', asking);
      assert.deepEqual([status, json], [503, body]);
    }
    await app.close();
    const ready = await startSmallApp();
    const { status, json } = await ready.call('GET', '/readyz', { as: null, headers: away });
    assert.deepEqual([status, json], [200, { status: 'ready' }]);
    await ready.close();
  });

  for (const [what, headers] of [
    ['Forwarded', { forwarded: 'for=198.51.100.1' }],
    ['X-Forwarded-Host', { 'x-forwarded-host': 'fleet.example' }],
    ['X-Real-IP', { 'x-real-ip': '198.51.100.1' }],
    ['Via', { via: '1.1 proxy' }],
    ['a public host name', { host: 'fleet.example' }],
  ] as const)
    it(`when a loopback request has ${what}, then it counts as a proxy request`, async () => {
      const app = await startSmallApp({ readiness });
      assert.equal((await app.call('GET', '/metrics', { as: null, headers })).status, 401);
      assert.deepEqual((await app.call('GET', '/readyz', { as: null, headers })).json, { status: 'not ready' });
      await app.close();
    });

  it('when a proxy is configured, then every loopback request counts as a proxy request', async () => {
    for (const trustProxy of [1, ['127.0.0.0/8']]) {
      const app = await startSmallApp({ readiness, trustProxy });
      for (const asking of [{}, { headers: { 'x-forwarded-for': '127.0.0.1' } }])
        assert.equal((await app.call('GET', '/metrics', { as: null, ...asking })).status, 401);
      assert.deepEqual((await app.call('GET', '/readyz', { as: null })).json, { status: 'not ready' });
      assert.equal((await app.call('GET', '/metrics', { as: bearer('reads') })).status, 200);
      const ofFleet = await app.call('GET', '/metrics', { as: bearer('limited'), headers: away });
      assert.deepEqual([ofFleet.status, ofFleet.json.code], [403, 'svc_outside_limits']);
      await app.close();
    }
  });

  it('when loopback or a credential requests the metrics, then they are returned, otherwise 401', async () => {
    const app = await startSmallApp();
    await app.call('GET', '/api/v2/things');
    for (const [asking, expected] of [
      [{ as: null }, 200],
      [{ as: null, headers: away }, 401],
      [{ as: basic('admin', 'wrong'), headers: away }, 401],
      [{ as: basic('admin'), headers: away }, 200],
      [{ as: bearer('full'), headers: away }, 200],
    ] as const) {
      const { status, text, headers } = await app.call('GET', '/metrics', asking);
      assert.equal(status, expected);
      if (status === 401) assert.match(headers['www-authenticate'] ?? '', /Basic.*Bearer/);
      else
        assert.match(
          text,
          /sitefleet_http_request_seconds_count\{operation="things_list",method="GET",status="200"\} 1/,
        );
    }
    await app.close();
  });
});
