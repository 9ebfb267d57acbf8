import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type {
  ChildPlugin,
  ChildSite,
  ChildStats,
  ChildTheme,
  ItemActionAnswer,
} from '../../src/connector/child-site.ts';
import { Sealing } from '../../src/db/sealing.ts';
import { ChangeLog } from '../../src/domains/changes/index.ts';
import {
  InventoryReadModel,
  InventoryService,
  pluginsSection,
  themesSection,
} from '../../src/domains/inventory/index.ts';
import { SiteCalls, SiteLinks, SyncService, type SiteStatus } from '../../src/domains/sites/index.ts';
import {
  ChildBadAnswerError,
  ChildRefusedError,
  ChildUnreachableError,
  ConflictError,
  NotFoundError,
} from '../../src/shared/errors.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

const CHILD = 'mainwp-child/mainwp-child.php';
const clock = { now: () => Date.UTC(2026, 10, 21, 12) };
const days = () => 730;

const plugin = (slug: string, more: Partial<ChildPlugin> = {}): ChildPlugin => ({
  slug,
  name: slug.toUpperCase(),
  version: '1.0',
  active: false,
  mustUse: false,
  isChildPlugin: false,
  ...more,
});
const theme = (slug: string, more: Partial<ChildTheme> = {}): ChildTheme => ({
  slug,
  name: slug.toUpperCase(),
  version: '1.0',
  active: false,
  parentOfActive: false,
  ...more,
});

/** A site whose state is in the test's hand: it does what it is asked, unless the test says otherwise. */
class ScriptedChild {
  plugins: ChildPlugin[] = [];
  themes: ChildTheme[] = [];
  calls: string[] = [];
  /** Slugs that it claims to have worked on and leaves as they are. */
  stubborn = new Set<string>();
  /** What the answer of an action carries of the state after it. */
  tells: 'all' | 'nothing' | 'themes' | 'plugins' = 'all';
  /** Thrown by an action after so many slugs were worked on. */
  breaks: { error: Error; after: number } | null = null;
  statsError: Error | null = null;
  refused: ItemActionAnswer['refused'] = [];

  report(): ChildStats {
    return {
      childVersion: '6.1',
      wpVersion: '6.8',
      phpVersion: '8.2',
      siteUrl: null,
      activeThemeName: null,
      moreChanges: false,
      regverify: null,
      plugins: this.plugins,
      themes: this.themes,
    };
  }

  stats(): Promise<ChildStats> {
    this.calls.push('stats');
    return this.statsError ? Promise.reject(this.statsError) : Promise.resolve(this.report());
  }

  pluginAction(_link: unknown, action: 'activate' | 'deactivate' | 'delete', slugs: readonly string[]) {
    return this.#act(`plugin ${action}`, slugs, (slug) => {
      if (action === 'delete') this.plugins = this.plugins.filter((each) => each.slug !== slug);
      else
        this.plugins = this.plugins.map((each) =>
          each.slug === slug ? { ...each, active: action === 'activate' } : each,
        );
    });
  }

  themeAction(_link: unknown, action: 'activate' | 'delete', slugs: readonly string[]) {
    return this.#act(`theme ${action}`, slugs, (slug) => {
      if (action === 'delete') this.themes = this.themes.filter((each) => each.slug !== slug);
      else this.themes = this.themes.map((each) => ({ ...each, active: each.slug === slug }));
    });
  }

  #act(name: string, slugs: readonly string[], work: (slug: string) => void): Promise<ItemActionAnswer> {
    this.calls.push(`${name} ${slugs.join('||')}`);
    for (const [at, slug] of slugs.entries()) {
      if (this.breaks?.after === at) return Promise.reject(this.breaks.error);
      if (!this.stubborn.has(slug)) work(slug);
    }
    if (this.breaks) return Promise.reject(this.breaks.error);
    const { plugins: _p, themes: _t, ...bare } = this.report();
    const after = {
      all: this.report(),
      nothing: undefined,
      themes: { ...bare, themes: this.themes },
      plugins: { ...bare, plugins: this.plugins },
    }[this.tells];
    return Promise.resolve({ claimed: [...slugs], refused: this.refused, ...(after ? { after } : {}) });
  }
}

describe('actions on plugins and themes', () => {
  let opened: TestDatabase;
  let child: ScriptedChild;
  let service: InventoryService;
  let sync: SyncService;
  let links: SiteLinks;
  let siteId = 0;
  let siteNumber = 0;
  before(async () => {
    opened = await openTestDatabase();
  });
  after(() => opened.close());

  beforeEach(async () => {
    const { knex } = opened.database;
    child = new ScriptedChild();
    const scripted = child as unknown as ChildSite;
    const changeLog = new ChangeLog(clock);
    links = new SiteLinks({
      knex,
      sealing: new Sealing(randomBytes(32)),
      child: scripted,
      clock,
      verifyByDefault: () => true,
    });
    sync = new SyncService({
      knex,
      clock,
      child: scripted,
      sections: [pluginsSection, themesSection],
      log: { store: () => Promise.resolve({}) },
      probeSsl: () => Promise.resolve(null),
      abandonedAfterDays: days,
    });
    service = new InventoryService({
      knex,
      child: scripted,
      calls: new SiteCalls({ knex, clock, links, changes: changeLog }),
      sync,
      changeLog,
    });
    siteId = await addSite();
  });

  async function addSite(status: SiteStatus = 'connected'): Promise<number> {
    const { knex } = opened.database;
    const url_key = `site${++siteNumber}.example`;
    const [id] = (await knex('sites').insert({
      url: `https://${url_key}/`,
      url_key,
      name: url_key,
      name_key: url_key,
      status,
      created_at: 1,
      updated_at: 1,
    })) as [number];
    await knex('site_states').insert({ site_id: id, notes: '', admin_username: 'admin', section_hashes: '{}' });
    const pair = { keyId: 'k1', privateKeyPem: 'pem', publicKeyPem: 'pem' };
    await knex.transaction(async (trx) => {
      const secrets = links.secrets(trx);
      await secrets.insert(id, { server: 's', uniqueId: null, httpAuth: null, sslVerify: null });
      await secrets.promote(id, pair, null);
    });
    return id;
  }
  /** Takes the present state of the child over, as a sync does. */
  const synced = async (plugins: ChildPlugin[], themes: ChildTheme[] = []) => {
    Object.assign(child, { plugins, themes });
    await sync.store({ id: siteId, urlKey: `site${siteNumber}.example` }, child.report(), { complete: false });
  };
  const lists = () => new InventoryReadModel(opened.database.knex, clock, days);
  const stored = async () =>
    (await lists().plugins(siteId, { status: 'all', hasUpdate: false })).map(({ slug, active }) =>
      active ? `${slug}+` : slug,
    );
  const storedThemes = async () =>
    (await lists().themes(siteId, { status: 'all', hasUpdate: false })).themes.map(({ slug, active }) =>
      active ? `${slug}+` : slug,
    );
  const changes = () =>
    opened.database
      .knex('changes')
      .where({ site_id: siteId })
      .orderBy('id')
      .select<{ type: string; description: string; actor: string }[]>('type', 'description', 'actor');
  const state = () =>
    opened.database
      .knex('site_states')
      .where({ site_id: siteId })
      .first<{ last_sync_at: number | null; sync_error_code: string | null }>('last_sync_at', 'sync_error_code');
  const codes = ({ errors }: { errors: { identifier: unknown; code: string }[] }) =>
    errors.map(({ identifier, code }) => `${String(identifier)} ${code}`);
  const fatal = new ChildRefusedError('wordpress', 'site_fatal', 'The site broke.');
  const timeout = new ChildUnreachableError('http', 'No answer came in time.');
  const noConnection = new ChildUnreachableError('connect', 'The connection was refused.');

  describe('plugins', () => {
    it('activates with one call, stores what was read back and logs the change', async () => {
      await synced([plugin('a/a.php'), plugin('b/b.php'), plugin('c/c.php')]);
      const outcome = await service.activatePlugins(siteId, ['b/b.php', 'a/a.php', 'b/b.php'], 'anna');
      assert.deepEqual(outcome.done, ['b/b.php', 'a/a.php']);
      assert.deepEqual(outcome.errors, []);
      assert.deepEqual(child.calls, ['plugin activate b/b.php||a/a.php']);
      assert.deepEqual(await stored(), ['a/a.php+', 'b/b.php+', 'c/c.php']);
      assert.deepEqual(await changes(), [
        { type: 'plugin.activated', description: 'Activated the plugin B/B.PHP 1.0.', actor: 'anna' },
        { type: 'plugin.activated', description: 'Activated the plugin A/A.PHP 1.0.', actor: 'anna' },
      ]);
    });

    it('deactivates and deletes', async () => {
      await synced([plugin('a/a.php', { active: true }), plugin('b/b.php', { active: true, version: '2.5' })]);
      assert.deepEqual((await service.deactivatePlugins(siteId, ['a/a.php'], 'anna')).done, ['a/a.php']);
      assert.deepEqual(await stored(), ['a/a.php', 'b/b.php+']);
      assert.deepEqual((await service.deletePlugins(siteId, ['b/b.php'], 'ben')).done, ['b/b.php']);
      assert.deepEqual(await stored(), ['a/a.php']);
      assert.deepEqual(await changes(), [
        { type: 'plugin.deactivated', description: 'Deactivated the plugin A/A.PHP 1.0.', actor: 'anna' },
        { type: 'plugin.deleted', description: 'Deleted the plugin B/B.PHP 2.5.', actor: 'ben' },
      ]);
      assert.deepEqual(child.calls, ['plugin deactivate a/a.php', 'plugin delete b/b.php']);
    });

    it('marks no sync: that is what a sync is for', async () => {
      await synced([plugin('a/a.php')]);
      child.tells = 'nothing';
      await service.activatePlugins(siteId, ['a/a.php'], 'anna');
      assert.equal((await state()).last_sync_at, null);
    });

    it('reads the state itself when the answer does not tell it', async () => {
      for (const tells of ['nothing', 'themes'] as const) {
        await synced([plugin('a/a.php')]);
        Object.assign(child, { tells, calls: [] });
        assert.deepEqual((await service.activatePlugins(siteId, ['a/a.php'], 'anna')).done, ['a/a.php']);
        assert.deepEqual(child.calls, ['plugin activate a/a.php', 'stats']);
        assert.deepEqual(await stored(), ['a/a.php+']);
      }
    });

    it('believes no claim', async () => {
      await synced([plugin('a/a.php'), plugin('b/b.php', { active: true }), plugin('c/c.php')]);
      child.stubborn = new Set(['a/a.php', 'b/b.php']);
      const activated = await service.activatePlugins(siteId, ['a/a.php', 'c/c.php'], 'anna');
      assert.deepEqual([activated.done, codes(activated)], [['c/c.php'], ['a/a.php svc_activation_failed']]);
      const deactivated = await service.deactivatePlugins(siteId, ['b/b.php'], 'anna');
      assert.deepEqual([deactivated.done, codes(deactivated)], [[], ['b/b.php svc_deactivation_failed']]);
      const deleted = await service.deletePlugins(siteId, ['b/b.php'], 'anna');
      assert.deepEqual([deleted.done, codes(deleted)], [[], ['b/b.php svc_deletion_failed']]);
      assert.deepEqual(
        (await changes()).map(({ type, description }) => `${type} ${description}`),
        ['plugin.activated Activated the plugin C/C.PHP 1.0.'],
      );
      assert.deepEqual(deleted.errors, [
        {
          identifier: 'b/b.php',
          code: 'svc_deletion_failed',
          message: 'The plugin is still there.',
          site_id: siteId,
          site_url: `https://site${siteNumber}.example/`,
          type: 'plugin',
          slug: 'b/b.php',
        },
      ]);
    });

    it('counts what is so already as a success that changed nothing', async () => {
      await synced([plugin('a/a.php', { active: true }), plugin('b/b.php')]);
      assert.deepEqual((await service.activatePlugins(siteId, ['a/a.php'], 'anna')).done, ['a/a.php']);
      assert.deepEqual((await service.deactivatePlugins(siteId, ['b/b.php'], 'anna')).done, ['b/b.php']);
      assert.deepEqual(await changes(), []);
    });

    it('proves what is stored as active, which may be old', async () => {
      await synced([plugin('a/a.php', { active: true })]);
      child.plugins = [plugin('a/a.php')];
      child.stubborn.add('a/a.php');
      assert.deepEqual(codes(await service.activatePlugins(siteId, ['a/a.php'], 'anna')), [
        'a/a.php svc_activation_failed',
      ]);
      child.stubborn.clear();
      assert.deepEqual((await service.activatePlugins(siteId, ['a/a.php'], 'anna')).done, ['a/a.php']);
      assert.deepEqual(child.plugins[0]?.active, true);
    });

    it('asks the site before it calls a plugin unknown', async () => {
      await synced([plugin('a/a.php')]);
      child.plugins.push(plugin('new/new.php'));
      const outcome = await service.activatePlugins(siteId, ['missing/missing.php', 'new/new.php'], 'anna');
      assert.deepEqual([outcome.done, codes(outcome)], [['new/new.php'], ['missing/missing.php svc_plugin_not_found']]);
      assert.deepEqual(child.calls, ['stats', 'plugin activate new/new.php']);
      const gone = await service.deletePlugins(siteId, ['missing/missing.php'], 'anna');
      assert.deepEqual([gone.done, codes(gone)], [[], ['missing/missing.php svc_plugin_not_found']]);
      assert.deepEqual((await changes()).length, 1);
    });

    it('stores what it learned while it looked for an unknown plugin', async () => {
      child.plugins = [plugin('a/a.php')];
      const outcome = await service.activatePlugins(siteId, ['missing/missing.php'], 'anna');
      assert.deepEqual(codes(outcome), ['missing/missing.php svc_plugin_not_found']);
      assert.deepEqual(child.calls, ['stats']);
      assert.deepEqual(await stored(), ['a/a.php']);
    });

    it('calls a plugin unknown that was removed on the site meanwhile, and holds a deletion for done', async () => {
      await synced([plugin('a/a.php'), plugin('b/b.php')]);
      child.plugins = [];
      assert.deepEqual(codes(await service.activatePlugins(siteId, ['a/a.php'], 'anna')), [
        'a/a.php svc_plugin_not_found',
      ]);
      await synced([plugin('a/a.php'), plugin('b/b.php')]);
      child.plugins = [];
      assert.deepEqual((await service.deletePlugins(siteId, ['b/b.php'], 'anna')).done, ['b/b.php']);
      assert.deepEqual(await stored(), []);
    });

    it('works on a site that was never synced', async () => {
      child.plugins = [plugin('a/a.php'), plugin(CHILD, { active: true, isChildPlugin: true })];
      const outcome = await service.deletePlugins(siteId, ['a/a.php', CHILD], 'anna');
      assert.deepEqual([outcome.done, codes(outcome)], [['a/a.php'], [`${CHILD} svc_protected_item`]]);
      assert.deepEqual(child.calls, ['stats', 'plugin delete a/a.php']);
      assert.deepEqual(await stored(), [`${CHILD}+`]);
    });

    it('never sends what is protected', async () => {
      await synced([
        plugin(CHILD, { active: true, isChildPlugin: true }),
        plugin('mu.php', { active: true, mustUse: true }),
        plugin('a/a.php', { active: true }),
      ]);
      const all = [CHILD, 'a/a.php', 'mu.php'];
      const errors = [`${CHILD} svc_protected_item`, 'mu.php svc_protected_item'];
      const deactivated = await service.deactivatePlugins(siteId, all, 'anna');
      assert.deepEqual([deactivated.done, codes(deactivated)], [['a/a.php'], errors]);
      const deleted = await service.deletePlugins(siteId, all, 'anna');
      assert.deepEqual([deleted.done, codes(deleted)], [['a/a.php'], errors]);
      assert.deepEqual(child.calls, ['plugin deactivate a/a.php', 'plugin delete a/a.php']);
      child.calls = [];
      assert.deepEqual(codes(await service.deletePlugins(siteId, ['mu.php'], 'anna')), ['mu.php svc_protected_item']);
      assert.deepEqual(child.calls, []);
    });

    it('holds the child plugin and must-use plugins for active when the site says so', async () => {
      await synced([
        plugin(CHILD, { active: true, isChildPlugin: true }),
        plugin('mu.php', { active: true, mustUse: true }),
      ]);
      child.plugins = child.plugins.filter(({ slug }) => slug !== 'mu.php');
      const outcome = await service.activatePlugins(siteId, [CHILD, 'mu.php'], 'anna');
      assert.deepEqual([outcome.done, codes(outcome)], [[CHILD], ['mu.php svc_plugin_not_found']]);
      assert.deepEqual(child.calls, ['stats']);
      assert.deepEqual(await changes(), []);
    });
  });

  describe('when the one call breaks', () => {
    for (const error of [
      fatal,
      timeout,
      new ChildBadAnswerError('Cut off.'),
      new ChildUnreachableError('tls', 'x', { afterSend: true }),
    ])
      it(`reads the state and sends nothing twice (${error.code}, ${error.layer})`, async () => {
        await synced([plugin('a/a.php'), plugin('b/b.php')]);
        child.breaks = { error, after: 1 };
        const outcome = await service.activatePlugins(siteId, ['a/a.php', 'b/b.php'], 'anna');
        assert.deepEqual([outcome.done, codes(outcome)], [['a/a.php'], ['b/b.php svc_activation_failed']]);
        assert.deepEqual(child.calls, ['plugin activate a/a.php||b/b.php', 'stats']);
        assert.deepEqual(await stored(), ['a/a.php+', 'b/b.php']);
        assert.equal((await changes()).length, 1);
      });

    it('throws its error when the state cannot be read either', async () => {
      await synced([plugin('a/a.php')]);
      child.breaks = { error: timeout, after: 1 };
      child.statsError = noConnection;
      await assert.rejects(service.activatePlugins(siteId, ['a/a.php'], 'anna'), (error) => error === timeout);
      assert.deepEqual(child.calls, ['plugin activate a/a.php', 'stats']);
      assert.equal((await state()).sync_error_code, 'svc_site_unreachable');
    });

    it('asks nothing more of a site that was not reached or that refused', async () => {
      const refused = new ChildRefusedError('http', 'blocked', 'A firewall said no.');
      for (const error of [noConnection, refused, new ChildUnreachableError('http', 'x', { afterSend: false })]) {
        await synced([plugin('a/a.php')]);
        Object.assign(child, { breaks: { error, after: 0 }, calls: [] });
        await assert.rejects(service.activatePlugins(siteId, ['a/a.php'], 'anna'), (thrown) => thrown === error);
        assert.deepEqual(child.calls, ['plugin activate a/a.php']);
      }
    });

    it('is not sent at all to a site that is suspended, disconnected, outdated or unknown', async () => {
      const refusedAs = (code: string) => (error: unknown) => error instanceof ConflictError && error.code === code;
      const slugs = ['a/a.php'];
      for (const status of ['suspended', 'disconnected'] as const) {
        const id = await addSite(status);
        await assert.rejects(service.deletePlugins(id, slugs, 'anna'), refusedAs(`svc_site_${status}`));
      }
      await opened.database.knex('site_states').where({ site_id: siteId }).update({ child_version: '3.9.9' });
      await assert.rejects(service.deletePlugins(siteId, slugs, 'anna'), refusedAs('svc_child_outdated'));
      await assert.rejects(service.deletePlugins(999_999, slugs, 'anna'), NotFoundError);
      assert.deepEqual(child.calls, []);
    });
  });

  describe('themes', () => {
    const three = () => [theme('child', { active: true }), theme('parent', { parentOfActive: true }), theme('spare')];

    it('deletes, but neither the active theme nor its parent', async () => {
      await synced([], three());
      const outcome = await service.deleteThemes(siteId, ['parent', 'spare', 'child', 'none'], 'anna');
      assert.deepEqual(outcome.done, ['spare']);
      assert.deepEqual(codes(outcome), [
        'parent svc_protected_item',
        'child svc_protected_item',
        'none svc_theme_not_found',
      ]);
      assert.deepEqual(
        outcome.errors.map(({ message, type }) => `${type} ${message}`),
        [
          'theme The parent of the active theme cannot be deleted.',
          'theme The active theme cannot be deleted.',
          'theme The site has no such theme.',
        ],
      );
      assert.deepEqual(child.calls, ['stats', 'theme delete spare']);
      assert.deepEqual(await storedThemes(), ['child+', 'parent']);
      assert.deepEqual(await changes(), [
        { type: 'theme.deleted', description: 'Deleted the theme SPARE 1.0.', actor: 'anna' },
      ]);
    });

    it('passes on why the child refused, and tells a failure from a refusal', async () => {
      await synced([], three());
      child.themes = [theme('child'), theme('parent'), theme('spare', { active: true })];
      child.stubborn = new Set(['spare']);
      child.refused = [{ slug: 'spare', reason: 'active_theme' }];
      assert.deepEqual(codes(await service.deleteThemes(siteId, ['spare'], 'anna')), ['spare svc_protected_item']);
      await synced([], three());
      child.refused = [{ slug: 'spare', reason: 'parent_of_active_theme' }];
      assert.deepEqual(
        (await service.deleteThemes(siteId, ['spare'], 'anna')).errors.map(({ code, message }) => `${code} ${message}`),
        ['svc_protected_item The parent of the active theme cannot be deleted.'],
      );
      child.refused = [];
      assert.deepEqual(codes(await service.deleteThemes(siteId, ['spare'], 'anna')), ['spare svc_deletion_failed']);
    });

    it('activates, and names the theme before', async () => {
      await synced([], three());
      assert.deepEqual(await service.activateTheme(siteId, 'parent', 'anna'), {
        activated: 'parent',
        previousTheme: 'child',
      });
      assert.deepEqual(child.calls, ['theme activate parent']);
      assert.deepEqual(await storedThemes(), ['child', 'parent+', 'spare']);
      assert.deepEqual(await changes(), [
        { type: 'theme.activated', description: 'Activated the theme PARENT 1.0.', actor: 'anna' },
      ]);
    });

    it('reads the state itself when the answer tells of plugins alone', async () => {
      await synced([], three());
      child.tells = 'plugins';
      assert.equal((await service.activateTheme(siteId, 'spare', 'anna')).activated, 'spare');
      assert.deepEqual(child.calls, ['theme activate spare', 'stats']);
    });

    it('does not switch to the theme that is active, once the site says so', async () => {
      await synced([], three());
      const same = { activated: 'child', previousTheme: 'child' };
      assert.deepEqual(await service.activateTheme(siteId, 'child', 'anna'), same);
      assert.deepEqual(child.calls, ['stats']);
      assert.deepEqual(await changes(), []);
      child.themes = [theme('child'), theme('spare', { active: true })];
      const switched = { activated: 'child', previousTheme: 'spare' };
      assert.deepEqual(await service.activateTheme(siteId, 'child', 'anna'), switched);
      assert.deepEqual(child.calls, ['stats', 'stats', 'theme activate child']);
    });

    it('knows no theme before when none was active', async () => {
      child.themes = [theme('spare')];
      assert.deepEqual(await service.activateTheme(siteId, 'spare', 'anna'), {
        activated: 'spare',
        previousTheme: null,
      });
    });

    it('refuses a theme that the site does not have', async () => {
      await synced([], three());
      await assert.rejects(
        service.activateTheme(siteId, 'none', 'anna'),
        (error) => error instanceof NotFoundError && error.code === 'svc_theme_not_found',
      );
      assert.deepEqual(child.calls, ['stats']);
    });

    it('believes no claim, and does not hold it against the connection', async () => {
      await synced([], three());
      child.stubborn.add('spare');
      await assert.rejects(service.activateTheme(siteId, 'spare', 'anna'), ChildBadAnswerError);
      assert.deepEqual(await storedThemes(), ['child+', 'parent', 'spare']);
      assert.deepEqual(await changes(), []);
      assert.equal((await state()).sync_error_code, null);
    });

    it('reports what a broken call came to', async () => {
      await synced([], three());
      child.breaks = { error: fatal, after: 0 };
      await assert.rejects(service.activateTheme(siteId, 'spare', 'anna'), (error) => error === fatal);
      child.breaks = { error: fatal, after: 1 };
      assert.equal((await service.activateTheme(siteId, 'spare', 'anna')).activated, 'spare');
      assert.deepEqual(await storedThemes(), ['child', 'parent', 'spare+']);
    });
  });
});
