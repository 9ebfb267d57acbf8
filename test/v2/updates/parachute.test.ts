import assert from 'node:assert/strict';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import { HOUR, SECOND } from '../../../src/shared/clock.ts';
import { allowGuards, loseGuardRequests } from '../../support/guard-files.ts';
import { putTheme, RIG_THEME, themeVersionOf } from '../../support/guarded-sites.ts';
import { ALPHA_FILE, putAlpha, TestDirectory } from '../../support/packages.ts';
import { runSchedule } from '../../support/schedules.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('updates with a guard file', () => {
  let world: World;
  let directory: TestDirectory;
  const clock = { offset: (): number => 0, now: (): number => Date.now() + clock.offset() };

  before(async () => {
    directory = await TestDirectory.start();
    for (const version of ['1.0', '1.2']) await directory.release('plugin', 'rig-alpha', version);
    const overrides = { clock, allowHttpGuards: true, deadlines: { pageAgainMs: 5, lookAgainMs: [5] } };
    world = await startWorld({ sites: 24, connect: 0, overrides, env: { SITEFLEET_DIRECTORY_URL: directory.url } });
  });
  after(async () => {
    await world.close();
    directory.close();
  });

  const fresh = async (furnish: (site: SimulatedSite) => void = () => undefined, { isAllowed = true } = {}) => {
    const { id, site } = await world.freshSite((made) => {
      putAlpha(made);
      for (const [file, plugin] of made.state.plugins) if (file !== ALPHA_FILE) plugin.update = null;
      for (const theme of made.state.themes.values()) theme.update = null;
      made.state.core.update = null;
      made.state.translations = [];
      furnish(made);
    });
    await allowGuards(world, ...(isAllowed ? [id] : []));
    return { id, site };
  };
  const run = async (id: number, body: object = {}) =>
    (await world.request('POST', '/api/v2/updates/update', { body: { include: [id], guard: 'parachute', ...body } }))
      .body;
  const versionOn = (site: SimulatedSite): string | undefined => site.state.plugins.get(ALPHA_FILE)?.version;
  const filesOn = (site: SimulatedSite): string[] => [...site.state.guardFiles.keys()];
  const storedFilesOf = (id: number): Promise<object[]> =>
    world.container.database.knex('guard_files').where({ site_id: id }).select('state');
  const changesOf = async (id: number): Promise<string[]> =>
    (await world.request('GET', `/api/v2/changes?site_id=${id}&source=dashboard`)).body.data.map(
      ({ type }: { type: string }) => type,
    );

  it('when a site is well after an update, then it has the new version and no file', async () => {
    const { id, site } = await fresh();
    const { data, errors } = await run(id);
    assert.deepEqual(errors, []);
    assert.deepEqual([data[0].new_version, versionOn(site), filesOn(site)], ['1.2', '1.2', []]);
    assert.deepEqual(await storedFilesOf(id), []);
    assert.ok((await changesOf(id)).includes('guard_file.removed'));
  });

  const FAULTS: [string, (site: SimulatedSite) => void][] = [
    ['a parse error', ({ defects }) => defects.unparsable.add(ALPHA_FILE)],
    ['a fatal error in init', ({ defects }) => defects.breaking.add(ALPHA_FILE)],
    ['a fatal error in its pages', ({ defects }) => defects.breakingPage.set(ALPHA_FILE, 500)],
    ['code that ends each request', ({ defects }) => defects.dying.add(ALPHA_FILE)],
    [
      'a fatal error behind a page cache',
      ({ defects }) => {
        defects.breakingPage.set(ALPHA_FILE, 500);
        defects.pageCache = 'by-query';
      },
    ],
  ];
  for (const [title, furnish] of FAULTS)
    it(`when the new version has ${title}, then the site has the old version, and no file is left`, async () => {
      const { id, site } = await fresh(furnish);
      const { data, errors } = await run(id);
      assert.deepEqual(data, []);
      const [{ code, rollback }] = errors;
      assert.deepEqual([code, rollback?.result, rollback?.left], ['svc_rolled_back', 'done', ['database']]);
      assert.notEqual(rollback.probe, null);
      assert.deepEqual([versionOn(site), filesOn(site), await storedFilesOf(id)], ['1.0', [], []]);
      assert.equal(site.state.plugins.get(ALPHA_FILE)?.active, true);
      const changes = await changesOf(id);
      for (const type of ['guard_file.added', 'guard_file.restored', 'guard_file.removed', 'plugin.rolled_back'])
        assert.ok(changes.includes(type), type);
    });

  it('when the file has put the old version back, then the time until that is noticed does not count', async () => {
    const { id, site } = await fresh(({ defects }) => defects.breaking.add(ALPHA_FILE));
    const isRestored = (): boolean => [...site.state.guardFiles.values()].some(({ restored }) => restored !== null);
    const unnoticedMs = 20 * SECOND;
    clock.offset = () => (isRestored() ? unnoticedMs : 0);
    site.now = () => clock.now() - HOUR;
    const [{ rollback }] = (await run(id)).errors;
    clock.offset = () => unnoticedMs;
    assert.equal(rollback.result, 'done');
    assert.ok(rollback.broken_seconds >= 1 && rollback.broken_seconds < 20, String(rollback.broken_seconds));
  });

  for (const [title, plant] of [
    ['a parse error', 'unparsable'],
    ['a fatal error in init', 'breaking'],
  ] as const)
    it(`when the new version of the theme has ${title}, then the site has the old version and no file`, async () => {
      for (const version of ['1.0', '1.2']) await directory.release('theme', RIG_THEME, version);
      const { id, site } = await fresh((made) => {
        putAlpha(made, { version: '1.2' });
        putTheme(made);
        made.defects[plant].add(RIG_THEME);
      });
      const { data, errors } = await run(id);
      assert.deepEqual(data, []);
      const [{ code, type, rollback }] = errors;
      assert.deepEqual([code, type, rollback.left], ['svc_rolled_back', 'theme', ['database']]);
      assert.deepEqual([themeVersionOf(site), site.state.activeTheme, filesOn(site)], ['1.0', RIG_THEME, []]);
      assert.ok((await changesOf(id)).includes('theme.rolled_back'));
    });

  it('when the installed version has no package, then the update is guarded all the same', async () => {
    directory.answers.delete('/plugin/rig-alpha.0.9.zip');
    const { id, site } = await fresh((made) => {
      putAlpha(made, { version: '0.9' });
      made.defects.breaking.add(ALPHA_FILE);
    });
    const [{ code }] = (await run(id)).errors;
    assert.deepEqual([code, versionOn(site), filesOn(site)], ['svc_rolled_back', '0.9', []]);
  });

  it('when the site cannot get an armed file, then nothing is updated', async () => {
    const { id, site } = await fresh(({ defects }) => defects.unwritable.add('rig-alpha'));
    const [{ code, reason }] = (await run(id)).errors;
    assert.deepEqual([code, reason, versionOn(site)], ['svc_guard_failed', 'not_copied', '1.0']);
    assert.deepEqual([site.countOf('installplugintheme'), filesOn(site)], [0, []]);
  });

  it('when the site is not allowed, then it is updated with the plain guard', async () => {
    const { id, site } = await fresh(({ defects }) => defects.breakingPage.set(ALPHA_FILE, 500), { isAllowed: false });
    const [{ code }] = (await run(id)).errors;
    assert.deepEqual([code, versionOn(site), site.countOf('uploader_action')], ['svc_rolled_back', '1.0', 0]);
  });

  it('when the file cannot be removed, then the result names it', async () => {
    const { id, site } = await fresh(({ defects }) => {
      defects.guardFilesStay = true;
      defects.breaking.add(ALPHA_FILE);
    });
    const [{ code, rollback }] = (await run(id)).errors;
    assert.deepEqual([code, rollback.left], ['svc_rolled_back', ['database', 'guard_file']]);
    assert.equal(filesOn(site).length, 1);
  });

  it('when the old version cannot be put back, then its copy stays, and the schedule puts it back later', async () => {
    const { id, site } = await fresh(({ defects }) => defects.dying.add(ALPHA_FILE));
    const stop = loseGuardRequests(site, ['restore']);
    const [{ code, rollback }] = (await run(id)).errors;
    assert.deepEqual([code, rollback.left], ['svc_rollback_failed', ['database', 'new_version', 'guard_file']]);
    assert.deepEqual([versionOn(site), filesOn(site).length], ['1.2', 1]);
    stop();
    clock.offset = () => HOUR;
    await runSchedule(world, 'guard-files');
    clock.offset = () => 0;
    assert.deepEqual([versionOn(site), filesOn(site)], ['1.0', []]);
  });

  it('when the file cannot be asked once to restore, then it is asked again before it is removed', async () => {
    const { id, site } = await fresh(({ defects }) => defects.dying.add(ALPHA_FILE));
    const { faults } = site;
    const take = faults.take.bind(faults);
    let lost = 0;
    // Loses the request to restore, and the one for the state that follows, at both endpoints.
    faults.take = (name, path) => {
      const asked = site.requests.at(-1)?.fields['sitefleet_message'];
      const message = typeof asked === 'string' ? asked : '';
      const isLost = message !== '' && lost < 4 && (lost > 0 || message.startsWith('restore'));
      if (isLost) lost++;
      return isLost ? { kind: 'raw', status: 403, body: '' } : take(name, path);
    };
    const [{ code }] = (await run(id)).errors;
    assert.deepEqual([lost, code, versionOn(site), filesOn(site)], [4, 'svc_rolled_back', '1.0', []]);
  });
});
