import type { Formats } from '../settings/index.ts';
import type { KnownBackup } from '../backups/index.ts';
import type { ChildReport, ShopData } from '../child-reports/index.ts';
import type { Client } from '../clients/index.ts';
import type { DomainProfile } from '../domain-monitor/index.ts';
import type { AbandonedItem, SiteInventory } from '../inventory/index.ts';
import type { AuditRecord } from '../perf-audit/index.ts';
import type { SiteRecord } from '../sites/index.ts';
import type { SslRecord } from '../ssl-monitor/index.ts';
import type { PendingUpdate } from '../updates/index.ts';
import type { MonitorHistory } from '../uptime/index.ts';
import type { Exposure } from '../vulnerabilities/index.ts';
import type { LoggedChange } from '../changes/index.ts';
import type { SegmentActivity } from './activity.ts';
import type { ReportedSite } from './report.ts';
import type { Sources, SiteTasks } from './sources.ts';
import type { Topic } from './sources-query.ts';

/** What is known of one site. */
export class SiteSources {
  readonly site: ReportedSite;
  readonly #all: Sources;

  constructor(all: Sources, site: ReportedSite) {
    this.#all = all;
    this.site = site;
  }

  /** When the report is made, in milliseconds since 1970. */
  get now(): number {
    return this.#all.now;
  }

  get formats(): Formats {
    return this.#all.parts.settings.formats;
  }

  /** What the change log has of a segment. */
  activity(segment: Topic): Promise<SegmentActivity> {
    return this.#all.activity.of(this.site.id, segment);
  }

  /** All that it has, the newest first, read as it is taken. */
  streamedActivity(segment: Topic): AsyncIterable<LoggedChange> {
    return this.#all.activity.stream(this.site.id, segment);
  }

  /** The synced record; null when the site is gone meanwhile. */
  async record(): Promise<SiteRecord | null> {
    return (await this.#all.records()).get(this.site.id) ?? null;
  }

  async inventory(): Promise<SiteInventory> {
    return (await this.#all.inventories()).get(this.site.id) ?? { plugins: [], themes: [], activeTheme: null };
  }

  /** The longest abandoned first. */
  async abandoned(): Promise<AbandonedItem[]> {
    return (await this.#all.abandoned()).get(this.site.id) ?? [];
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

  /** From the first of the range, or of the days that ratios go back to, until its end. */
  async monitor(): Promise<MonitorHistory | null> {
    return (await this.#all.monitors()).get(this.site.id) ?? null;
  }

  async certificate(): Promise<SslRecord | null> {
    return (await this.#all.certificates())?.get(this.site.id) ?? null;
  }

  async domain(): Promise<DomainProfile | null> {
    return (await this.#all.domains())?.get(this.site.id) ?? null;
  }

  async audits(): Promise<AuditRecord | null> {
    return (await this.#all.audits())?.get(this.site.id) ?? null;
  }

  /** Null where nobody knows what is vulnerable. */
  async exposures(): Promise<{ checkedAt: number | null; exposures: Exposure[] } | null> {
    const all = await this.#all.exposures();
    return all && { ...all, exposures: all.exposures.filter(({ site }) => site.id === this.site.id) };
  }

  /** The tasks of the days. */
  async tasks(): Promise<SiteTasks> {
    return (await this.#all.tasks()).get(this.site.id) ?? { newest: [], count: 0, seconds: 0 };
  }
}
