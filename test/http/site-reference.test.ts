import assert from 'node:assert/strict';
import type { Schema } from '../../src/contract/index.ts';
import type { Dispatch } from '../../src/http/operation-types.ts';
import { NotFoundError } from '../../src/shared/errors.ts';
import { bearer, startSmallApp, type RequestOptions, type SmallApp } from './small-app.ts';
import { smallAbilities, smallRoutes } from './small-contract.ts';

const CHANGE = '/abilities/v1/svc/change-thing-v1/run';

/** The small contracts with a site reference in the path of a route and in the input of an ability. */
function contracts() {
  const [abilities, routes] = [structuredClone(smallAbilities()), structuredClone(smallRoutes())];
  const { properties = {} } = (abilities.components['schemas']?.['ChangeInput'] ?? assert.fail()) as Schema;
  properties['site'] = { type: 'string', 'x-site': true };
  properties['confirm'] = { type: 'boolean' };
  properties['dry_run'] = { type: 'boolean' };
  const [ref, touched] = ['/things/{ref}', '/things/{ref}/touch'].map((path) => {
    const item = routes.paths[path] ?? assert.fail();
    item.parameters = structuredClone(item.parameters ?? assert.fail());
    return item.parameters[0];
  });
  Object.assign(ref ?? assert.fail(), { 'x-site': true });
  const noSuchSite = { code: 'svc_monitor_not_found', message: 'No monitor.' };
  Object.assign(touched ?? assert.fail(), { 'x-site': noSuchSite });
  return { abilities, routes };
}

describe('site reference of a call', () => {
  let app: SmallApp;
  let sought: unknown[];
  const thing = { status: 200, body: { path: {}, query: {} } };
  const handled: unknown[] = [];
  before(async () => {
    app = await startSmallApp({
      contracts: contracts(),
      responseChecks: 'off',
      siteOf: async (_scope, reference) => {
        sought.push(reference);
        if (reference === 'nowhere') throw new NotFoundError('svc_site_not_found', 'No site matches this reference.');
        return { id: 7 };
      },
      handlers: {
        'change-thing-v1': async (_input: unknown, { site }: { site: unknown }) => (handled.push(site), { input: {} }),
        things_edit: async ({ site }: { site: unknown }) => (handled.push(site), thing),
        things_touch: async ({ site }: { site: unknown }) => (handled.push(site), thing),
        things_list: async (request: object) => (handled.push('site' in request), thing),
        things_create: async ({ dispatch }: { dispatch: Dispatch }) => ({
          status: 200,
          body: { inner: await dispatch({ method: 'DELETE', path: '/things/nowhere' }) },
        }),
      },
    });
  });
  beforeEach(() => {
    sought = [];
    handled.length = 0;
  });
  after(() => app.close());

  const edit = (ref: string, asking: RequestOptions = {}) =>
    app.call('PUT', `/api/v2/things/${ref}`, { body: {}, ...asking });
  const change = (input: object, asking: RequestOptions = {}) =>
    app.call('POST', CHANGE, { body: { input: { slug: 'a', ...input } }, ...asking });

  it('when the caller names a site, then it is resolved once and passed to the handler', async () => {
    assert.equal((await edit('shop.example')).status, 200);
    assert.equal((await change({ site: 'blog.example', confirm: true })).status, 200);
    assert.deepEqual(sought, ['shop.example', 'blog.example']);
    assert.deepEqual(handled, [{ id: 7 }, { id: 7 }]);
  });

  it('when the site is optional and omitted, then it is null, and other calls have no site', async () => {
    assert.equal((await change({ confirm: true })).status, 200);
    assert.equal((await app.call('GET', '/api/v2/things')).status, 200);
    assert.deepEqual([sought, handled], [[], [null, false]]);
  });

  it('when permission, input or confirmation is wrong, then the site is not resolved', async () => {
    assert.equal((await edit('nowhere', { as: bearer('reads') })).status, 403);
    assert.equal((await edit('nowhere', { body: { size: 'x' } })).status, 400);
    const unconfirmed = await change({ site: 'nowhere' });
    assert.deepEqual([unconfirmed.status, unconfirmed.json.code], [400, 'svc_confirmation_required']);
    assert.deepEqual(unconfirmed.json.data.errors, [{ path: 'input.confirm', message: 'must be true' }]);
    assert.deepEqual(sought, []);
    for (const answer of [await edit('nowhere'), await change({ site: 'nowhere', dry_run: true })])
      assert.deepEqual([answer.status, answer.json.code], [404, 'svc_site_not_found']);
    assert.deepEqual(handled, []);
  });

  it('when the operation has its own name for sites, then the error uses it', async () => {
    assert.equal((await app.call('POST', '/api/v2/things/shop.example/touch')).status, 200);
    const { status, json } = await app.call('POST', '/api/v2/things/nowhere/touch');
    assert.deepEqual([status, json.code, json.message], [404, 'svc_monitor_not_found', 'No monitor.']);
    assert.deepEqual([sought, handled], [['shop.example', 'nowhere'], [{ id: 7 }]]);
  });

  it('when a batch is called, then each inner call resolves its own site', async () => {
    const { json } = await app.call('POST', '/api/v2/things', { body: { name: 'a' } });
    assert.deepEqual([json.inner.status, json.inner.body.code], [404, 'svc_site_not_found']);
    assert.deepEqual(sought, ['nowhere']);
  });
});
