import type {
  AbandonedItem,
  ChildPlugin,
  ChildStats,
  ChildTheme,
  ItemActionResult,
} from '../../../src/connector/child-site.ts';
import {
  abandonedSection,
  InventoryReadModel,
  ItemActionService,
  pluginsSection,
  themesSection,
  type ItemFilter,
} from '../../../src/domains/inventory/index.ts';
import { UPDATE_TYPES } from '../../../src/domains/updates/index.ts';
import { VerificationRetries } from '../../../src/domains/jobs/index.ts';
import {
  SiteLeases,
  type ChildLinkResolver,
  type SiteStatus,
  type SyncService,
} from '../../../src/domains/sites/index.ts';
import type { Clock } from '../../../src/shared/clock.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { storeSiteKey, createScriptedSites } from '../../support/scripted-sites.ts';

export const NOON = Date.UTC(2026, 10, 21, 12);
export const CHILD_PLUGIN = 'mainwp-child/mainwp-child.php';

export const statsWith = (parts: Partial<ChildStats>): ChildStats => ({
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
export const completeAbandoned = (items: AbandonedItem[]) => ({ kinds: ['plugin', 'theme'] as const, items });
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

export const ALL_ITEMS: ItemFilter = { status: 'all', hasUpdate: false };

export const SECTIONS = [pluginsSection, themesSection, abandonedSection] as const;

/** Stores the inventory of a report, as a sync does. */
export const storeReport = (
  { database }: TestDatabase,
  site: { id: number; urlKey: string },
  parts: Partial<ChildStats>,
): Promise<void> =>
  database.knex.transaction(async (trx) => {
    for (const section of SECTIONS) {
      const value = section.read(statsWith(parts)) as never;
      if (value !== undefined) await section.write(trx, [{ site, value, now: Date.now(), isFirst: false }]);
    }
  });

export const readModelAt = ({ database }: TestDatabase, now: number, days: number): InventoryReadModel =>
  new InventoryReadModel(database.knex, { now: () => now }, () => days);

/** A site whose responses the test controls. By default it does what each call says. */
class ScriptedChild {
  plugins: ChildPlugin[] = [];
  themes: ChildTheme[] = [];
  calls: string[] = [];
  /** Slugs that an action reports as done and does not change. */
  falseSuccesses = new Set<string>();
  /** State after the action that its response contains. */
  reportedState: 'all' | 'nothing' | 'themes' | 'plugins' = 'all';
  /** Thrown by an action after this number of slugs. */
  failure: { error: Error; after: number } | null = null;
  statsError: Error | null = null;
  refusals: ItemActionResult['refusals'] = [];

  report(): ChildStats {
    return statsWith({ plugins: this.plugins, themes: this.themes });
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

  #act(name: string, slugs: readonly string[], work: (slug: string) => void): Promise<ItemActionResult> {
    this.calls.push(`${name} ${slugs.join('||')}`);
    for (const [at, slug] of slugs.entries()) {
      if (this.failure?.after === at) return Promise.reject(this.failure.error);
      if (!this.falseSuccesses.has(slug)) work(slug);
    }
    if (this.failure) return Promise.reject(this.failure.error);
    const { plugins: _p, themes: _t, ...bare } = this.report();
    const after = {
      all: this.report(),
      nothing: undefined,
      themes: { ...bare, themes: this.themes },
      plugins: { ...bare, plugins: this.plugins },
    }[this.reportedState];
    return Promise.resolve({ claimed: [...slugs], refusals: this.refusals, ...(after ? { after } : {}) });
  }
}

const clock = { now: () => NOON };

/** No retries: an unknown outcome stays unknown. */
export const noVerificationRetries = (clock: Clock): VerificationRetries =>
  new VerificationRetries({
    clock,
    waitsMs: [],
    runner: { wait: () => Promise.reject(new Error('There is no later look.')) },
  });
const days = () => 730;

/** The service with a scripted child. Each test has its own site. */
export class InventoryBench {
  child = new ScriptedChild();
  service!: ItemActionService;
  siteId = 0;
  siteUrl = '';
  readonly testDatabase: TestDatabase;
  #site = { id: 0, urlKey: '' };
  #sites = 0;
  #links!: ChildLinkResolver;
  #sync!: SyncService;

  private constructor(opened: TestDatabase) {
    this.testDatabase = opened;
  }

  static async open(): Promise<InventoryBench> {
    return new InventoryBench(await openTestDatabase());
  }

  async reset(): Promise<void> {
    const { knex } = this.testDatabase.database;
    this.child = new ScriptedChild();
    const sections = [pluginsSection, themesSection];
    const scripted = createScriptedSites({ knex, clock, child: this.child, sections });
    const { child, links, sync, calls, childChanges } = scripted;
    this.#links = links;
    this.#sync = sync;
    this.service = new ItemActionService({
      knex,
      child,
      calls,
      sync,
      childChanges,
      leases: new SiteLeases({ knex, clock, purpose: 'action', pollMs: 10 }),
      retries: noVerificationRetries(clock),
    });
    this.#site = await this.addSite();
    this.siteId = this.#site.id;
    this.siteUrl = `https://${this.#site.urlKey}/`;
  }

  async addSite(status: SiteStatus = 'connected'): Promise<{ id: number; urlKey: string }> {
    const { knex } = this.testDatabase.database;
    const site = await insertSite(this.testDatabase, `site${++this.#sites}.example`, status);
    await storeSiteKey(knex, this.#links, site.id);
    return site;
  }

  /** Stores this state of the child, as a sync does. */
  async sync(plugins: ChildPlugin[], themes: ChildTheme[] = []): Promise<void> {
    Object.assign(this.child, { plugins, themes });
    await this.#sync.store(this.#site, this.child.report(), { complete: false });
  }

  /** Returns slugs as the lists show them. `+` marks active ones. */
  async storedPlugins(): Promise<string[]> {
    return (await this.#lists().plugins(this.siteId, { status: 'all', hasUpdate: false })).map(marked);
  }

  async storedThemes(): Promise<string[]> {
    return (await this.#lists().themes(this.siteId, { status: 'all', hasUpdate: false })).themes.map(marked);
  }

  async changes(): Promise<{ type: string; description: string; actor: string }[]> {
    return this.testDatabase.database
      .knex('changes')
      .where({ site_id: this.siteId })
      .orderBy('id')
      .select<{ type: string; description: string; actor: string }[]>('type', 'description', 'actor');
  }

  async state(): Promise<{ last_sync_at: number | null; sync_error_code: string | null }> {
    return this.testDatabase.database
      .knex('site_states')
      .where({ site_id: this.siteId })
      .first<{ last_sync_at: number | null; sync_error_code: string | null }>('last_sync_at', 'sync_error_code');
  }

  #lists(): InventoryReadModel {
    return new InventoryReadModel(this.testDatabase.database.knex, clock, days);
  }
}

const marked = ({ slug, active }: { slug: string; active: boolean }): string => (active ? `${slug}+` : slug);

export const itemErrorCodes = ({ errors }: { errors: { identifier: unknown; code: string }[] }): string[] =>
  errors.map(({ identifier, code }) => `${String(identifier)} ${code}`);
