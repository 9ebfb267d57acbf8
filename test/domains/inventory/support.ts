import { randomBytes } from 'node:crypto';
import type {
  AbandonedItem,
  ChildPlugin,
  ChildSite,
  ChildStats,
  ChildTheme,
  ItemActionAnswer,
} from '../../../src/connector/child-site.ts';
import { SYNC_SECTIONS } from '../../../src/connector/child-site.ts';
import { Sealing } from '../../../src/db/sealing.ts';
import { ChangeLog } from '../../../src/domains/changes/index.ts';
import {
  abandonedSection,
  InventoryReadModel,
  InventoryService,
  pluginsSection,
  themesSection,
  type ItemFilter,
} from '../../../src/domains/inventory/index.ts';
import { UPDATE_TYPES } from '../../../src/domains/updates/index.ts';
import { LaterLooks } from '../../../src/domains/jobs/index.ts';
import { SiteCalls, SiteLinks, SyncService, type SiteStatus } from '../../../src/domains/sites/index.ts';
import type { Clock } from '../../../src/shared/clock.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';

/** What the tests of this domain share. */

export const NOON = Date.UTC(2026, 10, 21, 12);
export const CHILD = 'mainwp-child/mainwp-child.php';

export const report = (parts: Partial<ChildStats>): ChildStats => ({
  childVersion: '6.1',
  wpVersion: '6.8',
  phpVersion: '8.2',
  dbVersion: null,
  ip: null,
  siteUrl: null,
  activeThemeName: null,
  moreChanges: false,
  regverify: null,
  ...(parts.updates && { updatesByType: { kinds: UPDATE_TYPES, items: parts.updates } }),
  ...parts,
});
export const plugin = (slug: string, more: Partial<ChildPlugin> = {}): ChildPlugin => ({
  slug,
  name: slug.toUpperCase(),
  version: '1.0',
  active: false,
  mustUse: false,
  isChildPlugin: false,
  ...more,
});
export const theme = (slug: string, more: Partial<ChildTheme> = {}): ChildTheme => ({
  slug,
  name: slug.toUpperCase(),
  version: '1.0',
  active: false,
  parentOfActive: false,
  ...more,
});
/** What a child says of its plugins and themes that nobody has touched for long. */
export const every = (items: AbandonedItem[]) => ({ kinds: ['plugin', 'theme'] as const, items });
export const abandoned = (kind: AbandonedItem['kind'], slug: string, lastUpdatedAt: number): AbandonedItem => ({
  kind,
  slug,
  name: slug.toUpperCase(),
  version: '1.0',
  lastUpdatedAt,
});

export async function insertSite({ database }: TestDatabase, urlKey: string, status: SiteStatus = 'connected') {
  const [id] = await database.knex('sites').insert({
    url: `https://${urlKey}/`,
    url_key: urlKey,
    name: urlKey,
    name_key: urlKey,
    status,
    created_at: 1,
    updated_at: 1,
  });
  return { id: id as number, urlKey };
}

/** Every plugin or theme of a site. */
export const ALL: ItemFilter = { status: 'all', hasUpdate: false };

export const SECTIONS = [pluginsSection, themesSection, abandonedSection] as const;

/** Stores what a report says of the inventory, as a sync does. */
export const storeReport = (
  { database }: TestDatabase,
  site: { id: number; urlKey: string },
  parts: Partial<ChildStats>,
): Promise<void> =>
  database.knex.transaction(async (trx) => {
    for (const section of SECTIONS) {
      const value = section.read(report(parts)) as never;
      if (value !== undefined) await section.write(trx, site, value, Date.now());
    }
  });

export const listsAt = ({ database }: TestDatabase, now: number, days: number): InventoryReadModel =>
  new InventoryReadModel(database.knex, { now: () => now }, () => days);

/** The SQL that a piece of work sends. */
export async function statements({ database }: TestDatabase, work: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = [];
  const listen = ({ sql }: { sql: string }): number => seen.push(sql);
  database.knex.on('query', listen);
  await work();
  database.knex.removeListener('query', listen);
  return seen;
}

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
  refusals: ItemActionAnswer['refusals'] = [];

  report(): ChildStats {
    return report({ plugins: this.plugins, themes: this.themes });
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
    return Promise.resolve({ claimed: [...slugs], refusals: this.refusals, ...(after ? { after } : {}) });
  }
}

const clock = { now: () => NOON };

/** Nobody looks later: what is unknown at once stays so. */
export const noLooks = (clock: Clock): LaterLooks =>
  new LaterLooks({ clock, waitsMs: [], runner: { wait: () => Promise.reject(new Error('There is no later look.')) } });
const days = () => 730;

/** The service over a scripted child; each test has a site of its own. */
export class Bench {
  child = new ScriptedChild();
  service!: InventoryService;
  siteId = 0;
  siteUrl = '';
  readonly opened: TestDatabase;
  #site = { id: 0, urlKey: '' };
  #sites = 0;
  #links!: SiteLinks;
  #sync!: SyncService;

  private constructor(opened: TestDatabase) {
    this.opened = opened;
  }

  static async open(): Promise<Bench> {
    return new Bench(await openTestDatabase());
  }

  async reset(): Promise<void> {
    const { knex } = this.opened.database;
    this.child = new ScriptedChild();
    const child = this.child as unknown as ChildSite;
    const changeLog = new ChangeLog(clock);
    const sealing = new Sealing(randomBytes(32));
    this.#links = new SiteLinks({
      knex,
      sealing,
      child,
      clock,
      verifyByDefault: () => true,
      lookAtRules: () => Promise.resolve(),
    });
    this.#sync = new SyncService({
      wanted: () => new Set(SYNC_SECTIONS),
      knex,
      clock,
      child,
      sections: () => [pluginsSection, themesSection],
      log: { store: () => Promise.resolve({}) },
      probeSsl: () => Promise.resolve(null),
      backupMethodOf: () => null,
      abandonedAfterDays: days,
    });
    const calls = new SiteCalls({ knex, clock, links: this.#links, changes: changeLog });
    const looks = noLooks(clock);
    this.service = new InventoryService({ knex, child, calls, sync: this.#sync, changeLog, looks });
    this.#site = await this.addSite();
    this.siteId = this.#site.id;
    this.siteUrl = `https://${this.#site.urlKey}/`;
  }

  async addSite(status: SiteStatus = 'connected'): Promise<{ id: number; urlKey: string }> {
    const { knex } = this.opened.database;
    const site = await insertSite(this.opened, `site${++this.#sites}.example`, status);
    await knex('site_states').insert({ site_id: site.id, notes: '', admin_username: 'admin', section_hashes: '{}' });
    await knex.transaction(async (trx) => {
      const secrets = this.#links.secrets(trx);
      await secrets.insert(site.id, { server: 's', uniqueId: null, httpAuth: null, sslVerify: null });
      await secrets.promote(site.id, { keyId: 'k1', privateKeyPem: 'pem' }, null);
    });
    return site;
  }

  /** Takes this state of the child over, as a sync does. */
  async synced(plugins: ChildPlugin[], themes: ChildTheme[] = []): Promise<void> {
    Object.assign(this.child, { plugins, themes });
    await this.#sync.store(this.#site, this.child.report(), { complete: false });
  }

  /** Slugs as the lists show them; `+` marks the active ones. */
  async stored(): Promise<string[]> {
    return (await this.#lists().plugins(this.siteId, { status: 'all', hasUpdate: false })).map(marked);
  }

  async storedThemes(): Promise<string[]> {
    return (await this.#lists().themes(this.siteId, { status: 'all', hasUpdate: false })).themes.map(marked);
  }

  async changes(): Promise<{ type: string; description: string; actor: string }[]> {
    return this.opened.database
      .knex('changes')
      .where({ site_id: this.siteId })
      .orderBy('id')
      .select<{ type: string; description: string; actor: string }[]>('type', 'description', 'actor');
  }

  async state(): Promise<{ last_sync_at: number | null; sync_error_code: string | null }> {
    return this.opened.database
      .knex('site_states')
      .where({ site_id: this.siteId })
      .first<{ last_sync_at: number | null; sync_error_code: string | null }>('last_sync_at', 'sync_error_code');
  }

  #lists(): InventoryReadModel {
    return new InventoryReadModel(this.opened.database.knex, clock, days);
  }
}

const marked = ({ slug, active }: { slug: string; active: boolean }): string => (active ? `${slug}+` : slug);

export const codes = ({ errors }: { errors: { identifier: unknown; code: string }[] }): string[] =>
  errors.map(({ identifier, code }) => `${String(identifier)} ${code}`);
