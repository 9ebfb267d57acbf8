import assert from 'node:assert/strict';
import { withSmallApp, type SmallApp } from './small-app.ts';

const LOOK = '/abilities/v1/svc/look-around-v1/run';
const CHANGE = '/abilities/v1/svc/change-thing-v1/run';
const listOf = (header: string | undefined): string[] => (header ?? '').split(/, */).sort();

describe('HTTP methods and paths', () => {
  let app: SmallApp;
  withSmallApp((started) => (app = started));

  for (const path of [`${LOOK}?input[page]=2`, '/api/v2/things?page=2', '/abilities/v1', '/healthz'])
    it(`when HEAD ${path} is called, then the response has the headers of GET and no body`, async () => {
      const [got, head] = [await app.call('GET', path), await app.call('HEAD', path)];
      assert.equal(head.status, 200);
      assert.equal(head.text, '');
      for (const name of ['content-type', 'content-length']) assert.equal(head.headers[name], got.headers[name], name);
      assert.equal(Number(head.headers['content-length']), Buffer.byteLength(got.text));
    });

  it('when HEAD is called, then the log has HEAD', async () => {
    await app.call('HEAD', LOOK);
    const line = app.logs.filter(({ msg }) => msg === 'request').at(-1);
    assert.equal(line?.['method'], 'HEAD');
    assert.equal(line['operation'], 'look-around-v1');
  });

  for (const [path, allow] of [
    [LOOK, ['GET', 'HEAD', 'OPTIONS', 'POST']],
    [CHANGE, ['OPTIONS', 'POST']],
    ['/abilities/v1', ['GET', 'HEAD', 'OPTIONS']],
    ['/abilities/v1/', ['GET', 'HEAD', 'OPTIONS']],
    ['/api/v2/things', ['GET', 'HEAD', 'OPTIONS', 'POST']],
    ['/api/v2/things/a', ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'PUT']],
    ['/api/v2/things/basic', ['GET', 'HEAD', 'OPTIONS']],
  ] as const)
    it(`when OPTIONS ${path} is called without a credential, then the response is 204 and allows ${allow.join(', ')}`, async () => {
      const { status, headers, text } = await app.call('OPTIONS', path, { as: null });
      assert.equal(status, 204);
      assert.equal(text, '');
      assert.deepEqual(listOf(headers.allow), allow);
    });

  for (const [method, path, allow] of [
    ['GET', CHANGE, ['POST']],
    ['HEAD', CHANGE, ['POST']],
    ['DELETE', LOOK, ['GET', 'POST']],
    ['PUT', LOOK, ['GET', 'POST']],
    ['PATCH', CHANGE, ['POST']],
    ['TRACE', LOOK, ['GET', 'POST']],
  ] as const)
    it(`when ${method} ${path} is called, then the response is 405 with the allowed methods`, async () => {
      const { status, headers, json } = await app.call(method, path);
      assert.equal(status, 405);
      for (const verb of allow) assert.ok(listOf(headers.allow).includes(verb), headers.allow);
      assert.ok(!listOf(headers.allow).includes(method));
      if (method !== 'HEAD') {
        assert.equal(json.code, 'rest_ability_invalid_method');
        assert.deepEqual(json.data, { status: 405 });
      }
    });

  for (const [method, path, allow] of [
    ['DELETE', '/api/v2/things', ['GET', 'POST']],
    ['TRACE', '/api/v2/things', ['GET', 'POST']],
    ['POST', '/api/v2/things/a', ['DELETE', 'GET', 'PATCH', 'PUT']],
    ['GET', '/api/v2/keys', ['POST']],
    ['POST', '/abilities/v1', ['GET']],
  ] as const)
    it(`when ${method} ${path} is called, then the response is 405 with the allowed methods`, async () => {
      const { status, headers, json } = await app.call(method, path);
      assert.equal(status, 405);
      assert.equal(json.code, path.startsWith('/api') ? 'rest_invalid_method' : 'rest_ability_invalid_method');
      for (const verb of allow) assert.ok(listOf(headers.allow).includes(verb), headers.allow);
      assert.ok(!listOf(headers.allow).includes(method));
    });

  const READ_ONLY = [
    ['POST', '/healthz'],
    ['TRACE', '/healthz'],
    ['DELETE', '/readyz'],
    ['PUT', '/metrics'],
    ['POST', '/docs'],
    ['PATCH', '/docs/guides/errors'],
    ['POST', '/llms.txt'],
    ['POST', '/openapi/v2.json'],
  ] as const;
  for (const [method, path] of READ_ONLY)
    it(`when ${method} ${path} is called, then the response is 405 with the allowed methods`, async () => {
      const { status, headers, json } = await app.call(method, path, { as: null });
      assert.deepEqual([status, json.code, headers.allow], [405, 'rest_invalid_method', 'GET, HEAD, OPTIONS']);
    });

  it('when OPTIONS is called on a route of the service itself, then the response is 204 with the allowed methods', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics', '/docs', '/openapi/v2.json']) {
      const { status, headers } = await app.call('OPTIONS', path, { as: null });
      assert.deepEqual([status, headers.allow], [204, 'GET, HEAD, OPTIONS'], path);
    }
  });

  it('when a path ends with a slash, then the request succeeds', async () => {
    for (const path of [`${LOOK}/?input[page]=2`, '/api/v2/things/?page=2', '/abilities/v1/', '/abilities/v1/?'])
      assert.equal((await app.call('GET', path)).status, 200, path);
    assert.equal((await app.call('POST', `${CHANGE}/`, { body: { input: { slug: 'a' } } })).status, 200);
  });

  it('when the base path has no slash, then the request succeeds', async () => {
    for (const path of ['/abilities/v1', '/abilities/v1?'])
      assert.equal((await app.call('GET', path)).status, 200, path);
  });

  for (const [path, code] of [
    ['/abilities/v1/svc/Look-around-v1/run', 'rest_ability_not_found'],
    ['/abilities/v1/svc/look-around-v1/RUN', 'rest_no_route'],
    ['/abilities/v1/svc/nothing-like-it-v1/run', 'rest_ability_not_found'],
    ['/abilities/v1/svc/__proto__/run', 'rest_ability_not_found'],
    ['/abilities/v1/nothing', 'rest_no_route'],
    ['/api/v2/Things', 'rest_no_route'],
    ['/api/v2', 'rest_no_route'],
    ['/api/v2/', 'rest_no_route'],
    ['/api/v2/nothing', 'rest_no_route'],
    ['/API/v2/things', 'rest_no_route'],
    ['/nothing', 'rest_no_route'],
    ['/api/v20/things', 'rest_no_route'],
  ] as const)
    it(`when ${path} is called, then the response is 404`, async () => {
      const { status, json } = await app.call('GET', path);
      assert.equal(status, 404);
      assert.equal(json.code, code);
      assert.deepEqual(json.data, { status: 404 });
      assert.deepEqual(Object.keys(json as object), ['code', 'message', 'data']);
    });
});
