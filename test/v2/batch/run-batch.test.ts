import assert from 'node:assert/strict';
import type { Dispatch, InnerCall } from '../../../src/http/operation-types.ts';
import { BATCH_ACTIONS, batchActionsOf, type BatchAction } from '../../../src/surfaces/v2/batch/batch-actions.ts';
import { runBatch, type ActionWithItems } from '../../../src/surfaces/v2/batch/run-batch.ts';

const named = (group: string, action: string): BatchAction => {
  const [, , does] = BATCH_ACTIONS.find(([g, a]) => g === group && a === action) ?? assert.fail(`${group}.${action}`);
  return does;
};
const step = (does: BatchAction, ...items: unknown[]): ActionWithItems => ({ does, items });

describe('runBatch', () => {
  /** Returns the calls that the batch sends, and the highest number of concurrent calls. */
  async function sent(steps: ActionWithItems[], limit = 1000) {
    const calls: InnerCall[] = [];
    let open = 0;
    let highest = 0;
    const dispatch: Dispatch = async (call) => {
      calls.push(call);
      highest = Math.max(highest, ++open);
      // Later calls end sooner, so results in the right order prove that the order is kept.
      for (let turn = 0; turn < 200 - calls.length; turn++) await Promise.resolve();
      open--;
      return { status: 200, body: { success: 1, path: call.path } };
    };
    const results = await runBatch(steps, limit, dispatch);
    return { calls, highest, results };
  }
  const lines = (calls: InnerCall[]): string[] =>
    calls.map(({ method, path, body }) => [method, path, body && JSON.stringify(body)].filter(Boolean).join(' '));

  it('when groups and actions are mixed, then they are ordered by group, then by action', () => {
    assert.deepEqual(
      BATCH_ACTIONS.map(([group, action]) => `${group}.${action}`),
      [
        ...['sites.create', 'clients.create', 'updates.create', 'costs.create', 'tags.create'],
        ...['sites.sync', 'sites.reconnect', 'sites.disconnect', 'sites.suspend', 'sites.check', 'sites.remove'],
        ...['sites.security', 'sites.plugins', 'sites.themes', 'sites.non-svc-changes', 'sites.non-mainwp-changes'],
      ],
    );
  });

  it('when items run, then each calls the route of a single record', async () => {
    const steps = BATCH_ACTIONS.filter(([group]) => group !== 'updates').map(([, action, does]) =>
      step(does, action === 'create' ? { name: 'a' } : 12),
    );
    assert.deepEqual(lines((await sent(steps)).calls), [
      ...['sites', 'clients', 'costs', 'tags'].map((group) => `POST /${group}/add {"name":"a"}`),
      ...['sync', 'reconnect', 'disconnect', 'suspend', 'check'].map((verb) => `POST /sites/12/${verb}`),
      'DELETE /sites/12/remove',
      ...['security', 'plugins', 'themes', 'non-svc-changes', 'non-svc-changes'].map((verb) => `GET /sites/12/${verb}`),
    ]);
    for (const group of ['sites', 'clients', 'costs', 'tags'] as const) {
      const { create, update, delete: remove } = batchActionsOf(group);
      const own = [step(create!, { name: 'a' }), step(update!, { id: 7, name: 'b' }), step(remove!, 8)];
      assert.deepEqual(lines((await sent(own)).calls), [
        `POST /${group}/add {"name":"a"}`,
        `POST /${group}/7/edit {"name":"b"}`,
        `DELETE /${group}/8/remove`,
      ]);
    }
    assert.equal(Object.keys(batchActionsOf('sites')).length, 3 + 11);
    assert.deepEqual(Object.keys(batchActionsOf('tags')), ['create', 'update', 'delete']);
  });

  it('when updates are installed, then each item calls the update route of a single site', async () => {
    const install = named('updates', 'create');
    const { calls } = await sent([
      step(
        install,
        { site: 12 },
        { site: 'example.com/blog', type: 'plugins', slugs: ['a/a.php', 'b'] },
        { site: 12, type: 'theme', slugs: 'x,y' },
        { site: 12, type: 'core' },
        { site: 12, type: 'translations' },
      ),
    ]);
    assert.deepEqual(lines(calls), [
      'POST /updates/12/update',
      'POST /updates/example.com%2Fblog/update/plugins {"slug":"a/a.php,b"}',
      'POST /updates/12/update/themes {"slug":"x,y"}',
      'POST /updates/12/update/core',
      'POST /updates/12/update/translations',
    ]);
  });

  it('when an item is invalid, then no call is sent for this item and only this item fails', async () => {
    const install = named('updates', 'create');
    const { update } = batchActionsOf('tags');
    const broken: [unknown, string][] = [
      [{}, 'body.site'],
      [{ site: 0 }, 'body.site'],
      [{ site: '' }, 'body.site'],
      [{ site: [12] }, 'body.site'],
      [{ site: 12, type: 'everything' }, 'body.type'],
      [{ site: 12, type: ['core'] }, 'body.type'],
      [{ site: 12, type: null }, 'body.type'],
      [{ site: 12, slugs: 'a' }, 'body.slugs'],
      [{ site: 12, type: 'core', slugs: 'a' }, 'body.slugs'],
      [{ site: 12, type: 'plugins', slugs: [1] }, 'body.slugs'],
      [{ site: 12, type: 'plugins', slugs: { 0: 'a' } }, 'body.slugs'],
      [{ site: 12, slug: 'a' }, 'body.slug'],
      [12, 'body'],
      [null, 'body'],
      [[12], 'body'],
    ];
    const changes = [{ name: 'x' }, { id: '7' }, { id: 0 }, { id: 1.5 }, { id: null }, 7, null];
    const { calls, results } = await sent([
      step(install, ...broken.map(([item]) => item), { site: 12 }),
      step(update!, ...changes, { id: 9 }),
    ]);
    assert.deepEqual(lines(calls), ['POST /updates/12/update', 'POST /tags/9/edit {}']);
    const [installs = [], edits = []] = results as { id: number; error: { code: string; data: never } }[][];
    for (const [at, [item, path]] of broken.entries()) {
      const { id, error } = installs[at] as { id: number; error: { code: string; data: Record<string, unknown> } };
      const [first] = error.data['errors'] as { path: string }[];
      assert.deepEqual(
        [id, error.code, error.data['status'], first?.path],
        [0, 'rest_invalid_param', 400, path],
        JSON.stringify(item),
      );
    }
    assert.deepEqual(
      edits.slice(0, -1).map(({ error }) => error.code),
      changes.map(() => 'rest_invalid_param'),
    );
    assert.deepEqual(installs.at(-1), { success: 1, path: '/updates/12/update' });
  });

  it('when an item is no ID, then no call is sent for it', async () => {
    const ids = ['12', 0, -1, 1.5, null, { id: 12 }];
    const { calls, results } = await sent([step(named('sites', 'sync'), ...ids, 12)]);
    assert.deepEqual(lines(calls), ['POST /sites/12/sync']);
    for (const result of results[0]?.slice(0, -1) ?? [])
      assert.equal((result['error'] as { code: string }).code, 'rest_invalid_param');
  });

  it('when calls contact sites, then they run in parallel, others in sequence; results keep the order', async () => {
    const ids = Array.from({ length: 50 }, (_, n) => n + 1);
    const { highest, results } = await sent([step(named('sites', 'sync'), ...ids)]);
    assert.equal(highest, 32);
    assert.deepEqual(
      results[0]?.map(({ path }) => path),
      ids.map((id) => `/sites/${id}/sync`),
    );
    for (const action of ['disconnect', 'suspend', 'security', 'plugins'])
      assert.equal((await sent([step(named('sites', action), ...ids)])).highest, 1, action);
    for (const group of ['clients', 'costs', 'tags'])
      assert.equal((await sent([step(named(group, 'create'), ...ids.map(() => ({})))])).highest, 1, group);
    const { calls } = await sent([step(named('sites', 'sync'), 1, 2), step(named('sites', 'suspend'), 1)]);
    assert.equal(calls.at(-1)?.path, '/sites/1/suspend', 'a step waits for the one before');
  });

  it('when there are no items or too many, then no call is sent', async () => {
    const steps = [step(named('sites', 'sync'), 1, 2), step(named('tags', 'create'), {}, {})];
    assert.equal((await sent(steps, 4)).calls.length, 4);
    const dispatch: Dispatch = () => assert.fail('nothing may run');
    await assert.rejects(runBatch(steps, 3, dispatch), { code: 'svc_request_too_large', status: 413 });
    for (const none of [[], [step(named('sites', 'sync'))]])
      await assert.rejects(runBatch(none, 3, dispatch), { code: 'svc_rest_empty_batch', status: 400 });
  });

  it('when a call fails, then its error has the given ID, or 0 for a record to be created', async () => {
    const error = { code: 'svc_tag_not_found', message: 'No.', data: { status: 404 } };
    const { update, delete: remove, create } = batchActionsOf('tags');
    const refusing: Dispatch = async () => ({ status: 404, body: error });
    const results = await runBatch([step(create!, {}), step(update!, { id: 7 }), step(remove!, 8)], 9, refusing);
    assert.deepEqual(results, [[{ id: 0, error }], [{ id: 7, error }], [{ id: 8, error }]]);
  });
});
