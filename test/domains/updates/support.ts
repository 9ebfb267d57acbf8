import { randomBytes } from 'node:crypto';
import type { ChildPlugin, ChildStats, ChildUpdate, UpgradeResult } from '../../../src/connector/child-site.ts';
import { Alerts } from '../../../src/domains/mail/alerts.ts';
import { SettingsService } from '../../../src/domains/settings/index.ts';
import { pluginsSection } from '../../../src/domains/inventory/index.ts';
import { coreSection, SiteLeases, type SiteWithUrlKey, type SyncService } from '../../../src/domains/sites/index.ts';
import {
  BrokenSiteRecorder,
  createHealthProbes,
  IgnoreRuleService,
  SiteHealth,
  SiteUpdater,
  UPDATE_TYPES,
  UpdateGuards,
  updatesSection,
} from '../../../src/domains/updates/index.ts';
import { OwnUpdates } from '../../../src/domains/uptime/own-updates.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { storeSiteKey, createScriptedSites } from '../../support/scripted-sites.ts';
import { insertSite, noVerificationRetries, plugin, statsWith } from '../inventory/support.ts';

const NO_CAUSE = { errorCode: null, message: null, rolledBack: false };

const waiting = (type: ChildUpdate['type'], slug: string, newVersion = '2.0', currentVersion = '1.0'): ChildUpdate => ({
  type,
  slug,
  name: slug.toUpperCase(),
  currentVersion,
  newVersion,
});

/** A site with plugins of version 1.0 and updates to 2.0, unless the test changes that. */
class ScriptedUpdateChild {
  versions = new Map<string, string>();
  calls: string[] = [];
  /** Reported result and real result of an update, if they differ from the offered update. */
  scripts = new Map<string, { claim?: Partial<UpgradeResult['claims'][number]>; becomes?: string; breaks?: Error }>();
  /** Offered version of a plugin, if it is not 2.0. */
  offers = new Map<string, string>();
  statsError: Error | null = null;
  /** Error of the state from the first update on. */
  statsErrorAfterUpdate: Error | null = null;
  /** Called before each update of plugins. */
  onUpdate: () => Promise<unknown> = () => Promise.resolve();
  active = new Set<string>();
  core: { version: string; update: string | null } = { version: '6.8', update: null };

  report(): ChildStats {
    const plugins: ChildPlugin[] = [...this.versions].map(([slug, version]) =>
      plugin(slug, { version, active: this.active.has(slug) }),
    );
    const updates = plugins
      .filter(({ version }) => version.startsWith('1.'))
      .map(({ slug, version }) => waiting('plugin', slug, this.offers.get(slug), version));
    const { version, update } = this.core;
    if (update !== null) updates.push(waiting('core', 'wordpress', update, version));
    return statsWith({ plugins, updates, wpVersion: version });
  }

  get hasUpdated(): boolean {
    return this.calls.some((call) => call.startsWith('update'));
  }

  upgradeCore(): Promise<UpgradeResult> {
    this.calls.push('update wordpress');
    const { breaks } = this.scripts.get('wordpress') ?? {};
    return breaks ? Promise.reject(breaks) : Promise.resolve({ claims: [] });
  }

  stats(): Promise<ChildStats> {
    this.calls.push('stats');
    const error = this.statsError ?? (this.hasUpdated ? this.statsErrorAfterUpdate : null);
    return error ? Promise.reject(error) : Promise.resolve(this.report());
  }

  async upgradePlugins(_link: unknown, slugs: readonly string[]): Promise<UpgradeResult> {
    this.calls.push(`update ${slugs.join()}`);
    await this.onUpdate();
    const claims = slugs.map((slug) => {
      const { claim, becomes = '2.0', breaks } = this.scripts.get(slug) ?? {};
      const oldVersion = this.versions.get(slug) ?? '';
      if (becomes === 'gone') this.versions.delete(slug);
      else if (becomes !== 'nothing') this.versions.set(slug, becomes);
      if (breaks) throw breaks;
      return { slug, success: true, oldVersion, version: this.versions.get(slug) ?? '', ...NO_CAUSE, ...claim };
    });
    return { claims };
  }
}

/** The domain with a scripted child. Each test has its own site. */
export class UpdateBench {
  readonly clock = { time: Date.UTC(2026, 10, 21, 12), now: () => this.clock.time };
  child = new ScriptedUpdateChild();
  /** HTTP status of the home page after the first update. Before, it is 200. */
  pageStatus = 200;
  site: SiteWithUrlKey = { id: 0, url: '', name: '', status: 'connected', clientId: null, urlKey: '' };
  updater!: SiteUpdater;
  /** Returns the objects of another process on the same database. */
  process!: () => { leases: SiteLeases; updater: SiteUpdater };
  ignored!: IgnoreRuleService;
  sync!: SyncService;
  readonly testDatabase: TestDatabase;
  #sites = 0;

  private constructor(opened: TestDatabase) {
    this.testDatabase = opened;
  }

  static async open(): Promise<UpdateBench> {
    return new UpdateBench(await openTestDatabase());
  }

  /** Creates a site with these plugins, each with an update from the last sync. */
  async reset(slugs: readonly string[]): Promise<void> {
    const { clock } = this;
    const { knex } = this.testDatabase.database;
    this.child = new ScriptedUpdateChild();
    this.pageStatus = 200;
    this.child.versions = new Map(slugs.map((slug) => [slug, '1.0']));
    const sections = [coreSection, pluginsSection, updatesSection];
    const sites = createScriptedSites({ knex, clock, child: this.child, sections });
    const { child, links, sync, calls, changeLog, sealing } = sites;
    this.sync = sync;
    this.process = () => {
      const leases = new SiteLeases({ knex, clock, purpose: 'update', pollMs: 10 });
      const parts = { knex, clock, child, calls, sync, changeLog, leases, looks: noVerificationRetries(clock) };
      const settings = new SettingsService({ database: this.testDatabase.database, clock, changeLog, sealing });
      const probes = createHealthProbes({
        settings,
        requestHomePage: () =>
          Promise.resolve({ status: this.child.hasUpdated ? this.pageStatus : 200, isTemporary: false }),
        requestPages: () => Promise.resolve([]),
        requestUnknownAction: () => Promise.resolve({ status: 400, body: '0', isTemporary: false }),
        calls,
        readState: () => this.child.stats(),
        opensHomePage: () => Promise.resolve(true),
      });
      const health = new SiteHealth(probes, 1);
      const isAlwaysChecked = () => settings.current('general').check_http_response === 1;
      const brokenSites = new BrokenSiteRecorder({ knex, alerts: new Alerts(clock), health });
      const backups = { check: () => Promise.resolve() };
      const vulnerable = { areKnown: () => Promise.resolve(true), areKnownIfActive: () => Promise.resolve(true) };
      const shown = () => UPDATE_TYPES;
      const ownUpdates = new OwnUpdates(knex, clock);
      const guards = new UpdateGuards([]);
      const readPageError = () => Promise.resolve(null);
      const rest = {
        guards,
        readPageError,
        health,
        isAlwaysChecked,
        brokenSites,
        ownUpdates,
        backups,
        shown,
        vulnerable,
      };
      return { leases, updater: new SiteUpdater({ ...parts, ...rest }) };
    };
    this.updater = this.process().updater;
    this.ignored = new IgnoreRuleService({ knex, clock, changeLog });
    const { id, urlKey } = await insertSite(this.testDatabase, `site${++this.#sites}.example`);
    this.site = { ...this.site, id, urlKey, url: `https://${urlKey}/`, name: urlKey };
    await storeSiteKey(knex, links, id);
    await this.sync.store(this.site, this.child.report(), { complete: false });
    this.child.calls = [];
  }

  /** Creates an item of an update job. Its run can be interrupted and resumed. */
  async item(): Promise<number> {
    const { knex } = this.testDatabase.database;
    const jobId = `update_${randomBytes(8).toString('hex')}`;
    const job = { kind: 'update', state: 'processing', requested_by: 'test', input: '{}', created_at: 1 };
    await knex('jobs').insert({ id: jobId, ...job, total: 1, processed: 0, succeeded: 0, failed: 0 });
    const item = { job_id: jobId, position: 0, site_id: this.site.id, identifier: 'x', state: 'running', attempt: 1 };
    const [id] = await knex('job_items').insert(item);
    return Number(id);
  }

  async changes(): Promise<string[]> {
    return this.testDatabase.database
      .knex('changes')
      .where({ site_id: this.site.id })
      .orderBy('id')
      .pluck<string[]>('description');
  }

  /** Returns slugs of stored updates. `-` marks ignored ones. */
  async stored(): Promise<string[]> {
    const rows = await this.testDatabase.database
      .knex('site_updates')
      .where({ site_id: this.site.id })
      .orderBy('slug')
      .select<{ slug: string; ignored: number }[]>('slug', 'ignored');
    return rows.map(({ slug, ignored }) => (ignored === 1 ? `${slug}-` : slug));
  }
}
