import assert from 'node:assert/strict';
import type { Fault } from '../../../src/sandbox/faults.ts';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import { freshGuardedSite, INSTALL, startGuardedWorld, versionOf } from '../../support/guarded-sites.ts';
import { ALPHA_FILE } from '../../support/packages.ts';
import type { World } from '../../support/world.ts';

const SWITCH = 'plugin_action';

describe('careful updates whose calls fail', () => {
  let world: World;
  let close: () => Promise<void>;

  before(async () => {
    ({ world, close } = await startGuardedWorld(12, { lookAgainMs: [1_500, 3_000] }));
  });
  after(() => close());

  const runWith = async (...faults: Fault[]) => {
    const { id, site } = await freshGuardedSite(world);
    site.faultQueue.push(...faults);
    const body = { include: [id], guard: 'careful' };
    const { data, errors } = (await world.request('POST', '/api/v2/updates/update', { body })).body;
    return { site, updated: data.map(({ new_version: version }: { new_version: string }) => version), errors };
  };
  const stateOf = (site: SimulatedSite): unknown[] => [versionOf(site), site.state.plugins.get(ALPHA_FILE)?.active];
  /** Lets one call of the function pass, so that the next entry of the queue is for the call after it. */
  const pass = (name: string): Fault => ({ kind: 'late', ms: 0, function: name });

  it('when the site deactivates the plugin after the call broke off, then the plugin is activated later', async () => {
    const { site, updated, errors } = await runWith({ kind: 'goes-on', doneMs: 700, function: SWITCH });
    assert.deepEqual([updated, errors[0].code, site.countOf(INSTALL)], [[], 'svc_update_failed', 0]);
    assert.deepEqual(stateOf(site), ['1.0', true]);
  });

  it('when the installation is refused, then the plugin is active in the old version', async () => {
    const { site, updated, errors } = await runWith({
      kind: 'raw',
      status: 403,
      body: '',
      function: INSTALL,
      times: 9,
    });
    assert.deepEqual([updated, errors.length], [[], 1]);
    assert.deepEqual(stateOf(site), ['1.0', true]);
  });

  it('when the installation never ends, then the plugin is active in the old version after the last look', async () => {
    const { site, updated, errors } = await runWith({
      kind: 'raw',
      status: 504,
      body: '',
      function: INSTALL,
      times: 9,
    });
    assert.deepEqual([updated, errors[0].code], [[], 'svc_update_failed']);
    assert.deepEqual(stateOf(site), ['1.0', true]);
  });

  it('when the old version cannot be activated at once, then it is activated at a later look', async () => {
    const { site, errors } = await runWith(
      { kind: 'raw', status: 500, body: '', function: INSTALL, times: 2 },
      pass(SWITCH),
      // The call goes to both endpoints of the site.
      { kind: 'raw', status: 403, body: '', function: SWITCH, times: 4 },
    );
    assert.deepEqual([errors[0].code, ...stateOf(site)], ['svc_update_failed', '1.0', true]);
  });

  it('when the call that activates the new version breaks off once, then it is repeated', async () => {
    const { site, updated, errors } = await runWith(pass(SWITCH), { kind: 'refuse', function: SWITCH });
    assert.deepEqual([updated, errors], [['1.2'], []]);
    assert.deepEqual(stateOf(site), ['1.2', true]);
  });

  for (const { answer, ...fault } of [
    // After a 429, the call goes to the second endpoint of the site, but not after a 503.
    { answer: 'HTTP 429', status: 429, body: '', times: 2 },
    { answer: 'a 503 with a time to retry', status: 503, body: '', headers: { 'retry-after': '1' }, times: 1 },
  ])
    it(`when the call that activates the new version gets ${answer}, then it is repeated at a later look`, async () => {
      const { site, updated, errors } = await runWith(pass(SWITCH), { ...{ kind: 'raw', function: SWITCH }, ...fault });
      assert.deepEqual([updated, errors], [['1.2'], []]);
      assert.deepEqual(stateOf(site), ['1.2', true]);
    });

  it('when the site is not read once after the update, then the activation is not left to the removal', async () => {
    const { site, updated, errors } = await runWith(
      pass('stats'),
      // Each call goes to both endpoints of the site.
      { kind: 'raw', status: 403, body: '', function: 'stats', times: 2 },
      pass(SWITCH),
      { kind: 'raw', status: 403, body: '', function: SWITCH, times: 2 },
    );
    assert.deepEqual([updated, errors], [['1.2'], []]);
    assert.deepEqual(stateOf(site), ['1.2', true]);
  });

  it('when the new version deactivates itself, then the old version is put back and active', async () => {
    const { id, site } = await freshGuardedSite(world);
    site.defects.deactivatesItself.add(ALPHA_FILE);
    const body = { include: [id], guard: 'careful' };
    const { data, errors } = (await world.request('POST', '/api/v2/updates/update', { body })).body;
    assert.deepEqual([data, errors[0].code, errors[0].rollback.left], [[], 'svc_rolled_back', ['database']]);
    assert.deepEqual([errors[0].rollback.probe, ...stateOf(site)], [null, '1.0', true]);
  });

  it('when only the removal activates the old version, then the rollback is done', async () => {
    const { id, site } = await freshGuardedSite(world);
    site.defects.unparsable.add(ALPHA_FILE);
    // The calls deactivate the plugin, and fail to activate the new version. The next one goes to both endpoints.
    site.faultQueue.push(pass(SWITCH), pass(SWITCH), {
      kind: 'raw',
      status: 403,
      body: '',
      function: SWITCH,
      times: 2,
    });
    const body = { include: [id], guard: 'careful' };
    const [{ code, rollback }] = (await world.request('POST', '/api/v2/updates/update', { body })).body.errors;
    assert.deepEqual([code, rollback.result, rollback.left], ['svc_rolled_back', 'done', ['database']]);
    assert.deepEqual(stateOf(site), ['1.0', true]);
  });
});
