import assert from 'node:assert/strict';
import { syncSites } from '../../support/sites.ts';
import { ALPHA, addPendingUpdates, releaseUpdates, removeItemsWithUpdates } from '../../support/updates.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('sections of a report that cannot be stored', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 3, connect: 0 });
    await world.freshSite(removeItemsWithUpdates);
    await world.freshSite(addPendingUpdates);
  });
  after(() => world.close());

  /** Hides the table of a section during the work, so that the section cannot be stored. */
  async function withoutTable<T>(table: string, work: () => Promise<T>): Promise<T> {
    const { schema } = world.container.database.knex;
    await schema.renameTable(table, `hidden_${table}`);
    try {
      return await work();
    } finally {
      await world.container.database.knex.schema.renameTable(`hidden_${table}`, table);
    }
  }

  const recordOf = async (id: number) => (await world.request('GET', `/api/v2/sites/${id}`)).body.data;
  const versionOf = async (id: number, slug: string): Promise<string | undefined> => {
    const { plugins } = await world.ability('get-site-plugins-v1', { site_id_or_domain: id });
    return (plugins as { slug: string; version: string }[]).find((plugin) => plugin.slug === slug)?.version;
  };
  const installedVersion = async (id: number): Promise<string | undefined> => {
    const rows = await world.container.database
      .knex('installed_versions')
      .where({ site_id: id, item: ALPHA })
      .pluck<string[]>('version');
    return rows[0];
  };

  it('when a section fails during a sync, then the others are stored, the error names it, and the next sync stores it', async () => {
    const id = world.siteId(0);
    const alpha = world.site(0).state.plugins.get(ALPHA) ?? assert.fail();
    alpha.version = '7.7';
    world.site(0).touch();
    const answer = await withoutTable('installed_versions', () => syncSites(world, id));
    assert.deepEqual([answer.total_synced, answer.errors], [1, []]);
    assert.equal(await versionOf(id, ALPHA), '7.7');
    const { sync_errors, last_sync, status } = await recordOf(id);
    assert.equal(status, 'connected');
    assert.ok(last_sync);
    assert.equal(sync_errors.length, 1);
    assert.equal(sync_errors[0].code, 'svc_internal_error');
    assert.match(sync_errors[0].message, /could not be stored: installed\.$/);
    assert.ok(world.logLines.some((line) => line.includes('a section of a report could not be stored')));

    await syncSites(world, id);
    assert.deepEqual([(await recordOf(id)).sync_errors, await installedVersion(id)], [[], '7.7']);
  });

  it('when a section fails during an update, then the update succeeds', async () => {
    const id = world.siteId(1);
    const answer = await withoutTable('installed_versions', () =>
      world.ability('update-site-plugins-v1', { site_id_or_domain: id, slugs: [ALPHA] }),
    );
    assert.deepEqual([answer.updated.map(({ slug }: { slug: string }) => slug), answer.errors], [[ALPHA], []]);
    assert.equal(await versionOf(id, ALPHA), '9.1');
    assert.match((await recordOf(id)).sync_errors[0].message, /installed/);
    await syncSites(world, id);
    assert.deepEqual([(await recordOf(id)).sync_errors, await installedVersion(id)], [[], '9.1']);
  });

  it('when two sections fail during a registration, then the site is added', async () => {
    const { id } = await withoutTable('installed_versions', () =>
      withoutTable('site_themes', () => world.freshSite(removeItemsWithUpdates)),
    );
    const { status, sync_errors } = await recordOf(id);
    assert.equal(status, 'connected');
    assert.match(sync_errors[0].message, /could not be stored: (themes, installed|installed, themes)\.$/);
    assert.ok(await versionOf(id, ALPHA));
    await syncSites(world, id);
    assert.deepEqual((await recordOf(id)).sync_errors, []);
    assert.ok(await installedVersion(id));
  });

  it('when the log of a site cannot be stored, then its sections are', async () => {
    const id = world.siteId(0);
    releaseUpdates(world.site(0), { plugins: [ALPHA] });
    world.site(0).performWpAdminAction({ do: 'activate-plugin', plugin: ALPHA });
    world.site(0).touch();
    const changes = () => world.request('GET', `/api/v2/changes?site_id=${id}&per_page=1`);
    const { total } = (await changes()).body;
    const answer = await withoutTable('changes', () => syncSites(world, id));
    assert.deepEqual(answer.errors, []);
    assert.match((await recordOf(id)).sync_errors[0].message, /changes/);
    await syncSites(world, id);
    assert.deepEqual((await recordOf(id)).sync_errors, []);
    assert.ok((await changes()).body.total > total);
  });
});
