import assert from 'node:assert/strict';
import { SYNC_SECTIONS } from '../../../src/connector/child-site.ts';
import { editSettings } from '../../support/settings.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('sync_data', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld({ sites: 2, connect: 1 });
  });
  afterEach(() => world.close());

  const sync = async (): Promise<void> =>
    assert.equal((await world.ability('sync-sites-v1', { site_ids_or_domains: [world.siteId(0)] })).total_synced, 1);
  const askedFor = (): Record<string, number> => {
    const sync = world.site(0).requests.findLast(({ fields }) => 'syncdata' in fields);
    return JSON.parse(String(sync?.fields['syncdata'])) as Record<string, number>;
  };
  const all = (value: 0 | 1) => Object.fromEntries(SYNC_SECTIONS.map((name) => [name, value]));
  /** Returns row counts and counters of the data that syncs store. */
  const stored = async (index = 0) => {
    const { knex } = world.container.database;
    const of = (table: string) => knex(table).where({ site_id: world.siteId(index) });
    const count = async (table: string) => (await of(table).select('site_id')).length;
    const tables = ['site_plugins', 'site_themes', 'site_updates', 'site_abandoned', 'site_security'];
    const counts = await Promise.all(tables.map(async (table) => [table, await count(table)] as const));
    const [state] = await of('site_states').select(
      ...['core_updates', 'plugin_updates', 'theme_updates', 'translation_updates', 'health_good'],
    );
    return { ...Object.fromEntries(counts), ...state };
  };
  /** Changes the site in every section. */
  const strip = (): void => {
    const { state } = world.site(0);
    state.core.update = null;
    for (const item of [...state.plugins.values(), ...state.themes.values()]) item.update = null;
    state.translations.length = 0;
    for (const slug of [...state.plugins.keys()].slice(3)) state.plugins.delete(slug);
    world.site(0).touch();
  };

  it('when sync_data was never set, then a sync requests exactly the stored sections', async () => {
    await sync();
    const asked = Object.entries(askedFor()).filter(([, flag]) => flag === 1);
    assert.deepEqual(
      asked.map(([name]) => name).sort(),
      [
        ...SYNC_SECTIONS.map(
          (name) => ({ core_updates: 'wp_updates', security_stats: 'securityStats' })[name as 'core_updates'] ?? name,
        ),
        ...['primaryLasttimeBackup', 'recent_comments', 'recent_posts', 'recent_pages'],
      ].sort(),
    );
  });

  it('when all sections are off, then none is requested and the stored data is kept', async () => {
    await sync();
    const before = await stored();
    await editSettings(world, 'advanced', { sync_data: all(0) });
    strip();
    await sync();
    assert.deepEqual(
      Object.entries(askedFor()).filter(([name, flag]) => flag === 1 && name !== 'primaryLasttimeBackup'),
      [],
    );
    assert.deepEqual(await stored(), before);
    await editSettings(world, 'advanced', { sync_data: null });
    await sync();
    assert.notDeepEqual(await stored(), before);
  });

  it('when updates of one type are off, then those of the other types are stored', async () => {
    await sync();
    const before = await stored();
    await editSettings(world, 'advanced', { sync_data: { theme_updates: 0 } });
    strip();
    await sync();
    const after = await stored();
    assert.deepEqual([after['plugin_updates'], after['core_updates'], after['translation_updates']], [0, 0, 0]);
    assert.ok(before['theme_updates'] > 0);
    assert.equal(after['theme_updates'], before['theme_updates']);
    assert.equal(after['site_updates'], before['theme_updates']);
  });

  it('when a site is added, then its registration does not store disabled sections', async () => {
    await editSettings(world, 'advanced', { sync_data: { plugins: 0, security_stats: 0 } });
    await world.connect(1);
    const { site_plugins, site_security, site_themes } = await stored(1);
    assert.deepEqual([site_plugins, site_security], [0, 0]);
    assert.ok(site_themes > 0);
  });

  it('when a section is off, then an action still verifies its result', async () => {
    await sync();
    await editSettings(world, 'advanced', { sync_data: all(0) });
    await sync();
    const input = { site_id_or_domain: world.siteId(0), slugs: ['hello.php'] };
    const { activated, errors } = await world.ability('activate-site-plugins-v1', input);
    assert.deepEqual([activated.length, errors], [1, []]);
  });

  it('when keys are aliases or values booleans, then they are accepted; unknown keys are rejected', async () => {
    const edit = (sync_data: unknown, expect = 200) =>
      world.request('PUT', '/api/v2/settings/advanced/edit', { body: { sync_data }, expect });
    const { body } = await edit({ wp_updates: false, securityStats: '0' });
    assert.deepEqual(body.data.sync_data, { ...all(1), core_updates: 0, security_stats: 0 });
    const { body: refused } = await edit({ recent_posts: 1 }, 400);
    assert.equal(refused.data.errors[0].path, 'body.sync_data.recent_posts');
    const { body: back } = await edit({ core_updates: 1, wp_updates: 0, security_stats: null });
    assert.deepEqual(back.data.sync_data, all(1));
  });
});
