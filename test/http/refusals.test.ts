import assert from 'node:assert/strict';
import { basic, bearer, startSmallApp, type SmallApp, withSmallApp } from './small-app.ts';

const LOOK = '/abilities/v1/svc/look-around-v1/run';
const CHANGE = '/abilities/v1/svc/change-thing-v1/run';
const change = { body: { input: { slug: 'a' } } };
const thing = { body: { name: 'a' } };

describe('credentials', () => {
  let app: SmallApp;
  withSmallApp((started) => (app = started));

  for (const [what, method, path, asking] of [
    ['an ability', 'GET', LOOK, {}],
    ['a route', 'GET', '/api/v2/things', {}],
    ['discovery', 'GET', '/abilities/v1', {}],
    ['an unknown ability', 'GET', '/abilities/v1/svc/nothing-v1/run', {}],
    ['an unknown route', 'GET', '/api/v2/nothing', {}],
    ['an unknown part of the abilities', 'GET', '/abilities/v1/nothing', {}],
    ['a wrong method', 'PUT', LOOK, {}],
    ['a wrong method of a route', 'DELETE', '/api/v2/things', {}],
    ['a body that is not JSON', 'POST', LOOK, { body: '{' }],
    ['a wrong media type', 'POST', '/api/v2/things', { body: 'a=b', headers: { 'content-type': 'text/plain' } }],
    ['a wrong input', 'GET', `${LOOK}?input[nope]=1`, {}],
    ['HEAD', 'HEAD', LOOK, {}],
    ['a method nobody knows', 'PROPFIND', '/api/v2/things', {}],
  ] as const)
    it(`when a credential is missing or wrong, then ${what} responds with 401 before any other check`, async () => {
      for (const as of [null, basic('admin', 'wrong'), bearer('wrong'), 'Digest x', 'Basic', 'Bearer ']) {
        const { status, headers, json } = await app.call(method, path, { as, ...asking });
        assert.equal(status, 401);
        assert.match(headers['www-authenticate'] ?? '', /Basic realm="[^"]+".*Bearer realm=/);
        if (method !== 'HEAD') assert.deepEqual([json.code, json.data], ['svc_unauthenticated', { status: 401 }]);
      }
      assert.deepEqual(app.handledOperations, []);
    });

  it('when a credential is Basic or Bearer, then both surfaces accept it', async () => {
    for (const as of [basic('admin'), bearer('full'), 'bearer  full', basic('admin').replace('Basic', 'bAsIc')])
      for (const path of [LOOK, '/api/v2/things']) assert.equal((await app.call('GET', path, { as })).status, 200, as);
  });
});

describe('permissions', () => {
  let app: SmallApp;
  withSmallApp((started) => (app = started));

  const CALLS = {
    'reads by an ability': () => ['GET', LOOK, {}] as const,
    'reads by an ability over POST': () => ['POST', LOOK, {}] as const,
    'changes by an ability': () => ['POST', CHANGE, change] as const,
    'reads a route': () => ['GET', '/api/v2/things', {}] as const,
    'creates by a route': () => ['POST', '/api/v2/things', thing] as const,
    'deletes by a route': () => ['DELETE', '/api/v2/things/a', {}] as const,
    'administers by a route': () => ['POST', '/api/v2/keys', thing] as const,
  };
  const NEEDED: Record<Kind, string> = {
    'reads by an ability': 'sites:read',
    'reads by an ability over POST': 'sites:read',
    'changes by an ability': 'sites:write',
    'reads a route': 'tags:read',
    'creates by a route': 'tags:write',
    'deletes by a route': 'tags:write',
    'administers by a route': 'access:manage',
  };
  type Kind = keyof typeof CALLS;
  const READS: Kind[] = ['reads by an ability', 'reads by an ability over POST', 'reads a route'];
  const WRITES: Kind[] = ['changes by an ability', 'creates by a route', 'deletes by a route'];
  const ALL = Object.keys(CALLS) as Kind[];

  for (const [who, as, allowed] of [
    ['an administrator', basic('admin'), ALL],
    ['a viewer', basic('viewer'), READS],
    ['a key with both scopes', bearer('full'), ALL],
    ['a read-only key', bearer('reads'), READS],
    ['a write-only key', bearer('writes'), WRITES],
  ] as const)
    for (const kind of ALL)
      it(`when ${who} ${kind}, then the response is ${allowed.includes(kind) ? 200 : 403}`, async () => {
        const [method, path, asking] = CALLS[kind]();
        const reached = app.handledOperations.length;
        const { status, json } = await app.call(method, path, { ...asking, as });
        if (allowed.includes(kind)) return assert.equal(status, 200);
        assert.equal(status, 403);
        assert.deepEqual([json.code, json.data.permission], ['svc_permission_denied', NEEDED[kind]]);
        assert.equal(app.handledOperations.length, reached);
      });

  it('when a permission is missing, then the input is not validated and the audited call is logged', async () => {
    for (const [method, path, body] of [
      ['POST', CHANGE, { input: { nope: 1 } }],
      ['POST', '/api/v2/things', { nope: 1 }],
      ['POST', '/api/v2/keys', { nope: 1 }],
    ] as const) {
      assert.equal((await app.call(method, path, { body })).status, 400);
      assert.equal((await app.call(method, path, { body, as: basic('viewer') })).status, 403);
    }
    const audited = app.logs.filter(({ audit, user }) => audit === true && user === 'password:2');
    assert.ok(audited.length > 0 && audited.every(({ status }) => status === 403));
  });
});

describe('modules', () => {
  it('when a module is disabled, then its operations respond with 404 for any credential', async () => {
    const active = new Set<string>();
    const app = await startSmallApp({ modules: { isActive: async (slug) => active.has(slug) } });
    const calls = [
      ['POST', '/abilities/v1/svc/read-logs-v1/run'],
      ['GET', '/api/v2/logs'],
    ] as const;
    for (const [method, path] of calls) {
      const { status, json } = await app.call(method, path);
      assert.equal(status, 404);
      assert.deepEqual([json.code, json.data], ['svc_module_not_available', { status: 404 }]);
    }
    assert.deepEqual(app.handledOperations, []);
    active.add('logs');
    for (const [method, path] of calls) assert.equal((await app.call(method, path)).status, 200);
    await app.close();
  });

  it('when a module is disabled and the caller has no permission, then the response is 403', async () => {
    const app = await startSmallApp({ modules: { isActive: async () => false } });
    assert.equal((await app.call('GET', '/api/v2/logs', { as: bearer('writes') })).status, 403);
    await app.close();
  });
});

describe('unexpected errors', () => {
  const SECRET = "select * from users where name = 'x' - /srv/sitefleet/src/db/database.ts:12 SQLITE_BUSY";
  const faults: [string, () => unknown][] = [
    ['an error', () => new Error(SECRET)],
    ['an error with a status', () => Object.assign(new Error(SECRET), { status: 418, headers: {} })],
    ['an error with a status of 500', () => Object.assign(new Error(SECRET), { status: 500 })],
    ['a string', () => SECRET],
    ['null', () => null],
    ['undefined', () => undefined],
  ];
  for (const [what, fault] of faults)
    it(`when ${what} is thrown, then its text is logged and not returned`, async () => {
      const failing = async (): Promise<never> => {
        throw fault();
      };
      const app = await startSmallApp({ handlers: { 'look-around-v1': failing, things_list: failing } });
      for (const path of [LOOK, '/api/v2/things']) {
        const { status, json, headers } = await app.call('GET', path);
        assert.equal(status, 500);
        assert.deepEqual(json, {
          code: 'svc_internal_error',
          message: 'Something went wrong on our side.',
          data: { status: 500 },
        });
        const line = app.logs.find(
          ({ msg, request_id }) => msg === 'request failed' && request_id === headers['x-request-id'],
        );
        assert.ok(line, 'the fault is logged under its request');
        if (fault() instanceof Error) assert.ok(JSON.stringify(line).includes(SECRET));
      }
      await app.close();
    });

  it('when the credential check throws, then its text is not returned', async () => {
    const broken = async (): Promise<never> => Promise.reject(new Error(SECRET));
    const app = await startSmallApp({
      credentials: { byKey: broken, byPassword: broken, isStillAllowed: () => false },
    });
    for (const path of [LOOK, '/api/v2/things']) {
      const { status, text, json } = await app.call('GET', path);
      assert.equal(status, 500);
      assert.equal(json.code, 'svc_internal_error');
      assert.ok(!text.includes('select'));
    }
    await app.close();
  });
});
