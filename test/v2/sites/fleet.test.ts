import assert from 'node:assert/strict';
import { BETA, installInactivePlugins } from '../../support/inventory.ts';
import { restoreSites } from '../../support/sites.ts';
import { startWorld, type CallOptions, type World } from '../../support/world.ts';

const BASE = '/api/v2/sites';

describe('v2 calls over several sites', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 4 });
  });
  after(() => world.close());
  beforeEach(() => restoreSites(world));

  const post = async (path: string, options: object = {}) =>
    (await world.request('POST', `${BASE}${path}`, options)).body;
  const codes = (errors: { identifier: unknown; code: string }[]) =>
    errors.map(({ identifier, code }) => [identifier, code]);

  it('when sites are synced, then all connected or given sites are, each with its result', async () => {
    const [first, second, third, fourth] = world.siteIds as [number, number, number, number];
    await post(`/${first}/suspend`);
    world.site(1).fault = { kind: 'refuse' };
    const all = await post('/sync');
    assert.deepEqual(Object.keys(all.data), [second, third, fourth].map(String));
    assert.deepEqual([all.data[second].result, all.data[third].result, all.total], ['failed', 'success', 3]);
    assert.equal(all.data[third].url, world.site(2).url);
    assert.deepEqual(codes(all.errors), [[second, 'svc_site_unreachable']]);
    const named = await post(`/sync?include=${first}`, { body: { include: [third, 999], exclude: [fourth] } });
    assert.deepEqual([named.data[first].result, named.data[third].result, named.total], ['failed', 'success', 2]);
    assert.deepEqual(
      codes(named.errors).sort(),
      [
        [999, 'svc_site_not_found'],
        [first, 'svc_site_suspended'],
      ].sort(),
    );
    const less = await post(`/sync?exclude=${second}`, { body: { exclude: [third] } });
    assert.deepEqual(Object.keys(less.data), [String(fourth)]);
  });

  it('when sites are checked, then the web server of each is checked, even if suspended', async () => {
    const [first, second] = world.siteIds as [number, number];
    await post(`/${first}/suspend`);
    world.site(1).fault = { kind: 'refuse' };
    const all = await post('/check', { body: {} });
    const { id, name, client_id, status, http_code } = all.data[first];
    assert.deepEqual([id, typeof name, client_id, status, http_code], [first, 'string', null, 1, 200]);
    assert.deepEqual([all.data[second].status, all.data[second].http_code, all.total], [0, 0, 4]);
    const one = await post(`/${first}/check`);
    assert.deepEqual([one.data.id, one.data.status, one.data.http_code], [first, 1, 200]);
    world.site(0).fault = { kind: 'raw', status: 503, body: 'Briefly unavailable for scheduled maintenance.' };
    const down = await post(`/${first}/check`);
    assert.deepEqual([down.data.status, down.data.http_code], [0, 503]);
    const both = await post('/check', { body: { include: [first] } });
    assert.deepEqual([both.data[first].status, both.data[first].http_code], [0, 503]);
    await post('/99999/check', { expect: 404 });
  });

  it('when no site is given, then disconnect is rejected and reconnect takes all disconnected sites', async () => {
    const [first, second, third] = world.siteIds as [number, number, number];
    for (const body of [{}, { include: [] }, { exclude: [first] }]) {
      const refused = await post('/disconnect', { body, expect: 400 });
      assert.deepEqual([refused.code, refused.data.errors[0].path], ['rest_invalid_param', 'body.include']);
    }
    await post('/disconnect', { expect: 400 });
    const gone = await post(`/disconnect?include=${first},${second},999`, { body: { exclude: [second] } });
    assert.deepEqual([gone.data, codes(gone.errors)], [{ [first]: 'success' }, [[999, 'svc_site_not_found']]]);
    await post(`/${third}/disconnect`);
    world.site(2).fault = { kind: 'refuse' };
    const back = await post('/reconnect');
    assert.deepEqual(back.data, { [first]: 'success', [third]: 'failed' });
    assert.deepEqual(codes(back.errors), [[third, 'svc_site_unreachable']]);
    assert.deepEqual((await post('/reconnect', { body: { exclude: [third] } })).data, {});
  });

  it('when the input is invalid or the right is missing, then the call is rejected', async () => {
    for (const verb of ['sync', 'check', 'reconnect', 'disconnect']) {
      const refused = await post(`/${verb}`, { body: { include: ['x'], all: true }, expect: 400 });
      const paths = refused.data.errors.map(({ path }: { path: string }) => path).sort();
      assert.deepEqual(paths, ['body.all', 'body.include.0']);
      await post(`/${verb}?include=x`, { expect: 400 });
      await post(`/${verb}`, { body: { include: [world.siteId(0)] }, as: 'reader', expect: 403 });
    }
  });

  it('when the state of a site is changed twice, then the second call returns the same', async () => {
    const id = world.siteId(0);
    for (const [verb, status, suspended] of [
      ['suspend', 'suspended', 1],
      ['suspend', 'suspended', 1],
      ['unsuspend', 'connected', 0],
      ['unsuspend', 'connected', 0],
      ['disconnect', 'disconnected', undefined],
      ['disconnect', 'disconnected', undefined],
      ['unsuspend', 'disconnected', 0],
      ['reconnect', 'connected', undefined],
    ] as const) {
      const answer = await post(`/${id}/${verb}`);
      assert.deepEqual([answer.success, answer.data.status, answer.suspended], [1, status, suspended], verb);
    }
    const { data } = await post(`/${id}/sync`);
    assert.deepEqual([data.id, data.sync_errors], [id, []]);
  });

  it('when a sync or another change fails, then sync_errors has the error of the sync until the next one', async () => {
    const id = world.siteId(0);
    const site = { site_id_or_domain: id };
    const stored = async () => {
      const { data } = (await world.request('GET', `${BASE}/${id}`)).body;
      return data.sync_errors.map(({ code }: { code: string }) => code);
    };
    const activate = (options: CallOptions = {}) =>
      world.ability('activate-site-plugins-v1', { ...site, slugs: [BETA] }, options);
    installInactivePlugins(world.site(0));
    await post(`/${id}/sync`);
    world.site(0).fault = { kind: 'challenge' };
    await activate({ expect: 502 });
    assert.deepEqual(await stored(), []);
    await post(`/${id}/sync`, { expect: 502 });
    world.site(0).fault = null;
    await activate();
    assert.deepEqual(await stored(), ['svc_site_refused']);
    await post(`/${id}/sync`);
    assert.deepEqual(await stored(), []);
  });

  it('when one site is suspended, disconnected, down or unknown, then the error has the reason', async () => {
    const id = world.siteId(0);
    await post(`/${id}/suspend`);
    assert.equal((await post(`/${id}/sync`, { expect: 409 })).code, 'svc_site_suspended');
    assert.equal((await post(`/${id}/reconnect`, { expect: 409 })).code, 'svc_site_suspended');
    await post(`/${id}/disconnect`);
    assert.equal((await post(`/${id}/sync`, { expect: 409 })).code, 'svc_site_disconnected');
    await post(`/${id}/reconnect`);
    world.site(0).fault = { kind: 'refuse' };
    assert.equal((await post(`/${id}/sync`, { expect: 503 })).code, 'svc_site_unreachable');
    await post(`/${id}/reconnect`, { expect: 503 });
    const { data } = (await world.request('GET', `${BASE}/${id}`)).body;
    assert.deepEqual([data.status, data.sync_errors[0].code], ['connected', 'svc_site_unreachable']);
    for (const verb of ['sync', 'reconnect', 'disconnect', 'suspend', 'unsuspend']) {
      assert.equal((await post(`/99999/${verb}`, { expect: 404 })).code, 'svc_site_not_found');
      await post(`/${id}/${verb}`, { as: 'reader', expect: 403 });
    }
  });
});

describe('v2 calls over more than 200 sites', () => {
  it('when sites are disconnected, then the call is queued, and the job disconnects them', async () => {
    const world = await startWorld({ sites: 1 });
    try {
      const { knex } = world.container.database;
      const rows = Array.from({ length: 201 }, (_, index) => ({
        url: `https://queued-${index}.example/`,
        url_key: `queued-${index}.example`,
        name: `Queued ${index}`,
        name_key: `queued ${index}`,
        status: 'connected',
        client_id: null,
        created_at: 1,
        updated_at: 1,
      }));
      for (let start = 0; start < rows.length; start += 50) await knex('sites').insert(rows.slice(start, start + 50));
      const include = await knex('sites').where('url_key', 'like', 'queued-%').pluck<number[]>('id');
      const { body } = await world.request('POST', `${BASE}/disconnect`, { body: { include: [...include, 99_999] } });
      assert.deepEqual([body.success, body.total, body.errors.length], [1, 201, 1]);
      assert.equal(body.status_url, `${world.url}/api/v2/jobs/${body.job_id}`);
      const job = await world.finishedJob(body.job_id);
      assert.deepEqual([job.data.type, job.data.succeeded], ['disconnect', 201]);
    } finally {
      await world.close();
    }
  });
});
