import type { Formats } from '../settings/index.ts';
import type { KnownBackup } from '../backups/index.ts';
import type { ChildReport, ShopData } from '../child-reports/index.ts';
import type { Client } from '../clients/index.ts';
import type { DomainProfile } from '../domain-monitor/index.ts';
import type { AbandonedItem, SiteInventory } from '../inventory/index.ts';
import type { SiteAuditOverview } from '../perf-audit/index.ts';
import type { SiteRecord } from '../sites/index.ts';
import type { SslRecord } from '../ssl-monitor/index.ts';
import type { PendingUpdate } from '../updates/index.ts';
import type { MonitorHistory } from '../uptime/index.ts';
import type { LoggedChange } from '../changes/index.ts';
import type { SegmentActivity } from './change-log-activity-reader.ts';
import type { ReportedSite } from './report.ts';
import type { DayOfRange } from './report-range.ts';
import type { ReportSources, SiteExposures, SiteTaskSummary } from './report-sources.ts';
import type { SegmentChangeTypes } from './report-sources-query.ts';

export class SiteSources {
  readonly site: ReportedSite;
  readonly #all: ReportSources;

  constructor(all: ReportSources, site: ReportedSite) {
    this.#all = all;
    this.site = site;
  }

  get now(): number {
    return this.#all.now;
  }

  get formats(): Formats {
    return this.#all.formats;
  }

  get days(): readonly DayOfRange[] {
    return this.#all.days;
  }

  activity(segment: SegmentChangeTypes): Promise<SegmentActivity> {
    return this.#all.activity.of(this.site.id, segment);
  }

  streamedActivity(segment: SegmentChangeTypes): AsyncIterable<LoggedChange> {
    return this.#all.activity.stream(this.site.id, segment);
  }

  async record(): Promise<SiteRecord | null> {
    return (await this.#all.records()).get(this.site.id) ?? null;
  }

  async inventory(): Promise<SiteInventory> {
    return (await this.#all.inventories()).get(this.site.id) ?? { plugins: [], themes: [], activeTheme: null };
  }

  async abandoned(): Promise<AbandonedItem[]> {
    return (await this.#all.abandoned()).get(this.site.id) ?? [];
  }

  async updates(): Promise<PendingUpdate[]> {
    return (await this.#all.updates()).get(this.site.id) ?? [];
  }

  childReport(): Promise<ChildReport> {
    return this.#all.childReport(this.site.id);
  }

  shop(): Promise<ShopData | null> {
    return this.#all.shop(this.site.id);
  }

  async backups(): Promise<KnownBackup[]> {
    return (await this.#all.backups()).get(this.site.id) ?? [];
  }

  async client(): Promise<Client | null> {
    const { clientId } = this.site;
    return clientId === null ? null : ((await this.#all.clients()).get(clientId) ?? null);
  }

  /**
   * Returns the uptime checks of the site. They begin at the start of the range, or earlier if an uptime ratio covers a
   * longer period.
   */
  async monitor(): Promise<MonitorHistory | null> {
    return (await this.#all.monitors()).get(this.site.id) ?? null;
  }

  async certificate(): Promise<SslRecord | null> {
    return (await this.#all.certificates())?.get(this.site.id) ?? null;
  }

  async domain(): Promise<DomainProfile | null> {
    return (await this.#all.domains())?.get(this.site.id) ?? null;
  }

  async audits(): Promise<SiteAuditOverview | null> {
    return (await this.#all.audits())?.get(this.site.id) ?? null;
  }

  /** Returns null if the module `vulnerabilities` is off or has no vulnerability feed. */
  async exposures(): Promise<SiteExposures | null> {
    const all = await this.#all.exposures();
    const { id } = this.site;
    return all && { ...all, inRange: all.inRange.get(id) ?? [], openNow: all.openNow.get(id) ?? [] };
  }

  async tasks(): Promise<SiteTaskSummary> {
    return (await this.#all.tasks()).get(this.site.id) ?? { newest: [], count: 0, seconds: 0 };
  }
}
