import assert from 'node:assert/strict';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/modules';

describe('v2 modules', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 1 });
  });
  after(() => world.close());

  const edit = (active: unknown, options: object = {}, method = 'PUT') =>
    world.request(method, `${BASE}/logs`, { body: { active }, ...options });
  const tagOf = async (): Promise<string> => String((await world.request('GET', `${BASE}/logs`)).headers['etag']);

  it('when modules are listed first, then all are active, sorted by slug and readable', async () => {
    const { body } = await world.request('GET', BASE, { as: 'viewer' });
    const slugs = body.data.map(({ slug }: { slug: string }) => slug) as string[];
    assert.deepEqual(slugs, [
      ...['api-backups', 'comments', 'cost-tracker', 'dashboard-insights', 'domain-monitor', 'logs'],
      ...['perf-audit', 'pro-reports', 'ssl-monitor', 'time-tracker', 'vulnerabilities'],
    ]);
    assert.ok(body.data.every(({ active }: { active: boolean }) => active));
    const { data } = (await world.request('GET', `${BASE}/logs`, { as: 'reader' })).body;
    assert.deepEqual(data, body.data[slugs.indexOf('logs')]);
    assert.deepEqual((await world.request('GET', `${BASE}/logs?_fields=active`)).body.data, { active: true });
    assert.deepEqual(Object.keys((await world.request('GET', `${BASE}?_fields=slug`)).body.data[0]), ['slug']);
  });

  it('when a module is switched, then its operations are too', async () => {
    for (const [method, active] of [
      ['PUT', false],
      ['PATCH', true],
      ['POST', false],
    ] as const) {
      const { body } = await edit(active, {}, method);
      assert.deepEqual([body.success, body.data.slug, body.data.active], [1, 'logs', active]);
      assert.equal((await world.request('GET', `${BASE}/logs`)).body.data.active, active);
    }
    const input = { site_id_or_domain: world.siteId(0) };
    const refused = await world.ability('get-site-changes-v1', input, { expect: 404 });
    assert.equal(refused.code, 'svc_module_not_available');
    await edit(true);
    await world.ability('get-site-changes-v1', input);
  });

  it('when an edit has an outdated ETag, then the module is not switched', async () => {
    const seen = await tagOf();
    const { headers } = await edit(false, { headers: { 'if-match': seen } });
    assert.equal(headers['etag'], await tagOf());
    assert.equal(
      (await edit(true, { headers: { 'if-match': seen }, expect: 412 })).body.code,
      'svc_precondition_failed',
    );
    assert.equal((await world.request('GET', `${BASE}/logs`)).body.data.active, false);
    await world.request('GET', `${BASE}/logs`, { headers: { 'if-none-match': await tagOf() }, expect: 304 });
    await edit(true, { headers: { 'if-match': await tagOf() } });
  });

  it('when the module is unknown, a value is invalid or the right is missing, then the call is rejected', async () => {
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { active: true }],
    ] as const) {
      const answer = await world.request(method, `${BASE}/nope`, { ...(body ? { body } : {}), expect: 404 });
      assert.equal(answer.body.code, 'svc_module_not_found');
    }
    for (const active of ['yes', null, undefined]) {
      const { body } = await edit(active, { expect: 400 });
      assert.deepEqual([body.code, body.data.errors[0].path], ['rest_invalid_param', 'body.active']);
    }
    for (const as of ['viewer', 'reader', 'writer'] as const) await edit(false, { as, expect: 403 });
  });
});
