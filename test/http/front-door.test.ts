import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { memoizePathPatterns, parseTextsOnly } from '../../src/http/validator.ts';
import { bearer, startSmallApp, type SmallApp } from './small-app.ts';

const LOOK = '/abilities/v1/svc/look-around-v1/run';
const require = createRequire(import.meta.url);
const insideValidator = createRequire(require.resolve('express-openapi-validator'));

describe('the front door', () => {
  let app: SmallApp;
  before(async () => (app = await startSmallApp({ corsOrigins: ['https://desk.example', 'http://localhost:5173'] })));
  after(() => app.close());

  for (const id of ['abcdefgh', 'a.B-c_9:'.slice(0, 7) + '0', '0b6c1f9e-5f0e-4a53-9d0e-0a8d3c1f2b4a', 'x'.repeat(128)])
    it(`keeps the request id ${id.slice(0, 40)} of the caller`, async () => {
      assert.equal((await app.call('GET', LOOK, { headers: { 'x-request-id': id } })).headers['x-request-id'], id);
    });

  for (const id of ['short', 'x'.repeat(129), 'white space', 'a<script>b', 'new;line=1', 'ünïcödé'])
    it(`replaces the request id ${id.slice(0, 40)}`, async () => {
      const { headers } = await app.call('GET', LOOK, { headers: { 'x-request-id': encodeLatin(id) } });
      assert.match(String(headers['x-request-id']), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    });

  it('names every answer, and no two the same', async () => {
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

  it('logs one line a request, without its query and its credential', async () => {
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
    it(`sends the headers that keep browsers from guessing with ${method} ${path}${as === null ? ' refused' : ''}`, async () => {
      const { headers } = await app.call(method, path, as === undefined ? {} : { as });
      assert.equal(headers['content-security-policy'], "default-src 'none';frame-ancestors 'none'");
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['x-frame-options'], 'SAMEORIGIN');
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['x-powered-by'], undefined);
      assert.match(headers['content-type'] ?? '', /^application\/json/);
    });

  for (const origin of ['https://desk.example', 'http://localhost:5173'])
    it(`lets the listed origin ${origin} read`, async () => {
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

  for (const origin of [
    'https://evil.example',
    'https://desk.example.evil.example',
    'null',
    'http://desk.example',
    '*',
  ])
    it(`tells the origin ${origin} nothing`, async () => {
      for (const method of ['OPTIONS', 'GET']) {
        const { headers } = await app.call(method, LOOK, { headers: { origin } });
        assert.deepEqual(
          Object.keys(headers).filter((name) => name.startsWith('access-control-')),
          [],
        );
        assert.match(headers.vary ?? '', /Origin/);
      }
    });

  it('tells no origin anything when none is listed', async () => {
    const closed = await startSmallApp();
    const { headers } = await closed.call('GET', LOOK, { headers: { origin: 'https://desk.example' } });
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith('access-control-')),
      [],
    );
    await closed.close();
  });
});

describe('the validator behind the front door', () => {
  interface Compiling {
    prototype: { addSchema: (...given: unknown[]) => unknown };
  }
  const { default: Ajv } = insideValidator('ajv/dist/2020') as { default: Compiling };

  it('compiles nothing more for 200 different content types', async () => {
    const app = await startSmallApp();
    const { addSchema } = Ajv.prototype;
    // The validator adds a schema for each key of its cache, and compiles it.
    let compiled = 0;
    Ajv.prototype.addSchema = function (...given) {
      compiled++;
      return addSchema.apply(this, given);
    };
    try {
      const body = '{"input": {"page": 2}}';
      await app.call('GET', '/api/v2/things');
      compiled = 0;
      await app.call('POST', LOOK, { body });
      await app.call('GET', LOOK);
      assert.ok(compiled > 0, 'the count sees what is compiled');
      compiled = 0;
      for (let index = 0; index < 200; index++) {
        const type = `application/json; x=${index}`;
        const posted = await app.call('POST', LOOK, { headers: { 'content-type': type }, body });
        const read = await app.call('GET', LOOK, { headers: { 'content-type': `foo/bar${index}` } });
        assert.deepEqual([posted.status, read.status], [200, 200]);
      }
      assert.equal(compiled, 0);
    } finally {
      Ajv.prototype.addSchema = addSchema;
      await app.close();
    }
  });

  it('keeps the pattern of a path', () => {
    interface Library {
      pathToRegexp: (path: string, options?: object) => { regexp: RegExp };
    }
    const library = insideValidator('path-to-regexp') as Library;
    memoizePathPatterns();
    const first = library.pathToRegexp;
    memoizePathPatterns();
    assert.equal(library.pathToRegexp, first, 'it is wrapped once');
    const once = library.pathToRegexp('/kept/:id', { sensitive: true });
    assert.equal(library.pathToRegexp('/kept/:id', { sensitive: true }), once);
    assert.notEqual(library.pathToRegexp('/kept/:id', { sensitive: false }), once);
    assert.notEqual(library.pathToRegexp('/kept/:other', { sensitive: true }), once);
    assert.ok(once.regexp.test('/kept/1') && !once.regexp.test('/Kept/1'));
  });

  it('has only texts of a query parsed as JSON', () => {
    interface Mutator {
      parseJsonAndMutateRequest: (request: { query: Record<string, unknown> }, place: string, name: string) => void;
    }
    const { RequestParameterMutator } = insideValidator('./middlewares/parsers/req.parameter.mutator') as {
      RequestParameterMutator: { prototype: Mutator };
    };
    const { prototype } = RequestParameterMutator;
    parseTextsOnly();
    const first = prototype.parseJsonAndMutateRequest;
    parseTextsOnly();
    assert.equal(prototype.parseJsonAndMutateRequest, first, 'it is wrapped once');
    const given = { toString: () => '{"from":"text"}' };
    const query = { object: given as unknown, text: '{"a":1}' as unknown };
    for (const name of ['object', 'text']) prototype.parseJsonAndMutateRequest({ query }, 'query', name);
    assert.deepEqual([query.object === given, query.text], [true, { a: 1 }]);
  });

  it('does not compile the schema of OpenAPI, which checks nothing here', async () => {
    const { Ajv2020 } = insideValidator('ajv/dist/2020') as {
      Ajv2020: { prototype: { compile: (schema: { $id?: string }) => unknown } };
    };
    const { compile } = Ajv2020.prototype;
    const compiled: (string | undefined)[] = [];
    Ajv2020.prototype.compile = function (schema) {
      compiled.push(schema.$id);
      return compile.call(this, schema);
    };
    const app = await startSmallApp();
    try {
      assert.equal((await app.call('GET', LOOK)).status, 200);
      assert.deepEqual(
        compiled.filter((id) => id?.includes('openapis.org')),
        [],
      );
    } finally {
      Ajv2020.prototype.compile = compile;
      await app.close();
    }
  });

  it('asks for the pattern of each path once over many requests', async () => {
    const app = await startSmallApp();
    const library = insideValidator('path-to-regexp') as { pathToRegexp: { (path: string): object; memoized?: true } };
    const { pathToRegexp } = library;
    const seen = new Map<string, Set<object>>();
    const spy = (path: string, ...rest: []): object => {
      const pattern = pathToRegexp(path, ...rest);
      seen.set(path, (seen.get(path) ?? new Set()).add(pattern));
      return pattern;
    };
    spy.memoized = true as const;
    library.pathToRegexp = spy;
    try {
      for (let round = 0; round < 5; round++) await app.call('GET', '/api/v2/things/a');
      assert.ok(seen.size > 0, 'the validator looks its patterns up through the seam');
      for (const [path, patterns] of seen) assert.equal(patterns.size, 1, path);
    } finally {
      library.pathToRegexp = pathToRegexp;
      await app.close();
    }
  });
});

/** Header values travel as latin-1. */
const encodeLatin = (text: string): string => Buffer.from(text, 'latin1').toString('latin1');
