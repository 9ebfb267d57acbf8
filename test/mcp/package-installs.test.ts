import assert from 'node:assert/strict';
import { freshGuardedSite, INSTALL, startGuardedWorld, versionOf } from '../support/guarded-sites.ts';
import { connectMcp, type TestMcpClient } from '../support/mcp.ts';
import type { World } from '../support/world.ts';

const ALPHA = { type: 'plugin', slug: 'rig-alpha' };

describe('installing a version over MCP', () => {
  let world: World;
  let mcp: TestMcpClient;
  let close: () => Promise<void>;

  before(async () => {
    ({ world, close } = await startGuardedWorld(8));
    mcp = await connectMcp(world);
  });
  after(async () => {
    await mcp.close();
    await close();
  });

  const installOn = (id: number, version: string, more: object = {}) =>
    mcp.run('sites_packages_install', { path: { id_or_domain: String(id) }, body: { ...ALPHA, version, ...more } });

  for (const operation of ['sites_packages_install', 'packages_install'])
    it(`when ${operation} is described, then it installs, and only run_operation runs it`, async () => {
      const { structured } = await mcp.call('describe_operation', { operation });
      assert.deepEqual([structured.effect, structured.permission], ['installs', 'packages:install']);
      const { id, site } = await freshGuardedSite(world);
      const body = { ...ALPHA, version: '1.2', ...(operation === 'packages_install' && { websites: [id] }) };
      const read = await mcp.read(operation, { path: { id_or_domain: String(id) }, body });
      assert.deepEqual([read.isError, versionOf(site), site.countOf(INSTALL)], [true, '1.0', 0]);
    });

  it('when a version is installed on one site, then the result has the versions that were read back', async () => {
    const { id, site } = await freshGuardedSite(world);
    const { isError, data, notes } = await installOn(id, '1.2');
    const [{ site_id, old_version, new_version, changed }] = data.data;
    assert.deepEqual([isError, data.errors, notes], [false, [], '']);
    assert.deepEqual([site_id, old_version, new_version, changed, versionOf(site)], [id, '1.0', '1.2', true, '1.2']);
    const again = await installOn(id, '1.2');
    assert.deepEqual([again.data.data[0].changed, site.countOf(INSTALL)], [false, 1]);
  });

  it('when a version or the site cannot be had, then the call fails with its code, and no site is called', async () => {
    const { id, site } = await freshGuardedSite(world);
    const missing = await installOn(id, '9.9');
    assert.deepEqual([missing.isError, missing.data.code], [true, 'svc_package_not_found']);
    const unknown = await installOn(999_999, '1.2');
    assert.deepEqual([unknown.isError, unknown.data.code], [true, 'svc_site_not_found']);
    const invalid = await installOn(id, '1.2', { version: 7 });
    assert.equal(invalid.isError, true);
    assert.equal(site.countOf(INSTALL), 0);
  });

  it('when a version is installed on several sites, then each site is in the result or in the errors', async () => {
    const [one, other] = [await freshGuardedSite(world), await freshGuardedSite(world)];
    // The package is sent from the service, and then from the directory.
    other.site.faultQueue.push({ kind: 'raw', status: 500, body: '', function: INSTALL, times: 2 });
    const websites = [one.id, other.id, 999_999];
    const { isError, data } = await mcp.run('packages_install', { body: { ...ALPHA, version: '1.2', websites } });
    assert.equal(isError, false);
    assert.deepEqual(
      data.data.map(({ site_id, new_version }: Record<string, unknown>) => [site_id, new_version]),
      [[one.id, '1.2']],
    );
    assert.deepEqual(data.errors.map(({ identifier, code }: Record<string, unknown>) => [identifier, code]).sort(), [
      [other.id, 'svc_install_failed'],
      [999_999, 'svc_site_not_found'],
    ]);
    assert.deepEqual(
      [one, other].map(({ site }) => versionOf(site)),
      ['1.2', '1.0'],
    );
  });
});
