import type { Knex } from 'knex';
import type { Clock } from '../../shared/clock.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import { ExposureReadModel, type Exposure, type ExposureNumbers, type ExposureOrder } from './exposure-read-model.ts';
import type { ExposureFilter } from './exposure-search-read-model.ts';
import { FeedRepository, type StoredFeed } from './feed-repository.ts';
import { configuredFeeds, sourceOf, type FeedSettings, type VulnerabilitySource } from './feed-settings.ts';
import { feedKey } from './feeds/feed.ts';
import {
  VulnerabilityReadModel,
  type Vulnerability,
  type VulnerabilityOrder,
  type VulnerabilityPage,
} from './vulnerability-read-model.ts';
import { SEVERITIES, type Notice, type Severity } from './vulnerability.ts';

export interface ExposureSummary extends ExposureNumbers {
  source: VulnerabilitySource;
  feeds: Omit<StoredFeed, 'id' | 'generation' | 'mark'>[];
}

/**
 * Provides the vulnerabilities and exposures of the fleet. Everything is empty while no feed is configured, even if
 * records of an earlier feed are stored.
 */
export class Vulnerabilities {
  readonly #knex: Knex;
  readonly #clock: Clock;
  readonly #settings: FeedSettings;
  readonly #exposures: ExposureReadModel;
  readonly #vulnerabilities: VulnerabilityReadModel;

  constructor({ knex, clock, settings }: { knex: Knex; clock: Clock; settings: FeedSettings }) {
    this.#knex = knex;
    this.#clock = clock;
    this.#settings = settings;
    this.#exposures = new ExposureReadModel(knex);
    this.#vulnerabilities = new VulnerabilityReadModel(knex);
  }

  now(): number {
    return this.#clock.now();
  }

  source(): VulnerabilitySource {
    return sourceOf(configuredFeeds(this.#settings));
  }

  list(filter: ExposureFilter, order: VulnerabilityOrder, request: PageRequest): Promise<VulnerabilityPage> {
    if (this.source() === 'none') return Promise.resolve({ items: [], ...request, total: 0, notices: [] });
    return this.#vulnerabilities.page(filter, order, request);
  }

  /** Throws `svc_vulnerability_not_found`. */
  get(id: number): Promise<{ vulnerability: Vulnerability; notices: Notice[] }> {
    // No record has the ID 0, so `get` throws.
    return this.#vulnerabilities.get(this.source() === 'none' ? 0 : id);
  }

  exposures(filter: ExposureFilter, order: ExposureOrder, request: PageRequest): Promise<Page<Exposure>> {
    if (this.source() === 'none') return Promise.resolve({ items: [], ...request, total: 0 });
    return this.#exposures.page(filter, order, request);
  }

  async exposuresDuring(
    siteIds: readonly number[],
    span: { from: number; to: number },
  ): Promise<{ source: VulnerabilitySource; exposures: Exposure[] }> {
    const source = this.source();
    return { source, exposures: source === 'none' ? [] : await this.#exposures.ofSites(siteIds, span) };
  }

  async checkedAt(): Promise<number | null> {
    const configured = new Set(configuredFeeds(this.#settings).map(feedKey));
    const feeds = await new FeedRepository(this.#knex).list();
    const times = feeds.flatMap((feed) => (configured.has(feedKey(feed)) ? (feed.checkedAt ?? []) : []));
    return times.length === 0 ? null : Math.max(...times);
  }

  async summary(): Promise<ExposureSummary> {
    const configured = configuredFeeds(this.#settings);
    const kept = new Map((await new FeedRepository(this.#knex).list()).map((feed) => [feedKey(feed), feed]));
    const feeds = configured.map((feed) => kept.get(feedKey(feed)) ?? { ...UNREAD, ...feed });
    const numbers = configured.length === 0 ? NOTHING : await this.#exposures.numbers();
    return { ...numbers, source: sourceOf(configured), feeds };
  }
}

const UNREAD = { records: 0, skipped: 0, checkedAt: null, readAt: null, error: null, errorAt: null };

const NOTHING: ExposureNumbers = {
  sites: 0,
  since: null,
  severities: Object.fromEntries(
    SEVERITIES.map((severity) => [severity, { exposures: 0, vulnerabilities: 0, sites: 0, since: null }]),
  ) as Record<Severity, ExposureNumbers['severities'][Severity]>,
};
