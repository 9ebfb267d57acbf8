import assert from 'node:assert/strict';
import { contractText } from '../../src/surfaces/generated-files.ts';
import { bearer, startSmallApp, type SmallApp, withSmallApp } from './small-app.ts';

const LOOK = '/abilities/v1/svc/look-around-v1/run';

describe('request middleware', () => {
  let app: SmallApp;
  withSmallApp((started) => (app = started), { corsOrigins: ['https://desk.example', 'http://localhost:5173'] });

  for (const id of ['abcdefgh', 'a.B-c_9:'.slice(0, 7) + '0', '0b6c1f9e-5f0e-4a53-9d0e-0a8d3c1f2b4a', 'x'.repeat(128)])
    it(`when the request ID is ${id.slice(0, 40)}, then it is kept`, async () => {
      assert.equal((await app.call('GET', LOOK, { headers: { 'x-request-id': id } })).headers['x-request-id'], id);
    });

  for (const id of ['short', 'x'.repeat(129), 'white space', 'a<script>b', 'new;line=1', 'ünïcödé'])
    it(`when the request ID is ${id.slice(0, 40)}, then it is replaced`, async () => {
      const { headers } = await app.call('GET', LOOK, { headers: { 'x-request-id': encodeLatin(id) } });
      assert.match(String(headers['x-request-id']), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    });

  it('when requests get responses, then each has a unique request ID', async () => {
    const asked = [
      ['GET', LOOK, undefined],
      ['GET', LOOK, null],
      ['GET', '/nothing', undefined],
      ['GET', '/healthz', null],
      ['OPTIONS', LOOK, null],
      ['POST', LOOK, undefined],
    ] as const;
    const ids = await Promise.all(
      asked.map(async ([method, path, as]) => {
        const asking = as === undefined ? {} : { as };
        return (await app.call(method, path, asking)).headers['x-request-id'];
      }),
    );
    assert.ok(ids.every((id) => typeof id === 'string' && id.length >= 8));
    assert.equal(new Set(ids).size, asked.length);
  });

  it('when a request is finished, then one line is logged without query and credential', async () => {
    await app.call('GET', `${LOOK}?input[search]=somethingprivate`, {
      as: bearer('full'),
      headers: { 'x-request-id': 'log-line-1' },
    });
    const lines = app.logs.filter((line) => line['request_id'] === 'log-line-1');
    assert.equal(lines.length, 1);
    const [line] = lines;
    assert.deepEqual(
      [line?.['method'], line?.['path'], line?.['status'], line?.['operation'], line?.['user']],
      ['GET', LOOK, 200, 'look-around-v1', 'key:1'],
    );
    assert.ok(!JSON.stringify(line).includes('somethingprivate'));
    assert.ok(!JSON.stringify(line).includes('Bearer'));
  });

  for (const [method, path, as] of [
    ['GET', LOOK, undefined],
    ['GET', LOOK, null],
    ['GET', '/nothing', undefined],
  ] as const)
    it(`when ${as === null ? 'nobody' : 'a user'} calls ${method} ${path}, then the response has security headers`, async () => {
      const { headers } = await app.call(method, path, as === undefined ? {} : { as });
      assert.equal(headers['content-security-policy'], "default-src 'none';frame-ancestors 'none'");
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['x-frame-options'], 'SAMEORIGIN');
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['x-powered-by'], undefined);
      assert.match(headers['content-type'] ?? '', /^application\/json/);
    });

  for (const origin of ['https://desk.example', 'http://localhost:5173'])
    it(`when the origin ${origin} is allowed, then the response has CORS headers`, async () => {
      const preflight = await app.call('OPTIONS', LOOK, {
        as: null,
        headers: { origin, 'access-control-request-method': 'POST' },
      });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers['access-control-allow-origin'], origin);
      assert.match(String(preflight.headers['access-control-allow-methods']), /POST/);
      assert.match(String(preflight.headers['access-control-allow-headers']), /Authorization/i);
      for (const as of [undefined, null]) {
        const { headers } = await app.call('GET', LOOK, { headers: { origin }, ...(as === null ? { as } : {}) });
        assert.equal(headers['access-control-allow-origin'], origin);
        assert.match(String(headers['access-control-expose-headers']), /X-Request-Id/);
        assert.match(headers.vary ?? '', /Origin/);
        assert.equal(headers['access-control-allow-credentials'], undefined);
      }
    });

  it('when an origin is allowed, then CORS covers every header that the contracts name', async () => {
    const headersIn = (text: string, pattern: RegExp): string[] => [
      ...new Set([...text.matchAll(pattern)].map(([, name = '']) => name.toLowerCase())),
    ];
    const contracts = contractText('abilities') + contractText('v2');
    const sent = headersIn(contracts, /"name": "([^"]+)",\s+"in": "header"/g);
    const shown = headersIn(contracts, /"([A-Z][A-Za-z]*-[A-Za-z-]+|ETag)": \{\s+"\$ref": "#\/components\/headers/g);
    assert.ok(sent.includes('if-match') && shown.includes('etag') && shown.includes('retry-after'));
    const { headers } = await app.call('OPTIONS', LOOK, { as: null, headers: { origin: 'https://desk.example' } });
    const listed = (name: string): string[] => String(headers[name]).toLowerCase().split(', ');
    assert.deepEqual(
      sent.filter((name) => !listed('access-control-allow-headers').includes(name)),
      [],
    );
    const read = [...shown, 'x-request-id', 'x-wp-total', 'x-wp-totalpages', 'link', 'ratelimit', 'ratelimit-policy'];
    assert.deepEqual(
      read.filter((name) => !listed('access-control-expose-headers').includes(name)),
      [],
    );
  });

  for (const origin of [
    'https://evil.example',
    'https://desk.example.evil.example',
    'null',
    'http://desk.example',
    '*',
  ])
    it(`when the origin ${origin} is not allowed, then the response has no CORS headers`, async () => {
      for (const method of ['OPTIONS', 'GET']) {
        const { headers } = await app.call(method, LOOK, { headers: { origin } });
        assert.deepEqual(
          Object.keys(headers).filter((name) => name.startsWith('access-control-')),
          [],
        );
        assert.match(headers.vary ?? '', /Origin/);
      }
    });

  it('when no origin is allowed, then the response has no CORS headers', async () => {
    const closed = await startSmallApp();
    const { headers } = await closed.call('GET', LOOK, { headers: { origin: 'https://desk.example' } });
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith('access-control-')),
      [],
    );
    await closed.close();
  });
});

/** Header values travel as latin-1. */
const encodeLatin = (text: string): string => Buffer.from(text, 'latin1').toString('latin1');
