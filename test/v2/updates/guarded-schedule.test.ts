import assert from 'node:assert/strict';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import {
  freshGuardedSite,
  INSTALL,
  putTheme,
  RIG_THEME,
  startGuardedWorld,
  themeVersionOf,
  UPGRADE,
  versionOf,
} from '../../support/guarded-sites.ts';
import { ALPHA_FILE, pluginZip, sha256, uploadAlpha } from '../../support/packages.ts';
import { editSettings } from '../../support/settings.ts';
import type { World } from '../../support/world.ts';

describe('guards of scheduled updates', () => {
  let world: World;
  let close: () => Promise<void>;

  beforeEach(async () => {
    ({ world, close } = await startGuardedWorld(2));
    const types = { plugin_automatic_daily_update: 1, theme_automatic_daily_update: 1 };
    await editSettings(world, 'general', { ...types, delay_autoupdate: 0 });
  });
  afterEach(() => close());

  const breaking = ({ defects }: SimulatedSite): unknown => defects.breakingPage.set(ALPHA_FILE, 500);
  /** Makes the site offer a version that the directory does not have. */
  const offerUnlisted = ({ state }: SimulatedSite): void => {
    const alpha = state.plugins.get(ALPHA_FILE);
    assert.ok(alpha);
    alpha.definition = { ...alpha.definition, versions: ['1.0', '1.5'] };
    alpha.update = '1.5';
  };
  /** Starts the schedule now. Returns the results of the items. */
  const runNow = async () => {
    await world.request('POST', '/api/v2/schedules/auto-updates/run');
    const { data: jobs } = (await world.request('GET', '/api/v2/jobs?type=update&per_page=1')).body;
    const { items } = await world.finishedJob(jobs[0].job_id);
    return items.map(({ result }: { result: object }) => result);
  };

  it('when no setting was changed, then plugins and themes that break their site are put back', async () => {
    const { site } = await freshGuardedSite(world, { furnish: breaking });
    const other = await freshGuardedSite(world, {
      version: '1.2',
      furnish: (made) => {
        putTheme(made);
        made.defects.breakingPage.set(RIG_THEME, 500);
      },
    });
    const results = await runNow();
    assert.deepEqual(
      results.map(({ errors }: { errors: { code: string }[] }) => errors.map(({ code }) => code)),
      [['svc_rolled_back'], ['svc_rolled_back']],
    );
    assert.deepEqual([versionOf(site), themeVersionOf(other.site)], ['1.0', '1.0']);
    const { data: general } = (await world.request('GET', '/api/v2/settings/general')).body;
    assert.deepEqual([general.auto_update_guard, general.auto_update_unguarded], ['plain', 'update']);
  });

  it('when an installed version has no package, then it is updated without a guard, or skipped by the setting', async () => {
    const { site } = await freshGuardedSite(world, { version: '1.1' });
    await editSettings(world, 'general', { auto_update_unguarded: 'skip' });
    const [{ updated: none, errors, skipped }] = await runNow();
    assert.deepEqual([none, errors, versionOf(site)], [[], [], '1.1']);
    assert.deepEqual([skipped[0].code, skipped[0].slug], ['svc_no_fallback', ALPHA_FILE]);
    assert.deepEqual([site.countOf(INSTALL), site.countOf(UPGRADE)], [0, 0]);
    await editSettings(world, 'general', { auto_update_unguarded: 'update' });
    const [{ updated, skipped: left = [] }] = await runNow();
    assert.deepEqual([updated[0].unguarded, left, versionOf(site)], [true, [], '1.2']);
  });

  it('when a version was uploaded without its hash, then only a run of a person installs it', async () => {
    const { site, id } = await freshGuardedSite(world, {
      furnish: (made) => {
        putTheme(made);
        offerUnlisted(made);
      },
    });
    const zip = await pluginZip('rig-alpha', '1.5');
    await uploadAlpha(world, zip, { version: '1.5' });
    const [{ updated, errors }] = await runNow();
    assert.deepEqual(
      updated.map(({ slug }: { slug: string }) => slug),
      [RIG_THEME],
    );
    assert.deepEqual(
      errors.map(({ code, reason, slug }: Record<string, string>) => [code, reason, slug]),
      [['svc_package_refused', 'not_verified', ALPHA_FILE]],
    );
    assert.deepEqual([versionOf(site), site.countOf(UPGRADE)], ['1.0', 0]);
    const run = await world.request('POST', '/api/v2/updates/update', { body: { include: [id], guard: 'plain' } });
    assert.deepEqual([run.body.errors, versionOf(site)], [[], '1.5']);
  });

  it('when the hash of an uploaded version is sent later, then a schedule installs it', async () => {
    const { site } = await freshGuardedSite(world, { furnish: offerUnlisted });
    const zip = await pluginZip('rig-alpha', '1.5');
    await uploadAlpha(world, zip, { version: '1.5' });
    assert.equal((await uploadAlpha(world, zip, { version: '1.5', sha256: sha256(zip) })).verified_by, 'hash');
    assert.deepEqual((await runNow())[0].errors, []);
    assert.equal(versionOf(site), '1.5');
  });

  it('when the setting has no guard, then nothing is put back', async () => {
    const { site } = await freshGuardedSite(world, { furnish: breaking });
    await editSettings(world, 'general', { auto_update_guard: 'none' });
    const [{ health }] = await runNow();
    assert.deepEqual([health.state, versionOf(site)], ['broken', '1.2']);
  });
});
