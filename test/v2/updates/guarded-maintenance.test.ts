import assert from 'node:assert/strict';
import {
  freshGuardedSite,
  INSTALL,
  postponedItems,
  startGuardedWorld,
  UPGRADE,
  versionOf,
} from '../../support/guarded-sites.ts';
import { ALPHA_FILE, type TestDirectory } from '../../support/packages.ts';
import { until } from '../../support/until.ts';
import type { World } from '../../support/world.ts';

describe('guarded updates that the site downloads itself', () => {
  let world: World;
  let directory: TestDirectory;
  let close: () => Promise<void>;

  before(async () => {
    ({ world, directory, close } = await startGuardedWorld(6, { lookAgainMs: [2_000] }));
    directory.answers.delete('/plugin/rig-alpha.1.2.zip');
  });
  after(() => close());

  const run = async (id: number, body: object = {}) =>
    (await world.request('POST', '/api/v2/updates/update', { body: { include: [id], guard: 'plain', ...body } })).body;

  for (const [outcome, code, version] of [
    ['well', undefined, '1.2'],
    ['broken', 'svc_rolled_back', '1.0'],
  ] as const)
    it(`when a cut update leaves maintenance mode, and the site is ${outcome} after it, then the run ends so`, async () => {
      const { id, site } = await freshGuardedSite(world);
      if (code) site.defects.breakingPage.set(ALPHA_FILE, 500);
      site.faultQueue.push({ kind: 'goes-on', doneMs: 0, function: UPGRADE, leavesMaintenance: true });
      const done = run(id);
      await until(async () => (await postponedItems(world)) === 1, 'the item to wait');
      assert.deepEqual([site.countOf(UPGRADE), site.countOf(INSTALL), site.isInMaintenance], [1, 0, true]);
      const { data: record } = (await world.request('GET', `/api/v2/sites/${id}`)).body;
      assert.equal(record.broken_by_update, null, 'maintenance mode proves nothing');
      // Ten minutes later, WordPress ignores the file.
      site.maintenanceFile = (site.maintenanceFile ?? 0) - site.maintenanceMs;
      const { data, errors } = await done;
      assert.deepEqual([errors[0]?.code, data[0]?.new_version], [code, code ? undefined : '1.2']);
      assert.deepEqual([versionOf(site), site.countOf(INSTALL)], [version, code ? 1 : 0]);
    });

  it('when only the new version has a package, then a forced update is installed from the vault', async () => {
    await directory.release('plugin', 'rig-alpha', '1.3');
    const { id, site } = await freshGuardedSite(world, {
      version: '1.1',
      furnish: (made) => made.performWpAdminAction({ do: 'release-plugin', plugin: ALPHA_FILE, version: '1.3' }),
    });
    const { data, errors } = await run(id, { force: true });
    assert.deepEqual([errors, data[0].new_version, data[0].unguarded], [[], '1.3', true]);
    assert.deepEqual([site.countOf(INSTALL), site.countOf(UPGRADE)], [1, 0]);
  });
});
