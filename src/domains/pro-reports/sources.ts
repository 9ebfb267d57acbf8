import type { BackupsServices, KnownBackup } from '../backups/index.ts';
import {
  CHILD_REPORT_SECTIONS,
  type ChildReport,
  type ChildReportsServices,
  type ShopData,
} from '../child-reports/index.ts';
import type { Client, ClientsServices } from '../clients/index.ts';
import type { InventoryServices, SiteInventory } from '../inventory/index.ts';
import type { SettingsServices } from '../settings/index.ts';
import type { SiteRecord, SitesServices } from '../sites/index.ts';
import type { PendingUpdate, UpdatesServices } from '../updates/index.ts';
import type { ReportedSite, ReportRange } from './report.ts';
import type { Segment } from './segment.ts';

/** The parts whose records reports tell of. */
export interface SourceParts {
  backups: BackupsServices;
  childReports: ChildReportsServices;
  clients: ClientsServices;
  inventory: InventoryServices;
  settings: SettingsServices;
  sites: SitesServices;
  updates: UpdatesServices;
}

export interface SourcesQuery {
  sites: readonly ReportedSite[];
  range: ReportRange;
  /** All that the report has. */
  segments: readonly Segment[];
  maxItems: number;
}

/**
 * What is known of the sites of a report: each source is read once for all of its segments and sites, when the first
 * of them asks.
 */
export class Sources {
  readonly query: SourcesQuery;
  readonly #parts: SourceParts;
  readonly #ids: readonly number[];
  readonly #reads = new Map<string, Promise<unknown>>();

  constructor(parts: SourceParts, query: SourcesQuery) {
    this.#parts = parts;
    this.query = query;
    this.#ids = query.sites.map(({ id }) => id);
  }

  /** What of all this is about one site. */
  of(site: ReportedSite): SiteSources {
    return new SiteSources(this, site);
  }

  /** Synced records by site; one that is gone meanwhile is not there. */
  records(): Promise<ReadonlyMap<number, SiteRecord>> {
    return this.#once('records', async () => {
      const records = await this.#parts.sites.records.of(this.#ids);
      return new Map(records.map((record) => [record.id, record]));
    });
  }

  inventories(): Promise<ReadonlyMap<number, SiteInventory>> {
    return this.#once('inventories', () => this.#parts.inventory.inventoryReadModel.ofSites(this.#ids));
  }

  updates(): Promise<ReadonlyMap<number, PendingUpdate[]>> {
    return this.#once('updates', () => this.#parts.updates.updateReadModel.ofSites(this.#ids));
  }

  /** The clients of the sites, by their own IDs. */
  clients(): Promise<ReadonlyMap<number, Client>> {
    return this.#once('clients', async () => {
      const ids = this.query.sites.flatMap(({ clientId }) => clientId ?? []);
      const clients = await this.#parts.clients.clients.wholeByIds([...new Set(ids)]);
      return new Map(clients.map((client) => [client.id, client]));
    });
  }

  /** Last backups that are known of without asking the sites. */
  backups(): Promise<ReadonlyMap<number, KnownBackup[]>> {
    return this.#once('backups', () => this.#parts.backups.backups.known(this.#ids));
  }

  /** What plugins of a site recorded; it is asked once for all segments that tell of it. */
  childReport(siteId: number): Promise<ChildReport> {
    const { range, segments } = this.query;
    const sections = CHILD_REPORT_SECTIONS.filter((section) => segments.some(({ name }) => name === section));
    const { childReports } = this.#parts.childReports;
    return this.#once(`child report of ${siteId}`, () =>
      childReports.of(siteId, range, sections, { oneOfMany: this.#ids.length > 1 }),
    );
  }

  shop(siteId: number): Promise<ShopData | null> {
    const { childReports } = this.#parts.childReports;
    return childReports.shop(siteId, this.query.range, { oneOfMany: this.#ids.length > 1 });
  }

  #once<T>(name: string, read: () => Promise<T>): Promise<T> {
    const known = this.#reads.get(name) as Promise<T> | undefined;
    const reading = known ?? read();
    if (!known) this.#reads.set(name, reading);
    return reading;
  }
}

/** What is known of one site. */
export class SiteSources {
  readonly site: ReportedSite;
  readonly #all: Sources;

  constructor(all: Sources, site: ReportedSite) {
    this.#all = all;
    this.site = site;
  }

  /** The synced record; null when the site is gone meanwhile. */
  async record(): Promise<SiteRecord | null> {
    return (await this.#all.records()).get(this.site.id) ?? null;
  }

  async inventory(): Promise<SiteInventory> {
    return (await this.#all.inventories()).get(this.site.id) ?? { plugins: [], themes: [], activeTheme: null };
  }

  /** What waits and is not ignored. */
  async updates(): Promise<PendingUpdate[]> {
    return (await this.#all.updates()).get(this.site.id) ?? [];
  }

  /** What plugins of the site recorded; the site is called for it. */
  childReport(): Promise<ChildReport> {
    return this.#all.childReport(this.site.id);
  }

  /** Its shop; null where it has none. The site is called for it. */
  shop(): Promise<ShopData | null> {
    return this.#all.shop(this.site.id);
  }

  async backups(): Promise<KnownBackup[]> {
    return (await this.#all.backups()).get(this.site.id) ?? [];
  }

  /** Whom the site belongs to; null where it is nobody. */
  async client(): Promise<Client | null> {
    const { clientId } = this.site;
    return clientId === null ? null : ((await this.#all.clients()).get(clientId) ?? null);
  }
}
