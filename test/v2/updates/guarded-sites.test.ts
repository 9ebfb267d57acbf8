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
import { ALPHA_FILE, pluginZip, sha256, type TestDirectory } from '../../support/packages.ts';
import type { World } from '../../support/world.ts';

describe('guarded updates of one site', () => {
  let world: World;
  let directory: TestDirectory;
  let close: () => Promise<void>;

  before(async () => {
    ({ world, directory, close } = await startGuardedWorld(24));
  });
  after(() => close());

  const breaking = ({ defects }: SimulatedSite): unknown => defects.breakingPage.set(ALPHA_FILE, 500);
  const update = async (id: number, kind: string, body: object, expect = 200) =>
    (await world.request('POST', `/api/v2/updates/${id}/update${kind}`, { body, expect })).body;

  for (const [kind, body] of [
    ['', { type: 'plugins' }],
    ['/plugins', { slug: [ALPHA_FILE] }],
  ] as const)
    it(`when the update of update${kind} breaks the site, then the old version is put back`, async () => {
      const { id, site } = await freshGuardedSite(world, { furnish: breaking });
      const {
        success,
        data,
        errors,
        skipped,
        health,
        site: brief,
      } = await update(id, kind, {
        ...body,
        guard: 'plain',
      });
      assert.deepEqual([success, data, skipped, brief.id], [1, [], [], id]);
      const [{ identifier, code, rollback }] = errors;
      assert.deepEqual([identifier, code, rollback.result], [ALPHA_FILE, 'svc_rolled_back', 'done']);
      assert.equal(health.state, 'well');
      assert.equal(versionOf(site), '1.0');
    });

  it('when a guard is sent, then the run is a job of the type update, which another process can finish', async () => {
    const { id, site } = await freshGuardedSite(world);
    const { data, health } = await update(id, '/plugins', { guard: 'plain' });
    assert.deepEqual([data[0].new_version, health.state, site.countOf(INSTALL)], ['1.2', 'well', 1]);
    const { data: jobs } = (await world.request('GET', '/api/v2/jobs?type=update&per_page=1')).body;
    assert.deepEqual([jobs[0].total, jobs[0].status], [1, 'completed']);
  });

  it('when no guard is sent, then nothing is put back', async () => {
    const { id, site } = await freshGuardedSite(world, { furnish: breaking });
    const { data, errors } = await update(id, '/plugins', {});
    assert.deepEqual([data[0].new_version, errors[0].code], ['1.2', 'svc_site_refused']);
    assert.deepEqual([versionOf(site), site.countOf(UPGRADE), site.countOf(INSTALL)], ['1.2', 1, 0]);
  });

  it('when the update of a theme breaks the site, then the old version is put back', async () => {
    const { id, site } = await freshGuardedSite(world, {
      version: '1.2',
      furnish: (made) => {
        putTheme(made);
        made.defects.breakingPage.set(RIG_THEME, 500);
      },
    });
    const { data, errors } = await update(id, '/themes', { guard: 'plain' });
    assert.deepEqual(data, []);
    assert.deepEqual([errors[0].code, errors[0].type, errors[0].rollback.pin], ['svc_rolled_back', 'theme', '<1.2']);
    assert.deepEqual([themeVersionOf(site), site.state.activeTheme], ['1.0', RIG_THEME]);
  });

  it('when the installed version has no package, then force updates it without a guard', async () => {
    const { id, site } = await freshGuardedSite(world, { version: '1.1' });
    const { data, errors } = await update(id, '/plugins', { guard: 'careful' });
    assert.deepEqual([data, errors[0].code, errors[0].identifier], [[], 'svc_no_fallback', ALPHA_FILE]);
    const forced = await update(id, '/plugins', { guard: 'careful', force: true });
    assert.deepEqual([forced.data[0].unguarded, versionOf(site)], [true, '1.2']);
  });

  it('when the package of the installed version is added after that, then the next update is guarded', async () => {
    const { id, site } = await freshGuardedSite(world, { version: '0.9', furnish: breaking });
    assert.equal((await update(id, '/plugins', { guard: 'plain' })).errors[0].code, 'svc_no_fallback');
    const zip = await pluginZip('rig-alpha', '0.9');
    directory.answers.set('/premium.zip', zip);
    const ref = { type: 'plugin', slug: 'rig-alpha', version: '0.9' };
    const body = { ...ref, url: `${directory.url}/premium.zip`, sha256: sha256(zip) };
    await world.request('POST', '/api/v2/packages/add', { body });
    assert.equal((await update(id, '/plugins', { guard: 'plain' })).errors[0].code, 'svc_rolled_back');
    assert.equal(versionOf(site), '0.9');
  });

  it('when the installation fails, then the item of the job has the reason and the message of the site', async () => {
    const { id, site } = await freshGuardedSite(world);
    const answer = { error: 'Download failed. Not Found', error_code: 'download_failed' };
    // The package is sent from the service, and then from the directory.
    const body = `<mainwp>${Buffer.from(JSON.stringify(answer)).toString('base64')}</mainwp>`;
    site.faultQueue.push({ kind: 'raw', status: 200, body, function: INSTALL, times: 2 });
    const { data, errors } = await update(id, '/plugins', { guard: 'plain' });
    assert.deepEqual(data, []);
    const { data: jobs } = (await world.request('GET', '/api/v2/jobs?type=update&per_page=1')).body;
    const { items } = (await world.request('GET', `/api/v2/jobs/${jobs[0].job_id}`)).body;
    for (const { code, reason, child_message, slug } of [errors[0], items[0].result.errors[0]])
      assert.deepEqual(
        [code, reason, child_message, slug],
        ['svc_update_failed', 'download_failed', 'Download failed. Not Found', ALPHA_FILE],
      );
    assert.equal(versionOf(site), '1.0');
  });

  it('when a named slug has no update, then the error is the same with a guard', async () => {
    const { id } = await freshGuardedSite(world);
    const body = { slug: ['none/none.php'] };
    const without = await update(id, '/plugins', body);
    const guarded = await update(id, '/plugins', { ...body, guard: 'plain' });
    assert.equal(guarded.errors[0].code, 'svc_no_update');
    assert.deepEqual(guarded.errors, without.errors);
  });

  it('when the site cannot be called, then the guarded call names it in its errors', async () => {
    const { id, site } = await freshGuardedSite(world);
    site.fault = { kind: 'refuse' };
    const { data, errors } = await update(id, '/plugins', { guard: 'plain' });
    assert.deepEqual([data, errors[0].code, errors[0].site_id], [[], 'svc_site_unreachable', id]);
    site.fault = null;
    await world.request('POST', `/api/v2/sites/${id}/suspend`);
    const { code } = await update(id, '/plugins', { guard: 'plain' }, 409);
    assert.equal(code, 'svc_site_suspended');
  });

  it('when force is sent without a guard, or a guard for the core, then the request is rejected', async () => {
    const { id } = await freshGuardedSite(world);
    const { message } = await update(id, '/plugins', { force: true }, 400);
    assert.match(message, /force must only be set together with guard/);
    await update(id, '', { guard: 'none', force: true }, 400);
    await update(id, '', { guard: 'best' }, 400);
    await update(id, '/core', { guard: 'plain' }, 400);
    await update(id, '/translations', { guard: 'plain' }, 400);
  });

  it('when an ability updates plugins or themes with a guard, then it puts them back', async () => {
    const { id, site } = await freshGuardedSite(world, {
      furnish: (made) => {
        putTheme(made);
        breaking(made);
        made.defects.breakingPage.set(RIG_THEME, 500);
      },
    });
    for (const [ability, slug] of [
      ['update-site-plugins-v1', ALPHA_FILE],
      ['update-site-themes-v1', RIG_THEME],
    ] as const) {
      const done = await world.ability(ability, { site_id_or_domain: id, slugs: [slug], guard: 'plain' });
      assert.deepEqual([done.total_updated, done.errors[0].code], [0, 'svc_rolled_back'], ability);
      assert.equal(done.errors[0].identifier, slug);
    }
    assert.deepEqual([versionOf(site), themeVersionOf(site)], ['1.0', '1.0']);
    const input = { site_id_or_domain: id, force: true };
    await world.ability('update-site-plugins-v1', input, { expect: 400 });
  });

  it('when a batch has guarded updates, then each has the response of its route', async () => {
    const sites = [await freshGuardedSite(world, { furnish: breaking }), await freshGuardedSite(world)];
    const [broken, well] = sites.map(({ id }) => id);
    const create = [
      { site: broken, type: 'plugins', guard: 'plain' },
      { site: well, guard: 'plain', force: true },
      { site: well, type: 'core', guard: 'plain' },
    ];
    const { updates } = (await world.request('POST', '/api/v2/batch', { body: { updates: { create } } })).body;
    const [first, second, third] = updates.create;
    assert.deepEqual([first.data, first.errors[0].code], [[], 'svc_rolled_back']);
    assert.deepEqual([second.data[0].new_version, second.errors], ['1.2', []]);
    assert.match(third.error.message, /guard must only be set for plugins, themes or all types/);
  });
});
