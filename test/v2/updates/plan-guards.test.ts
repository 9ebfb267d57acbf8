import assert from 'node:assert/strict';
import { allowGuards } from '../../support/guard-files.ts';
import { freshGuardedSite, putTheme, RIG_THEME, startGuardedWorld } from '../../support/guarded-sites.ts';
import { callerWithin } from '../../support/limited-keys.ts';
import { ALPHA_FILE, makeZip, pluginEntries, sha256, type TestDirectory } from '../../support/packages.ts';
import { editSettings } from '../../support/settings.ts';
import { countStatements } from '../../support/statements.ts';
import { createTag } from '../../support/tags.ts';
import type { World } from '../../support/world.ts';

describe('guards in the plan of an update', () => {
  let world: World;
  let directory: TestDirectory;
  let close: () => Promise<void>;

  before(async () => {
    ({ world, directory, close } = await startGuardedWorld(16, { allowHttpGuards: true }));
  });
  after(() => close());

  const plan = async (query: Record<string, string>, expect = 200) =>
    (await world.request('GET', `/api/v2/updates/plan?${new URLSearchParams(query).toString()}`, { expect })).body;
  const siteIn = async (id: number, query: Record<string, string>) =>
    (await plan({ websites: String(id), ...query })).data[0];

  it('when no guard is asked for, then no update has one, and the directory is not asked', async () => {
    const { id } = await freshGuardedSite(world);
    directory.requests.length = 0;
    const { updates, errors } = await siteIn(id, {});
    assert.deepEqual([updates[0].guard, updates[0].fallback, updates[0].unguarded], [null, null, undefined]);
    assert.deepEqual([errors, directory.requests], [[], []]);
  });

  it('when a guard is asked for, then each update has the guard, and the place of its package', async () => {
    const { id } = await freshGuardedSite(world, {
      furnish: (site) => {
        putTheme(site);
        site.performWpAdminAction({ do: 'release-core', version: '9.0' });
      },
    });
    const shown = async (): Promise<unknown[][]> =>
      (await siteIn(id, { guard: 'careful' })).updates.map(
        ({ slug, guard, fallback }: Record<string, string | null>) => [slug, guard, fallback],
      );
    directory.requests.length = 0;
    assert.deepEqual(await shown(), [
      ['wordpress', null, null],
      [ALPHA_FILE, 'careful', 'directory'],
      [RIG_THEME, 'careful', 'directory'],
    ]);
    assert.deepEqual([...directory.requests].sort(), ['/plugin/rig-alpha.1.0.zip', '/theme/rig-theme.1.0.zip']);
    const { data: stored } = (await world.request('GET', '/api/v2/packages')).body;
    assert.deepEqual(stored, [], 'nothing was downloaded');
    await world.request('POST', '/api/v2/packages/fetch', {
      body: { type: 'plugin', slug: 'rig-alpha', version: '1.0' },
    });
    directory.requests.length = 0;
    assert.deepEqual(await shown(), [
      ['wordpress', null, null],
      [ALPHA_FILE, 'careful', 'vault'],
      [RIG_THEME, 'careful', 'directory'],
    ]);
    assert.deepEqual(directory.requests, [], 'answers are kept');
  });

  it('when the installed version has no package, then the plan and the run have the same error', async () => {
    const { id } = await freshGuardedSite(world, { version: '1.1' });
    const { updates, errors } = await siteIn(id, { guard: 'plain' });
    const [{ code, identifier, type, slug, site_id }] = errors;
    assert.deepEqual(updates, []);
    const body = { include: [id], guard: 'plain' };
    const [failed] = (await world.request('POST', '/api/v2/updates/update', { body })).body.errors;
    assert.deepEqual([code, type, slug, site_id], [failed.code, failed.type, failed.slug, failed.site_id]);
    assert.deepEqual([code, identifier], ['svc_no_fallback', ALPHA_FILE]);
    const forced = await siteIn(id, { guard: 'plain', force: 'true' });
    assert.deepEqual(forced.errors, []);
    const [{ guard, fallback, unguarded }] = forced.updates;
    assert.deepEqual([guard, fallback, unguarded], [null, 'none', true]);
  });

  it('when a plugin is a single file, then it has no package', async () => {
    const { id } = await freshGuardedSite(world, { file: 'alone.php' });
    assert.equal((await siteIn(id, { guard: 'plain' })).errors[0].code, 'svc_no_fallback');
  });

  it('when rings are planned, then plain is the default, and the setting decides what has no package', async () => {
    const { id } = await freshGuardedSite(world, { version: '1.1' });
    const other = await freshGuardedSite(world);
    await createTag(world, 'planned', other.id);
    const query = { rings: 'planned' };
    assert.deepEqual((await siteIn(other.id, query)).updates[0].guard, 'plain');
    assert.equal((await siteIn(id, query)).updates[0].unguarded, true);
    await editSettings(world, 'general', { auto_update_unguarded: 'skip' });
    const { updates, skipped, errors } = await siteIn(id, query);
    assert.deepEqual([updates, errors, skipped[0].code, skipped[0].slug], [[], [], 'svc_no_fallback', ALPHA_FILE]);
    await editSettings(world, 'general', { auto_update_unguarded: 'update' });
    assert.equal((await siteIn(other.id, { ...query, guard: 'none' })).updates[0].guard, null);
  });

  it('when a site may have a guard file, then it has parachute, and others have plain', async () => {
    const [allowed, other] = [await freshGuardedSite(world, { version: '1.1' }), await freshGuardedSite(world)];
    await allowGuards(world, allowed.id);
    const query = { websites: `${allowed.id},${other.id}`, guard: 'parachute' };
    const { data } = await plan(query);
    const guards = new Map(
      data.map(({ site_id, updates }: { site_id: number; updates: Record<string, string>[] }) => [
        site_id,
        [updates[0]?.['guard'], updates[0]?.['fallback']],
      ]),
    );
    // A guard file needs no package of the installed version.
    assert.deepEqual(guards.get(allowed.id), ['parachute', 'none']);
    assert.equal((guards.get(other.id) as string[])[0], 'plain');
    const statements = (websites: string): Promise<number> =>
      countStatements(world, () => plan({ ...query, websites }));
    assert.equal(await statements(query.websites), await statements(String(other.id)));
  });

  it('when the directory does not answer, then the place is unknown, and the update stays in the plan', async () => {
    const { id } = await freshGuardedSite(world, { version: '0.8' });
    directory.answers.set('/plugin/rig-alpha.0.8.zip', 503);
    const { updates, errors } = await siteIn(id, { guard: 'plain' });
    assert.deepEqual([updates[0].guard, updates[0].fallback, errors], ['plain', 'unknown', []]);
    directory.answers.set('/plugin/rig-alpha.0.8.zip', 404);
    assert.equal((await siteIn(id, { guard: 'plain' })).errors[0].code, 'svc_no_fallback');
  });

  it('when the caller is limited, then packages of other sources are not for its sites', async () => {
    const { id } = await freshGuardedSite(world, { version: '0.7' });
    const zip = await makeZip(pluginEntries('rig-alpha', '0.7'));
    const url = `${directory.url}/private.zip`;
    directory.answers.set('/private.zip', zip);
    const body = { type: 'plugin', slug: 'rig-alpha', version: '0.7', url, sha256: sha256(zip) };
    await world.request('POST', '/api/v2/packages/add', { body });
    assert.equal((await siteIn(id, { guard: 'plain' })).updates[0].fallback, 'vault');
    const limited = await callerWithin(world, { sites: [id] });
    const { body: seen } = await world.request('GET', '/api/v2/updates/plan?guard=plain', limited);
    assert.equal(seen.data[0].errors[0].code, 'svc_no_fallback');
  });

  it('when force is sent without a guard, then the request is rejected', async () => {
    const { message } = await plan({ force: 'true' }, 400);
    assert.match(message, /force must only be set together with guard or rings/);
  });
});
