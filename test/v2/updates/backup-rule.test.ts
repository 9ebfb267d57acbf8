import assert from 'node:assert/strict';
import { DAY, toIso } from '../../../src/shared/clock.ts';
import {
  ALPHA,
  removeItemsWithUpdates,
  BETA,
  startWorldWithoutUpdates,
  upgradeCallsOf,
  releaseUpdates,
} from '../../support/updates.ts';
import { editSettings } from '../../support/settings.ts';
import type { World } from '../../support/world.ts';

const UPDRAFT = 'updraftplus/updraftplus.php';
const BACKWPUP = 'backwpup/backwpup.php';
const REQUIRED = 'svc_backup_required';

describe('backups required before updates', () => {
  let world: World;
  const clock = { time: Date.UTC(2026, 10, 21, 12), now: () => clock.time };
  before(async () => {
    world = await startWorldWithoutUpdates(2, { overrides: { clock }, fleet: { now: () => clock.time } });
  });
  after(() => world.close());
  beforeEach(async () => {
    clock.time += 400 * DAY;
    for (const index of [0, 1]) {
      removeItemsWithUpdates(world.site(index));
      releaseUpdates(world.site(index), { plugins: [ALPHA, BETA] });
      world.site(index).requests.length = 0;
      await sync(index);
    }
    await world.container.database.knex('site_backups').delete();
    await rule(1);
  });

  const rule = (backup_before_upgrade: 0 | 1, backup_before_upgrade_days = 7) =>
    editSettings(world, 'general', { backup_before_upgrade, backup_before_upgrade_days });
  const sync = (index: number) => world.ability('sync-sites-v1', { site_ids_or_domains: [world.siteId(index)] });
  /** Stores a backup of this age on the site and syncs the site. */
  async function backedUp(index: number, daysAgo: number, plugin = UPDRAFT): Promise<void> {
    const site = world.site(index);
    site.performWpAdminAction({ do: 'install-plugin', folder: plugin.slice(0, plugin.indexOf('/')) });
    site.performWpAdminAction({ do: 'activate-plugin', plugin });
    site.state.lastBackups.set(plugin, Math.floor((clock.time - daysAgo * DAY) / 1000));
    site.touch();
    await sync(index);
  }
  const update = (index: number, expect = 200) =>
    world.ability('update-site-plugins-v1', { site_id_or_domain: world.siteId(index), slugs: [ALPHA] }, { expect });
  const record = async (index: number) =>
    (await world.request('GET', `/api/v2/sites/${world.siteId(index)}`)).body.data as { last_backup: string | null };

  it('when a site has no known backup, then its update is rejected with this reason', async () => {
    const refusal = await update(0, 409);
    assert.equal(refusal.code, REQUIRED);
    assert.match(refusal.message, /no backup of the site is known/);
    assert.deepEqual(upgradeCallsOf(world.site(0)), []);
    assert.equal((await record(0)).last_backup, null);
  });

  it('when the rule is off, then updates need no backup', async () => {
    await rule(0);
    assert.equal((await update(0)).total_updated, 1);
  });

  it('when the child reports a backup, then its age decides, and the site has its time', async () => {
    await backedUp(0, 7);
    assert.equal((await record(0)).last_backup, toIso(clock.time - 7 * DAY));
    clock.time += 1000;
    assert.match((await update(0, 409)).message, /its last backup is from 20\d\d-/);
    await rule(1, 8);
    assert.equal((await update(0)).total_updated, 1);
  });

  it('when the rule requires a backup of the same day, then one of the day before is too old', async () => {
    await rule(1, 0);
    await backedUp(0, 0.6);
    assert.equal((await update(0, 409)).code, REQUIRED);
    await backedUp(0, 0.4);
    assert.equal((await update(0)).total_updated, 1);
  });

  it('when the time zone is set, then the day of the backup is the local day', async () => {
    await editSettings(world, 'general', { timezone_string: 'America/New_York' });
    await rule(1, 0);
    // Noon UTC is morning in New York. Ten hours earlier, it is still the day before there.
    await backedUp(0, 10 / 24);
    assert.equal((await update(0, 409)).code, REQUIRED);
    await editSettings(world, 'general', { timezone_string: 'Asia/Tokyo' });
    assert.equal((await update(0)).total_updated, 1);
    await editSettings(world, 'general', { timezone_string: null });
  });

  it('when the backup plugin was active before the site was connected, then its backup is known', async () => {
    const site = world.site(0);
    site.performWpAdminAction({ do: 'install-plugin', folder: 'updraftplus' });
    site.performWpAdminAction({ do: 'activate-plugin', plugin: UPDRAFT });
    site.state.lastBackups.set(UPDRAFT, Math.floor((clock.time - DAY) / 1000));
    await world.container.database.knex('site_states').update({ backup_method: null, section_hashes: '{}' });
    await world.request('POST', `/api/v2/sites/${world.siteId(0)}/reconnect`);
    assert.equal((await record(0)).last_backup, toIso(clock.time - DAY));
  });

  it('when the site does not report its backup, then the sync succeeds, and the next sync asks again', async () => {
    const site = world.site(0);
    await world.container.database.knex('site_states').update({ backup_method: null });
    site.faultQueue.push(
      { kind: 'delay', ms: 0, function: 'stats' },
      { kind: 'raw', status: 500, body: '', function: 'stats', times: 2 },
    );
    await backedUp(0, 2, BACKWPUP);
    assert.equal((await record(0)).last_backup, null);
    await sync(0);
    assert.equal((await record(0)).last_backup, toIso(clock.time - 2 * DAY));
  });

  it('when several sources have backups, then the newest one decides', async () => {
    await backedUp(0, 20);
    const { backups } = world.container.services.backups;
    const record = (source: string, daysAgo: number) =>
      backups.record(world.container.database.knex, source, new Map([[world.siteId(0), clock.time - daysAgo * DAY]]));
    await record('cloudways', 3);
    await record('cloudways', 9);
    assert.equal((await update(0)).total_updated, 1);
  });

  it('when several sites are updated, then those without a backup are in the errors', async () => {
    await backedUp(1, 1);
    for (const [path, body] of [
      ['/abilities/v1/svc/run-updates-v1/run', { input: { types: ['plugins'], specific_items: [ALPHA] } }],
      ['/api/v2/updates/update', { type: 'plugins' }],
    ] as const) {
      const { body: answer } = await world.request('POST', path, { body });
      const updated = (answer.updated ?? answer.data) as { site_id: number }[];
      assert.deepEqual([...new Set(updated.map(({ site_id }) => site_id))], [world.siteId(1)]);
      assert.deepEqual(
        (answer.errors as { site_id: number; code: string }[]).map(({ site_id, code }) => [site_id, code]),
        [[world.siteId(0), REQUIRED]],
      );
    }
    assert.deepEqual(upgradeCallsOf(world.site(0)), []);
  });

  it('when a site has no pending update, then no backup is required', async () => {
    const { body } = await world.request('POST', `/api/v2/updates/${world.siteId(0)}/update/themes`, { body: {} });
    assert.deepEqual([body.data, body.errors], [[], []]);
  });
});
