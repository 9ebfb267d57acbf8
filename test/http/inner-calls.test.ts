import assert from 'node:assert/strict';
import type { Dispatch, InnerCall } from '../../src/http/operation-types.ts';
import { basic, bearer, startSmallApp, type SmallApp } from './small-app.ts';

type InnerResponse = {
  status: number;
  body: { code?: string; data?: { errors?: { path: string }[] } } & Record<string, unknown>;
};

describe('inner call of a batch', () => {
  const off = new Set<string>();
  let app: SmallApp;
  before(async () => {
    app = await startSmallApp({
      modules: { isActive: async (module) => !off.has(module) },
      responseChecks: 'off',
      handlers: {
        things_create: async ({ body, dispatch }: { body: { name: string }; dispatch: Dispatch }) => {
          const calls = JSON.parse(body.name) as InnerCall[];
          return { status: 200, body: await Promise.all(calls.map((call) => dispatch(call))) };
        },
        things_delete: async () => {
          throw new Error('a secret text');
        },
        things_basic: async ({ ifMatch, requestId }: { ifMatch: unknown; requestId: string }) => ({
          status: 200,
          body: { ifMatch: ifMatch ?? null, requestId },
        }),
      },
    });
  });
  after(() => app.close());

  const inside = async (as: string, ...calls: InnerCall[]): Promise<InnerResponse[]> => {
    const body = { name: JSON.stringify(calls) };
    const headers = {
      'idempotency-key': 'outer-key-0001',
      'if-match': '"outer"',
      'x-request-id': 'outer-request-0001',
    };
    return (await app.call('POST', '/api/v2/things', { as, body, headers })).json as InnerResponse[];
  };
  const inside1 = async (call: InnerCall, as = basic('admin')): Promise<InnerResponse> =>
    (await inside(as, call))[0] as InnerResponse;

  it('when an inner call is made, then it is validated, coerced and gets defaults like a separate call', async () => {
    const { status, body } = await inside1({ method: 'GET', path: '/things/a%2Fb' });
    assert.deepEqual([status, body['path']], [200, { ref: 'a/b' }]);
    const list = await inside1({ method: 'GET', path: '/things' });
    assert.deepEqual(list.body['query'], { page: 1, full_data: false });
    const bad = await inside1({ method: 'POST', path: '/keys', body: { size: 0 } });
    assert.deepEqual([bad.status, bad.body.code], [400, 'rest_invalid_param']);
    assert.deepEqual(bad.body.data?.errors?.map(({ path }) => path).sort(), ['body.name', 'body.size']);
    const good = await inside1({ method: 'POST', path: '/keys', body: { name: 'a' } });
    assert.deepEqual(good.body['body'], { name: 'a', size: 3 });
    for (const [method, path, status] of [
      ['GET', '/nothing', 404],
      ['DELETE', '/things', 405],
    ] as const)
      assert.equal((await inside1({ method, path })).status, status);
  });

  it('when permission or module is missing for an inner call, then only that call is rejected', async () => {
    const key = { method: 'POST', path: '/keys', body: { name: 'a' } } as const;
    const logs = { method: 'GET', path: '/logs' } as const;
    const statuses = async (as: string) => (await inside(as, key, logs)).map(({ status }) => status);
    assert.deepEqual(await statuses(bearer('full')), [200, 200]);
    assert.deepEqual(
      await statuses(bearer('writes')),
      [403, 403],
      'not an administrator by its scope, and may not read',
    );
    off.add('logs');
    const [, refused] = await inside(bearer('full'), key, logs);
    assert.deepEqual([refused?.status, refused?.body.code], [404, 'svc_module_not_available']);
    off.clear();
  });

  it('when an inner call is made, then it has the caller and request ID of the outer call and no other headers', async () => {
    const { body } = await inside1({ method: 'GET', path: '/things/basic' });
    assert.deepEqual(body, { ifMatch: null, requestId: 'outer-request-0001' });
  });

  it('when an inner call fails unexpectedly, then the response omits the error text and the error is logged', async () => {
    const { status, body } = await inside1({ method: 'DELETE', path: '/things/1' });
    assert.deepEqual([status, body.code], [500, 'svc_internal_error']);
    assert.ok(!JSON.stringify(body).includes('secret'));
    assert.ok(app.logs.some(({ msg }) => msg === 'call failed'));
  });
});
