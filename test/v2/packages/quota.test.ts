import assert from 'node:assert/strict';
import { HOUR } from '../../../src/shared/clock.ts';
import { INSTALL } from '../../support/guarded-sites.ts';
import { ALPHA_FILE, putAlpha, TestDirectory } from '../../support/packages.ts';
import { ManualClock } from '../../support/schedules.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

const QUOTA = 100 * 1024 * 1024;

describe('the quota of packages', () => {
  let world: World;
  let directory: TestDirectory;
  let clock: ManualClock;

  beforeEach(async () => {
    clock = new ManualClock('2026-11-28T10:00:00Z');
    directory = await TestDirectory.start();
    for (const version of ['1.0', '1.1', '1.2', '1.3']) await directory.release('plugin', 'rig-alpha', version);
    world = await startWorld({
      sites: 1,
      env: { SITEFLEET_DIRECTORY_URL: directory.url, SITEFLEET_PACKAGES_MEGABYTES: '100' },
      overrides: { clock, deadlines: { pageAgainMs: 5 } },
    });
  });
  afterEach(async () => {
    await world.close();
    directory.close();
  });

  const fetchPackage = async (version: string, expect = 200) => {
    const body = { type: 'plugin', slug: 'rig-alpha', version };
    return (await world.request('POST', '/api/v2/packages/fetch', { body, expect })).body;
  };
  /** Stores a package, and lets the vault believe that it has this many bytes. */
  async function store(version: string, size: number): Promise<number> {
    const { data } = await fetchPackage(version);
    await world.container.database.knex('packages').where({ id: data.id }).update({ size });
    return data.size;
  }
  const versions = async (): Promise<string[]> =>
    (await world.request('GET', '/api/v2/packages')).body.data.map(({ version }: { version: string }) => version);

  it('when a package does not fit, then those that were not used for an hour make room, the longest unused first', async () => {
    await store('1.0', QUOTA / 2);
    clock.time += 1;
    await store('1.1', QUOTA / 2);
    assert.equal((await fetchPackage('1.2', 409)).code, 'svc_package_vault_full');
    clock.time += HOUR;
    await fetchPackage('1.2');
    assert.deepEqual(await versions(), ['1.1', '1.2']);
  });

  it('when all unused packages are not enough, then none is deleted', async () => {
    await store('1.0', 1);
    clock.time += 2 * HOUR;
    await store('1.1', QUOTA);
    assert.equal((await fetchPackage('1.2', 409)).code, 'svc_package_vault_full');
    assert.deepEqual(await versions(), ['1.0', '1.1']);
  });

  it('when an installation has chosen an unused package, then it is kept until the sites have it', async () => {
    await store('1.0', QUOTA / 2);
    await store('1.1', QUOTA / 2);
    clock.time += 2 * HOUR;
    const { packages } = world.container.services.packages;
    await packages.fetchForSites({ kind: 'plugin', slug: 'rig-alpha', version: '1.0' }, 'test', { isLimited: false });
    await fetchPackage('1.2');
    assert.deepEqual(await versions(), ['1.0', '1.2']);
  });

  it('when a guarded update is under way, then the version to put back is kept, however long it was not used', async () => {
    const site = world.site(0);
    putAlpha(site);
    await world.request('POST', `/api/v2/sites/${world.siteId(0)}/sync`);
    site.defects.breakingPage.set(ALPHA_FILE, 500);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    site.faultQueue.push({ kind: 'delay', ms: { until: released }, function: INSTALL });
    const body = { include: [world.siteId(0)], type: ['plugin'], slug: [ALPHA_FILE], guard: 'plain' };
    const done = world.request('POST', '/api/v2/updates/update', { body });
    await until(() => site.countOf(INSTALL) === 1, 'the installation');
    const age = () =>
      world.container.database.knex('packages').update({ size: QUOTA / 2, last_used_at: clock.time - 2 * HOUR });
    await age();
    assert.equal((await fetchPackage('1.1', 409)).code, 'svc_package_vault_full');
    release();
    assert.equal((await done).body.errors[0].code, 'svc_rolled_back');
    assert.equal(site.state.plugins.get(ALPHA_FILE)?.version, '1.0');
    await age();
    await fetchPackage('1.1');
    assert.equal((await versions()).length, 2);
  });

  for (const [job, path, body, held] of [
    ['an installation', 'install', { version: '1.2' }, 'stats'],
    ['a rollback', 'rollback', { version: '1.0' }, INSTALL],
  ] as const)
    it(`when ${job} is under way, then its package is kept, however long it was not used`, async () => {
      const site = world.site(0);
      putAlpha(site, { version: '1.1' });
      await world.request('POST', `/api/v2/sites/${world.siteId(0)}/sync`);
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      const before = site.countOf(held);
      site.faultQueue.push({ kind: 'delay', ms: { until: released }, function: held });
      const order = { type: 'plugin', slug: 'rig-alpha', ...body };
      const done = world.request('POST', `/api/v2/sites/${world.siteId(0)}/packages/${path}`, { body: order });
      await until(() => site.countOf(held) > before, 'the call');
      const age = { size: QUOTA, last_used_at: clock.time - 2 * HOUR };
      await world.container.database.knex('packages').update(age);
      const { code } = await fetchPackage('1.3', 409).finally(release);
      assert.equal(code, 'svc_package_vault_full');
      assert.deepEqual((await done).body.errors, []);
      await world.container.database.knex('packages').update(age);
      await fetchPackage('1.3');
    });

  it('when two packages arrive together and one fits, then one is stored', async () => {
    const size = await store('1.0', 1);
    await store('1.1', QUOTA - 1 - Math.floor(size * 1.5));
    const { packages } = world.container.services.packages;
    const fetched = await Promise.allSettled(
      ['1.2', '1.3'].map((version) => packages.fetch({ kind: 'plugin', slug: 'rig-alpha', version }, 'test')),
    );
    assert.deepEqual(fetched.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.equal((await versions()).length, 3);
  });
});
