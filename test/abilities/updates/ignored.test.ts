import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import { readChangesOf } from '../../support/changes.ts';
import { syncSites } from '../../support/sites.ts';
import { startWorld, type World } from '../../support/world.ts';
import {
  ALPHA,
  addPendingUpdates,
  BETA,
  itemErrorCodes,
  GAMMA,
  readUpdates,
  releaseUpdates,
} from '../../support/updates.ts';

const WRITES = [
  'set-ignored-updates-v1',
  'ignore-site-core-v1',
  'ignore-site-plugins-v1',
  'ignore-site-themes-v1',
] as const;

describe('ignored updates', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 12, connect: 0 });
  });
  after(() => world.close());

  async function freshSite(): Promise<{ id: number; site: SimulatedSite; theme: string }> {
    const { id, site, made: theme } = await world.freshSite(addPendingUpdates);
    return { id, site, theme };
  }
  const ignored = async (id: number, more: object = {}): Promise<[string, string, string][]> => {
    const answer = await world.ability('list-ignored-updates-v1', { site_ids_or_domains: [id], ...more });
    assert.equal(answer.total, answer.ignored.length);
    return answer.ignored.map(({ type, slug, name }: Record<string, string>) => [type, slug, name]);
  };
  const set = (id: number, action: string, type: string, slug: string, expect = 200) =>
    world.ability('set-ignored-updates-v1', { site_id_or_domain: id, action, type, slug }, { expect });

  it('when updates are ignored, then every list and counter hides them until the rule is removed', async () => {
    const { id, theme } = await freshSite();
    const before = await readUpdates(world, id);
    assert.equal(before.total, 5);
    assert.deepEqual(before.plugins, [ALPHA, BETA]);
    assert.deepEqual(await set(id, 'ignore', 'plugin', ALPHA), {
      success: true,
      action: 'ignore',
      site_id: id,
      type: 'plugin',
      slug: ALPHA,
    });
    await set(id, 'ignore', 'core', 'wordpress');
    await set(id, 'ignore', 'theme', theme);
    const hidden = await readUpdates(world, id);
    const left = [`plugin ${BETA}`, 'translation akismet'];
    assert.deepEqual([hidden.site, hidden.fleet, hidden.plugins], [left, left, [BETA]]);
    assert.deepEqual(hidden.stats, {
      ...before.stats,
      plugin_updates: 1,
      theme_updates: 0,
      wp_update_available: false,
    });
    for (const summary of hidden.summaries)
      assert.deepEqual(summary, { core: 0, plugins: 1, themes: 0, translations: 1, total: 2 });
    for (const [type, slug] of [
      ['plugin', ALPHA],
      ['core', 'wordpress'],
      ['theme', theme],
    ] as const)
      await set(id, 'unignore', type, slug);
    assert.deepEqual(await readUpdates(world, id), before);
    assert.deepEqual(await ignored(id), []);
  });

  it('when a sync finds a later version of an ignored update, then it stays hidden', async () => {
    const { id, site } = await freshSite();
    await set(id, 'ignore', 'plugin', GAMMA);
    releaseUpdates(site, { plugins: [GAMMA] });
    await syncSites(world, id);
    assert.deepEqual((await readUpdates(world, id)).plugins, [ALPHA, BETA]);
    site.performWpAdminAction({ do: 'release-plugin', plugin: GAMMA, version: '12' });
    await syncSites(world, id);
    const { plugins, stats } = await readUpdates(world, id);
    assert.deepEqual([plugins, stats.plugin_updates], [[ALPHA, BETA], 2]);
    await set(id, 'unignore', 'plugin', GAMMA);
    assert.deepEqual((await readUpdates(world, id)).plugins, [ALPHA, BETA, GAMMA]);
  });

  it('when updates run, then ignored ones are skipped, and those named by slug are in the errors', async () => {
    const { id, site, theme } = await freshSite();
    await world.ability('ignore-site-core-v1', { site_id_or_domain: id, action: 'add' });
    await world.ability('ignore-site-plugins-v1', { site_id_or_domain: id, action: 'add', slugs: [ALPHA] });
    await world.ability('ignore-site-themes-v1', { site_id_or_domain: id, action: 'add', slugs: [theme] });
    const named = await world.ability('update-site-themes-v1', { site_id_or_domain: id, slugs: [theme] });
    assert.deepEqual([named.updated, itemErrorCodes(named)], [[], [`${theme} svc_update_ignored`]]);
    const both = await world.ability('run-updates-v1', { site_ids_or_domains: [id], specific_items: [ALPHA, theme] });
    assert.deepEqual(itemErrorCodes(both), [`${id} svc_update_ignored`, `${id} svc_update_ignored`]);
    assert.deepEqual(
      both.errors.map(({ slug }: { slug: string }) => slug),
      [ALPHA, theme],
    );
    assert.equal(site.requests.filter(({ function: name }) => name.startsWith('upgrade')).length, 0);
    const all = await world.ability('update-all-v1', { site_ids_or_domains: [id] });
    assert.deepEqual([all.updated, all.errors], [{ core: 0, plugins: 1, themes: 0, translations: 1 }, []]);
    assert.deepEqual([site.state.core.update, site.state.plugins.get(ALPHA)?.update], ['9.0', '9.1']);
  });

  it('when several items are ignored, installed or not, then all are listed, each once', async () => {
    const { id, theme } = await freshSite();
    const plugins = (action: string, slugs: string[]) =>
      world.ability('ignore-site-plugins-v1', { site_id_or_domain: id, action, slugs });
    assert.deepEqual(await plugins('add', [BETA, 'none/none.php', BETA]), {
      success: true,
      site_id: id,
      action: 'add',
      plugins_ignored: [BETA, 'none/none.php'],
    });
    const logged = (await readChangesOf(world, id, 'update.%')).length;
    assert.deepEqual((await plugins('add', [BETA])).plugins_ignored, [BETA, 'none/none.php']);
    assert.deepEqual((await plugins('remove', [ALPHA])).plugins_ignored, [BETA, 'none/none.php']);
    assert.equal((await readChangesOf(world, id, 'update.%')).length, logged);
    assert.deepEqual((await plugins('remove', [BETA])).plugins_ignored, ['none/none.php']);
    const themes = { site_id_or_domain: id, action: 'add', slugs: [theme] };
    assert.deepEqual((await world.ability('ignore-site-themes-v1', themes)).themes_ignored, [theme]);
    for (const action of ['add', 'add', 'remove', 'remove'])
      assert.deepEqual(await world.ability('ignore-site-core-v1', { site_id_or_domain: id, action }), {
        success: true,
        site_id: id,
        action,
        core_ignored: action === 'add',
      });
    const themeName = [...(await ignored(id, { types: ['themes'] }))][0];
    assert.deepEqual(await ignored(id), [['plugin', 'none/none.php', 'none/none.php'], themeName]);
    assert.deepEqual(
      (await readChangesOf(world, id, 'update.%')).map(
        ({ type, description, actor }) => `${type} ${actor} ${description}`,
      ),
      [
        `update.ignored admin Updates of the plugin ${BETA} are ignored.`,
        'update.ignored admin Updates of the plugin none/none.php are ignored.',
        `update.unignored admin Updates of the plugin ${BETA} are no longer ignored.`,
        `update.ignored admin Updates of the theme ${theme} are ignored.`,
        'update.ignored admin Updates of the core wordpress are ignored.',
        'update.unignored admin Updates of the core wordpress are no longer ignored.',
      ],
    );
  });

  it('when a call has 500 items, then all are ignored', async () => {
    const { id } = await freshSite();
    const slugs = Array.from({ length: 500 }, (_, at) => `p${at}/p${at}.php`);
    const input = { site_id_or_domain: id, slugs };
    const { plugins_ignored } = await world.ability('ignore-site-plugins-v1', { ...input, action: 'add' });
    assert.deepEqual(plugins_ignored, [...slugs].sort());
    await world.ability('ignore-site-plugins-v1', { ...input, action: 'remove' });
    assert.deepEqual(await ignored(id), []);
  });

  it('when ignored updates of several sites are listed, then they are sorted, paged and named', async () => {
    const [first, second] = [await freshSite(), await freshSite()];
    for (const { id } of [second, first]) {
      await set(id, 'ignore', 'plugin', BETA);
      await set(id, 'ignore', 'core', 'wordpress');
    }
    const sites = [first, second].sort((a, b) => (a.site.url < b.site.url ? -1 : 1));
    const input = { site_ids_or_domains: [...sites.map(({ id }) => id), 'no.example'], per_page: 3 };
    const one = await world.ability('list-ignored-updates-v1', input);
    const two = await world.ability('list-ignored-updates-v1', { ...input, page: 2 }, { method: 'POST', as: 'viewer' });
    assert.deepEqual([one.total, two.total, one.page, two.page, one.per_page], [4, 4, 1, 2, 3]);
    assert.deepEqual(itemErrorCodes(one), ['no.example svc_site_not_found']);
    assert.deepEqual(
      [...one.ignored, ...two.ignored],
      sites.flatMap(({ id, site }) =>
        [
          ['core', 'wordpress', 'WordPress'],
          ['plugin', BETA, 'Beta'],
        ].map(([type, slug, name]) => ({
          site_id: id,
          site_url: site.url,
          site_name: one.ignored.find(({ site_id }: { site_id: number }) => site_id === id)?.site_name,
          type,
          slug,
          name,
          ignored_version: 'all_versions',
        })),
      ),
    );
    const fleet = await world.ability('list-ignored-updates-v1', { types: ['core'] });
    assert.ok(fleet.total >= 2);
    assert.ok(fleet.ignored.every(({ type }: { type: string }) => type === 'core'));
    const nothing = await world.ability('list-ignored-updates-v1', { site_ids_or_domains: ['no.example'] });
    assert.deepEqual([nothing.total, nothing.ignored], [0, []]);
  });

  it('when random items are ignored and unignored, then lists and counters have their old values', async () => {
    const { id, theme } = await freshSite();
    const before = await readUpdates(world, id);
    const rule = fc.constantFrom<[string, string]>(
      ['core', 'wordpress'],
      ['plugin', ALPHA],
      ['plugin', BETA],
      ['plugin', 'none/none.php'],
      ['theme', theme],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(rule, { maxLength: 6 }), async (rules) => {
        for (const [type, slug] of rules) await set(id, 'ignore', type, slug);
        const { site, fleet, summaries, stats, total } = await readUpdates(world, id);
        const gone = new Set(rules.map(([type, slug]) => `${type} ${slug}`));
        assert.deepEqual(
          site,
          before.site.filter((each) => !gone.has(each)),
        );
        assert.deepEqual(fleet, site);
        const count = (type: string) => site.filter((each) => each.startsWith(`${type} `)).length;
        for (const summary of summaries)
          assert.deepEqual(summary, {
            core: count('core'),
            plugins: count('plugin'),
            themes: count('theme'),
            translations: count('translation'),
            total: site.length,
          });
        assert.deepEqual(
          [stats.plugin_updates, stats.theme_updates, stats.wp_update_available, total],
          [count('plugin'), count('theme'), count('core') === 1, site.length],
        );
        for (const [type, slug] of rules) await set(id, 'unignore', type, slug);
        assert.deepEqual(await readUpdates(world, id), before);
        assert.deepEqual(await ignored(id), []);
      }),
      { numRuns: 15 },
    );
  });

  it('when the site is unknown, the input invalid or the right missing, then the call is rejected', async () => {
    const { id } = await freshSite();
    const good: Record<(typeof WRITES)[number], object> = {
      'set-ignored-updates-v1': { site_id_or_domain: id, action: 'ignore', type: 'plugin', slug: ALPHA },
      'ignore-site-core-v1': { site_id_or_domain: id, action: 'add' },
      'ignore-site-plugins-v1': { site_id_or_domain: id, action: 'add', slugs: [ALPHA] },
      'ignore-site-themes-v1': { site_id_or_domain: id, action: 'add', slugs: ['x'] },
    };
    for (const name of WRITES) {
      const refuse = async (change: object, expect: number, code: string, options: object = {}) =>
        assert.equal(
          (await world.ability(name, { ...good[name], ...change }, { expect, ...options })).code,
          code,
          name,
        );
      await refuse({ site_id_or_domain: 'no.example' }, 404, 'svc_site_not_found');
      await refuse({ site_id_or_domain: undefined }, 400, 'ability_invalid_input');
      await refuse({ action: 'forget' }, 400, 'ability_invalid_input');
      await refuse({ action: undefined }, 400, 'ability_invalid_input');
      await refuse({ more: 1 }, 400, 'ability_invalid_input');
      await refuse({}, 403, 'svc_permission_denied', { as: 'viewer' });
      await refuse({}, 403, 'svc_permission_denied', { as: 'reader' });
      await refuse({}, 401, 'svc_unauthenticated', { as: 'nobody' });
      await refuse({}, 405, 'rest_ability_invalid_method', { method: 'GET' });
    }
    for (const slugs of [[], [''], ['a '], ['a|b'], 'a'])
      await world.ability('ignore-site-plugins-v1', { ...good['ignore-site-plugins-v1'], slugs }, { expect: 400 });
    for (const [type, slug] of [
      ['translation', 'akismet'],
      ['plugin', ''],
      ['plugin', ' a'],
    ] as const)
      assert.equal((await set(id, 'ignore', type, slug, 400)).code, 'ability_invalid_input');
    const core = await set(id, 'ignore', 'core', 'WordPress', 400);
    assert.deepEqual([core.code, core.data.errors[0].path], ['ability_invalid_input', 'input.slug']);
    assert.equal(
      (await world.ability('list-ignored-updates-v1', { types: ['plugin'] }, { expect: 400 })).status,
      undefined,
    );
    assert.deepEqual(await ignored(id), []);
  });
});
