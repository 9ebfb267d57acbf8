import assert from 'node:assert/strict';
import { InventoryBench, CHILD_PLUGIN, itemErrorCodes, plugin } from './support.ts';

describe('plugin actions', () => {
  let bench: InventoryBench;
  before(async () => {
    bench = await InventoryBench.open();
  });
  after(() => bench.testDatabase.close());
  beforeEach(() => bench.reset());

  it('when plugins are activated, then one call is made, the returned state is stored and the change is logged', async () => {
    await bench.sync([plugin('a/a.php'), plugin('b/b.php'), plugin('c/c.php')]);
    const outcome = await bench.service.activatePlugins(bench.siteId, ['b/b.php', 'a/a.php', 'b/b.php'], 'anna');
    assert.deepEqual(outcome.done, ['b/b.php', 'a/a.php']);
    assert.deepEqual(outcome.errors, []);
    assert.deepEqual(bench.child.calls, ['plugin activate b/b.php||a/a.php']);
    assert.deepEqual(await bench.storedPlugins(), ['a/a.php+', 'b/b.php+', 'c/c.php']);
    assert.deepEqual(await bench.changes(), [
      { type: 'plugin.activated', description: 'Activated the plugin B/B.PHP 1.0.', actor: 'anna' },
      { type: 'plugin.activated', description: 'Activated the plugin A/A.PHP 1.0.', actor: 'anna' },
    ]);
  });

  it('when two callers activate a plugin at once, then the activation is logged once', async () => {
    await bench.sync([plugin('a/a.php')]);
    const activate = (actor: string) => bench.service.activatePlugins(bench.siteId, ['a/a.php'], actor);
    const outcomes = await Promise.all([activate('anna'), activate('ben')]);
    for (const { done, errors } of outcomes) assert.deepEqual([done, errors], [['a/a.php'], []]);
    assert.deepEqual(
      (await bench.changes()).map(({ type }) => type),
      ['plugin.activated'],
    );
  });

  it('when plugins are deactivated or deleted, then the stored state changes', async () => {
    await bench.sync([plugin('a/a.php', { active: true }), plugin('b/b.php', { active: true, version: '2.5' })]);
    assert.deepEqual((await bench.service.deactivatePlugins(bench.siteId, ['a/a.php'], 'anna')).done, ['a/a.php']);
    assert.deepEqual(await bench.storedPlugins(), ['a/a.php', 'b/b.php+']);
    assert.deepEqual((await bench.service.deletePlugins(bench.siteId, ['b/b.php'], 'ben')).done, ['b/b.php']);
    assert.deepEqual(await bench.storedPlugins(), ['a/a.php']);
    assert.deepEqual(await bench.changes(), [
      { type: 'plugin.deactivated', description: 'Deactivated the plugin A/A.PHP 1.0.', actor: 'anna' },
      { type: 'plugin.deleted', description: 'Deleted the plugin B/B.PHP 2.5.', actor: 'ben' },
    ]);
    assert.deepEqual(bench.child.calls, ['plugin deactivate a/a.php', 'plugin delete b/b.php']);
  });

  it('when an action is done, then the time of the last sync stays', async () => {
    await bench.sync([plugin('a/a.php')]);
    bench.child.reportedState = 'nothing';
    await bench.service.activatePlugins(bench.siteId, ['a/a.php'], 'anna');
    assert.equal((await bench.state()).last_sync_at, null);
  });

  it('when the response does not contain the state, then the state is read', async () => {
    for (const reportedState of ['nothing', 'themes'] as const) {
      await bench.sync([plugin('a/a.php')]);
      Object.assign(bench.child, { reportedState, calls: [] });
      assert.deepEqual((await bench.service.activatePlugins(bench.siteId, ['a/a.php'], 'anna')).done, ['a/a.php']);
      assert.deepEqual(bench.child.calls, ['plugin activate a/a.php', 'stats']);
      assert.deepEqual(await bench.storedPlugins(), ['a/a.php+']);
    }
  });

  it('when the site falsely reports success, then the plugin has an error', async () => {
    await bench.sync([plugin('a/a.php'), plugin('b/b.php', { active: true }), plugin('c/c.php')]);
    bench.child.falseSuccesses = new Set(['a/a.php', 'b/b.php']);
    const activated = await bench.service.activatePlugins(bench.siteId, ['a/a.php', 'c/c.php'], 'anna');
    assert.deepEqual([activated.done, itemErrorCodes(activated)], [['c/c.php'], ['a/a.php svc_activation_failed']]);
    const deactivated = await bench.service.deactivatePlugins(bench.siteId, ['b/b.php'], 'anna');
    assert.deepEqual([deactivated.done, itemErrorCodes(deactivated)], [[], ['b/b.php svc_deactivation_failed']]);
    const deleted = await bench.service.deletePlugins(bench.siteId, ['b/b.php'], 'anna');
    assert.deepEqual([deleted.done, itemErrorCodes(deleted)], [[], ['b/b.php svc_deletion_failed']]);
    assert.deepEqual(
      (await bench.changes()).map(({ type, description }) => `${type} ${description}`),
      ['plugin.activated Activated the plugin C/C.PHP 1.0.'],
    );
    assert.deepEqual(deleted.errors, [
      {
        identifier: 'b/b.php',
        code: 'svc_deletion_failed',
        message: 'The plugin still exists.',
        site_id: bench.siteId,
        site_url: bench.siteUrl,
        type: 'plugin',
        slug: 'b/b.php',
      },
    ]);
  });

  it('when a plugin already has the wanted state, then the action succeeds and logs no change', async () => {
    await bench.sync([plugin('a/a.php', { active: true }), plugin('b/b.php')]);
    assert.deepEqual((await bench.service.activatePlugins(bench.siteId, ['a/a.php'], 'anna')).done, ['a/a.php']);
    assert.deepEqual((await bench.service.deactivatePlugins(bench.siteId, ['b/b.php'], 'anna')).done, ['b/b.php']);
    assert.deepEqual(await bench.changes(), []);
  });

  it('when a plugin is stored as active, then the site is still called, because the stored state may be old', async () => {
    await bench.sync([plugin('a/a.php', { active: true })]);
    bench.child.plugins = [plugin('a/a.php')];
    bench.child.falseSuccesses.add('a/a.php');
    assert.deepEqual(itemErrorCodes(await bench.service.activatePlugins(bench.siteId, ['a/a.php'], 'anna')), [
      'a/a.php svc_activation_failed',
    ]);
    bench.child.falseSuccesses.clear();
    assert.deepEqual((await bench.service.activatePlugins(bench.siteId, ['a/a.php'], 'anna')).done, ['a/a.php']);
    assert.deepEqual(bench.child.plugins[0]?.active, true);
  });

  it('when a plugin is not stored, then the state is read before the error svc_plugin_not_found', async () => {
    await bench.sync([plugin('a/a.php')]);
    bench.child.plugins.push(plugin('new/new.php'));
    const outcome = await bench.service.activatePlugins(bench.siteId, ['missing/missing.php', 'new/new.php'], 'anna');
    assert.deepEqual(
      [outcome.done, itemErrorCodes(outcome)],
      [['new/new.php'], ['missing/missing.php svc_plugin_not_found']],
    );
    assert.deepEqual(bench.child.calls, ['stats', 'plugin activate new/new.php']);
    const gone = await bench.service.deletePlugins(bench.siteId, ['missing/missing.php'], 'anna');
    assert.deepEqual([gone.done, itemErrorCodes(gone)], [[], ['missing/missing.php svc_plugin_not_found']]);
    assert.deepEqual((await bench.changes()).length, 1);
  });

  it('when the state is read for an unknown plugin, then it is stored', async () => {
    bench.child.plugins = [plugin('a/a.php')];
    const outcome = await bench.service.activatePlugins(bench.siteId, ['missing/missing.php'], 'anna');
    assert.deepEqual(itemErrorCodes(outcome), ['missing/missing.php svc_plugin_not_found']);
    assert.deepEqual(bench.child.calls, ['stats']);
    assert.deepEqual(await bench.storedPlugins(), ['a/a.php']);
  });

  it('when a plugin was removed on the site, then activation fails with svc_plugin_not_found and deletion succeeds', async () => {
    await bench.sync([plugin('a/a.php'), plugin('b/b.php')]);
    bench.child.plugins = [];
    assert.deepEqual(itemErrorCodes(await bench.service.activatePlugins(bench.siteId, ['a/a.php'], 'anna')), [
      'a/a.php svc_plugin_not_found',
    ]);
    await bench.sync([plugin('a/a.php'), plugin('b/b.php')]);
    bench.child.plugins = [];
    assert.deepEqual((await bench.service.deletePlugins(bench.siteId, ['b/b.php'], 'anna')).done, ['b/b.php']);
    assert.deepEqual(await bench.storedPlugins(), []);
  });

  it('when a site was never synced, then the state is read before the action', async () => {
    bench.child.plugins = [plugin('a/a.php'), plugin(CHILD_PLUGIN, { active: true, isChildPlugin: true })];
    const outcome = await bench.service.deletePlugins(bench.siteId, ['a/a.php', CHILD_PLUGIN], 'anna');
    assert.deepEqual([outcome.done, itemErrorCodes(outcome)], [['a/a.php'], [`${CHILD_PLUGIN} svc_protected_item`]]);
    assert.deepEqual(bench.child.calls, ['stats', 'plugin delete a/a.php']);
    assert.deepEqual(await bench.storedPlugins(), [`${CHILD_PLUGIN}+`]);
  });

  it('when a plugin is protected, then it is never sent to the site', async () => {
    await bench.sync([
      plugin(CHILD_PLUGIN, { active: true, isChildPlugin: true }),
      plugin('mu.php', { active: true, mustUse: true }),
      plugin('a/a.php', { active: true }),
    ]);
    const all = [CHILD_PLUGIN, 'a/a.php', 'mu.php'];
    const errors = [`${CHILD_PLUGIN} svc_protected_item`, 'mu.php svc_protected_item'];
    const deactivated = await bench.service.deactivatePlugins(bench.siteId, all, 'anna');
    assert.deepEqual([deactivated.done, itemErrorCodes(deactivated)], [['a/a.php'], errors]);
    const deleted = await bench.service.deletePlugins(bench.siteId, all, 'anna');
    assert.deepEqual([deleted.done, itemErrorCodes(deleted)], [['a/a.php'], errors]);
    assert.deepEqual(bench.child.calls, ['plugin deactivate a/a.php', 'plugin delete a/a.php']);
    bench.child.calls = [];
    assert.deepEqual(itemErrorCodes(await bench.service.deletePlugins(bench.siteId, ['mu.php'], 'anna')), [
      'mu.php svc_protected_item',
    ]);
    assert.deepEqual(bench.child.calls, []);
  });

  it('when the site reports the child plugin or a must-use plugin as active, then activation succeeds', async () => {
    await bench.sync([
      plugin(CHILD_PLUGIN, { active: true, isChildPlugin: true }),
      plugin('mu.php', { active: true, mustUse: true }),
    ]);
    bench.child.plugins = bench.child.plugins.filter(({ slug }) => slug !== 'mu.php');
    const outcome = await bench.service.activatePlugins(bench.siteId, [CHILD_PLUGIN, 'mu.php'], 'anna');
    assert.deepEqual([outcome.done, itemErrorCodes(outcome)], [[CHILD_PLUGIN], ['mu.php svc_plugin_not_found']]);
    assert.deepEqual(bench.child.calls, ['stats']);
    assert.deepEqual(await bench.changes(), []);
  });
});
