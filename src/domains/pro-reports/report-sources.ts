import { groupBy } from '../../shared/group-by.ts';
import { ALL_SITES } from '../../shared/site-scope.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { BackupsServices, KnownBackup } from '../backups/index.ts';
import type { ChangesServices } from '../changes/index.ts';
import {
  CHILD_REPORT_SECTIONS,
  type ChildReport,
  type ChildReportsServices,
  type ShopData,
  type SiteDeadline,
} from '../child-reports/index.ts';
import type { Client, ClientsServices } from '../clients/index.ts';
import type { DomainMonitorServices, DomainProfile } from '../domain-monitor/index.ts';
import type { AbandonedItem, InventoryServices, SiteInventory } from '../inventory/index.ts';
import type { ModulesServices, ModuleSlug } from '../modules/index.ts';
import type { SiteAuditOverview, PerfAuditServices } from '../perf-audit/index.ts';
import type { Formats, SettingsServices } from '../settings/index.ts';
import type { SiteRecord, SitesServices } from '../sites/index.ts';
import type { SslMonitorServices, SslRecord } from '../ssl-monitor/index.ts';
import type { TaskRecord, TimeTrackerServices } from '../time-tracker/index.ts';
import type { PendingUpdate, UpdatesServices } from '../updates/index.ts';
import type { MonitorHistory, UptimeServices } from '../uptime/index.ts';
import type { Exposure, VulnerabilitiesServices } from '../vulnerabilities/index.ts';
import { ChangeLogActivityReader } from './change-log-activity-reader.ts';
import { daysInRange, type DayOfRange } from './report-range.ts';
import type { ReportSourcesQuery } from './report-sources-query.ts';
import { spanForUptimeRatios } from './uptime-ratio-periods.ts';

export interface SourceDeps {
  clock: Clock;
  backups: BackupsServices;
  changes: ChangesServices;
  childReports: ChildReportsServices;
  clients: ClientsServices;
  domainMonitor: DomainMonitorServices;
  inventory: InventoryServices;
  modules: ModulesServices;
  perfAudit: PerfAuditServices;
  settings: SettingsServices;
  sites: SitesServices;
  sslMonitor: SslMonitorServices;
  timeTracker: TimeTrackerServices;
  updates: UpdatesServices;
  uptime: UptimeServices;
  vulnerabilities: VulnerabilitiesServices;
}

export interface SiteTaskSummary {
  newest: TaskRecord[];
  count: number;
  seconds: number;
}

export interface SiteExposures {
  inRange: Exposure[];
  /** Vulnerabilities that are open when the report is made, even if they were found after the range. */
  openNow: Exposure[];
  checkedAt: number | null;
}

export type ExposuresBySite = Pick<SiteExposures, 'checkedAt'> & {
  [Kind in 'inRange' | 'openNow']: ReadonlyMap<number, Exposure[]>;
};

/**
 * Data that the segments of a report read. Stored data is read at the first access, once for all segments and sites. It
 * is null if its module is off.
 */
export class ReportSources {
  readonly query: ReportSourcesQuery;
  readonly deps: SourceDeps;
  readonly activity: ChangeLogActivityReader;
  readonly now: number;
  readonly #ids: readonly number[];
  readonly #reads = new Map<string, Promise<unknown>>();
  #days: readonly DayOfRange[] | null = null;
  readonly #deadlines = new Map<number, SiteDeadline>();

  constructor(deps: SourceDeps, query: ReportSourcesQuery) {
    this.deps = deps;
    this.query = query;
    this.now = query.now;
    this.#ids = query.sites.map(({ id }) => id);
    this.activity = new ChangeLogActivityReader(deps.changes.activity, query);
  }

  get formats(): Formats {
    return this.deps.settings.formats.inZone(this.query.range.zone);
  }

  get days(): readonly DayOfRange[] {
    return (this.#days ??= daysInRange(this.query.range, this.formats.zone()));
  }

  records(): Promise<ReadonlyMap<number, SiteRecord>> {
    return this.#memoize('records', async () => byId(await this.deps.sites.records.of(this.#ids), ({ id }) => id));
  }

  inventories(): Promise<ReadonlyMap<number, SiteInventory>> {
    return this.#memoize('inventories', () => this.deps.inventory.inventoryReadModel.ofSites(this.#ids));
  }

  abandoned(): Promise<ReadonlyMap<number, AbandonedItem[]>> {
    return this.#memoize('abandoned', () => this.deps.inventory.inventoryReadModel.abandonedOf(this.#ids));
  }

  updates(): Promise<ReadonlyMap<number, PendingUpdate[]>> {
    return this.#memoize('updates', () => this.deps.updates.updateReadModel.ofSites(this.#ids));
  }

  clients(): Promise<ReadonlyMap<number, Client>> {
    return this.#memoize('clients', async () => {
      const ids = this.query.sites.flatMap(({ clientId }) => clientId ?? []);
      return byId(await this.deps.clients.clients.fullByIds(ALL_SITES, [...new Set(ids)]), ({ id }) => id);
    });
  }

  backups(): Promise<ReadonlyMap<number, KnownBackup[]>> {
    return this.#memoize('backups', () => this.deps.backups.backups.known(this.#ids));
  }

  childReport(siteId: number): Promise<ChildReport> {
    const { range, segments } = this.query;
    const sections = CHILD_REPORT_SECTIONS.filter((section) => segments.some(({ name }) => name === section));
    const { childReports } = this.deps.childReports;
    return this.#memoize(`child report of ${siteId}`, () =>
      childReports.of(siteId, range, sections, { deadline: this.#deadlineOf(siteId) }),
    );
  }

  shop(siteId: number): Promise<ShopData | null> {
    const { childReports } = this.deps.childReports;
    return childReports.shop(siteId, this.query.range, { deadline: this.#deadlineOf(siteId) });
  }

  monitors(): Promise<ReadonlyMap<number, MonitorHistory>> {
    return this.#memoize('monitors', () =>
      this.deps.uptime.monitors.histories(this.#ids, spanForUptimeRatios(this.query.range, this.now)),
    );
  }

  certificates(): Promise<ReadonlyMap<number, SslRecord> | null> {
    return this.#ofModule('ssl-monitor', async () => {
      const order = { by: 'url', direction: 'asc' } as const;
      const { items } = await this.deps.sslMonitor.sslMonitor.list(
        { scope: ALL_SITES, include: this.#ids },
        order,
        this.#onePage(),
      );
      return byId(items, ({ site }) => site.id);
    });
  }

  domains(): Promise<ReadonlyMap<number, DomainProfile> | null> {
    return this.#ofModule('domain-monitor', async () => {
      const order = { by: 'url', direction: 'asc' } as const;
      const { items } = await this.deps.domainMonitor.domains.list(
        { scope: ALL_SITES, include: this.#ids },
        order,
        this.#onePage(),
      );
      return byId(items, ({ stored: known }) => known.site.id);
    });
  }

  audits(): Promise<ReadonlyMap<number, SiteAuditOverview> | null> {
    return this.#ofModule('perf-audit', async () => {
      const { from, until } = this.query.range;
      const viewing = { strategy: 'both', history: { from, to: until } } as const;
      const page: Page<SiteAuditOverview> = await this.deps.perfAudit.audits.list(
        { scope: ALL_SITES, sites: this.#ids },
        viewing,
        this.#onePage(),
      );
      return byId(page.items, ({ site }) => site.id);
    });
  }

  exposures(): Promise<ExposuresBySite | null> {
    return this.#ofModule('vulnerabilities', async () => {
      const { vulnerabilities } = this.deps.vulnerabilities;
      const { now, query } = this;
      const { from, until } = query.range;
      const { source, exposures: inRange } = await vulnerabilities.exposuresDuring(this.#ids, { from, to: until - 1 });
      if (source === 'none') return null;
      const { exposures: atPresent } = await vulnerabilities.exposuresDuring(this.#ids, { from: now, to: now });
      const openNow = atPresent.filter((exposure) => exposure.until === null);
      const checkedAt = await vulnerabilities.checkedAt();
      return { inRange: bySite(inRange), openNow: bySite(openNow), checkedAt };
    });
  }

  tasks(): Promise<ReadonlyMap<number, SiteTaskSummary>> {
    return this.#memoize('tasks', async () => {
      const tasks = new Map<number, SiteTaskSummary>();
      if (!(await this.#isOn('time-tracker'))) return tasks;
      const { range, maxItems } = this.query;
      const filter = { siteIds: this.#ids, dateFrom: range.startDate, dateTo: range.endDate };
      for await (const task of this.deps.timeTracker.tasks.all(ALL_SITES, filter)) {
        const known = tasks.get(task.siteId ?? 0) ?? { newest: [], count: 0, seconds: 0 };
        tasks.set(task.siteId ?? 0, known);
        known.count++;
        known.seconds += task.elapsedSeconds;
        known.newest.unshift(task);
        if (known.newest.length > maxItems) known.newest.pop();
      }
      return tasks;
    });
  }

  /** All calls of the report to a site share one time limit. Undefined if the report is about this site alone. */
  #deadlineOf(siteId: number): SiteDeadline | undefined {
    if (this.query.isAboutOneSite) return undefined;
    const deadline = this.#deadlines.get(siteId) ?? this.deps.childReports.childReports.siteDeadline(this.query.end);
    this.#deadlines.set(siteId, deadline);
    return deadline;
  }

  #isOn(slug: ModuleSlug): Promise<boolean> {
    return this.#memoize(`module ${slug}`, () => this.deps.modules.modules.isActive(slug));
  }

  #ofModule<T>(slug: ModuleSlug, read: () => Promise<T>): Promise<T | null> {
    return this.#memoize(slug, async () => ((await this.#isOn(slug)) ? read() : null));
  }

  #onePage(): PageRequest {
    return { page: 1, perPage: Math.max(1, this.#ids.length) };
  }

  #memoize<T>(name: string, read: () => Promise<T>): Promise<T> {
    const known = this.#reads.get(name) as Promise<T> | undefined;
    const reading = known ?? read();
    if (!known) this.#reads.set(name, reading);
    return reading;
  }
}

const byId = <T>(all: readonly T[], idOf: (each: T) => number): Map<number, T> =>
  new Map(all.map((each) => [idOf(each), each]));

const bySite = (exposures: readonly Exposure[]): Map<number, Exposure[]> => groupBy(exposures, ({ site }) => site.id);
