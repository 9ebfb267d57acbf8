import { type SiteScope } from '../../shared/site-scope.ts';
import type { Knex } from 'knex';
import { longRead } from '../../db/long-read.ts';
import { chunks } from '../../db/chunks.ts';
import { readCountedPage } from '../../db/counted-page.ts';
import { endLongTurn } from '../../shared/event-loop.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import { whereInScope, whereSiteMatches, SITE_COLUMNS, toSite, type ListedSiteRow, type Site } from '../sites/index.ts';
import type { DeviceAudits, AuditState, Scores, Strategy, StrategyChoice } from './audit.ts';
import {
  AUDIT_COLUMNS,
  AuditRepository,
  emptyAuditOf,
  toAudit,
  type Audit,
  type AuditRow,
  type HistoryEntry,
} from './audit-repository.ts';
import { pickDeviceAudits, visibleAuditState, strategiesOf } from './audit-rules.ts';

export interface SiteAuditOverview {
  site: Site;
  audit: Audit;
  strategy: StrategyChoice;
  sides: DeviceAudits;
  history: HistoryEntry[] | null;
}

/** A site must match all filters. Times are milliseconds since 1970. */
export interface AuditFilter {
  scope: SiteScope;
  siteIds?: readonly number[];
  tagIds?: readonly number[];
  clientIds?: readonly number[];
  state?: AuditState;
  minScore?: number;
  maxScore?: number;
  search?: string;
  checked?: TimeRange;
}

export interface TimeRange {
  from?: number | undefined;
  to?: number | undefined;
}

export interface ResolvedAuditViewOptions {
  strategy: StrategyChoice;
  history?: TimeRange;
}

type JoinedRow = ListedSiteRow & { [Column in keyof AuditRow]: AuditRow[Column] | null } & { is_at_work: number };

const HISTORY = 200;
/** On SQLite, a statement over all sites of a page, with the history of years, would block other calls. */
const SITES_A_STATEMENT = 20;

const IS_OPEN = `perf_audits.state in ('queued', 'running')`;
const IS_AT_WORK = '(jobs.id is not null and jobs.completed_at is null)';
/** SQL version of `visibleAuditState`. */
const STATE = `
  case when perf_audits.state is null then 'never'
    when ${IS_OPEN} and not ${IS_AT_WORK} then 'failed'
    else perf_audits.state end`;

/** Reads the audits of sites. Every site has a record, even if it was never audited. */
export class AuditReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  page(filter: AuditFilter, view: ResolvedAuditViewOptions, request: PageRequest): Promise<Page<SiteAuditOverview>> {
    const toItems = (rows: JoinedRow[]): Promise<SiteAuditOverview[]> => this.#recordsOf(rows, view);
    const chosen = (): Knex.QueryBuilder => this.#filtered(filter, view.strategy);
    const list = { chosen, orderBy: ['sites.url_key'], columns: this.#columns(), toItems, isLong: true };
    return readCountedPage(list, request);
  }

  async get(siteId: number, view: ResolvedAuditViewOptions): Promise<SiteAuditOverview | null> {
    const rows = await this.#joined()
      .where('sites.id', siteId)
      .select<JoinedRow[]>(...this.#columns());
    const [record] = await this.#recordsOf(rows, view);
    return record ?? null;
  }

  async #recordsOf(
    rows: readonly JoinedRow[],
    { strategy, history }: ResolvedAuditViewOptions,
  ): Promise<SiteAuditOverview[]> {
    const ids = rows.map(({ id }) => id);
    const sides = new Map<number, DeviceAudits>();
    const entries = history && new Map<number, HistoryEntry[]>();
    for (const some of chunks(ids, SITES_A_STATEMENT)) {
      for (const [id, ofSite] of await new AuditRepository(this.#knex).deviceAuditsOf(some)) sides.set(id, ofSite);
      await endLongTurn();
      if (!history || !entries) continue;
      for (const [id, ofSite] of await this.#history(some, strategy, history)) entries.set(id, ofSite);
      await endLongTurn();
    }
    return rows.map((row) => {
      const audit = row.state === null ? emptyAuditOf(row.id) : toAudit({ ...(row as AuditRow), site_id: row.id });
      const { id, url, name, status, clientId } = toSite(row);
      return {
        site: { id, url, name, status, clientId },
        audit: { ...audit, ...visibleAuditState(audit, row.is_at_work === 1) },
        sides: pickDeviceAudits(sides.get(id) ?? { desktop: null, mobile: null }, strategy),
        strategy,
        history: entries ? (entries.get(id) ?? []) : null,
      };
    });
  }

  async #history(
    siteIds: readonly number[],
    strategy: StrategyChoice,
    { from, to }: TimeRange,
  ): Promise<Map<number, HistoryEntry[]>> {
    const ranked = this.#knex('perf_audit_history')
      .whereIn('site_id', [...siteIds])
      .whereIn('strategy', [...strategiesOf(strategy)])
      .select(
        '*',
        this.#knex.raw('row_number() over (partition by site_id order by fetched_at desc, id desc) as place'),
      );
    if (from !== undefined) void ranked.where('fetched_at', '>=', from);
    if (to !== undefined) void ranked.where('fetched_at', '<', to);
    const rows = await longRead(this.#knex.from(ranked.as('ranked')))
      .where('place', '<=', HISTORY)
      .orderBy(['site_id', 'place'])
      .select<HistoryRow[]>(...HISTORY_COLUMNS);
    const bySite = new Map<number, HistoryEntry[]>();
    for (const row of rows) {
      const entry = toEntry(row);
      const entries = bySite.get(entry.siteId);
      if (entries) entries.push(entry);
      else bySite.set(entry.siteId, [entry]);
    }
    return bySite;
  }

  #columns() {
    const audit = AUDIT_COLUMNS.map((name) => `perf_audits.${name}`);
    return [...SITE_COLUMNS, ...audit, this.#knex.raw(`case when ${IS_AT_WORK} then 1 else 0 end as is_at_work`)];
  }

  #joined(): Knex.QueryBuilder {
    return this.#knex('sites')
      .leftJoin('perf_audits', 'perf_audits.site_id', 'sites.id')
      .leftJoin('jobs', 'jobs.id', 'perf_audits.job_id');
  }

  #filtered(filter: AuditFilter, strategy: StrategyChoice): Knex.QueryBuilder {
    const { scope, siteIds, tagIds, clientIds, state, minScore, maxScore, search, checked } = filter;
    const query = this.#joined();
    whereInScope(this.#knex, query, scope);
    if (siteIds) void query.whereIn('sites.id', [...siteIds]);
    if (clientIds) void query.whereIn('sites.client_id', [...clientIds]);
    if (tagIds)
      void query.whereIn(
        'sites.id',
        this.#knex('site_tags')
          .whereIn('tag_id', [...tagIds])
          .select('site_id'),
      );
    if (state) void query.whereRaw(`${STATE} = ?`, [state]);
    const scored = { lowest: minScore, highest: maxScore };
    if (minScore !== undefined || maxScore !== undefined) void this.#scored(query, strategy, scored);
    if (checked?.from !== undefined) void query.where('perf_audits.last_check_at', '>=', checked.from);
    if (checked?.to !== undefined) void query.where('perf_audits.last_check_at', '<', checked.to);
    whereSiteMatches(query, search);
    return query;
  }

  /** Filters by `lowestPerformanceScore` of the audited devices. Excludes sites without a score. */
  #scored(
    query: Knex.QueryBuilder,
    strategy: StrategyChoice,
    { lowest = 0, highest = 100 }: { lowest?: number | undefined; highest?: number | undefined },
  ): void {
    const scores = this.#knex('perf_audit_sides')
      .whereIn('strategy', [...strategiesOf(strategy)])
      .groupBy('site_id')
      .havingRaw('min(performance) between ? and ?', [lowest, highest])
      .select('site_id');
    void query.whereIn('sites.id', scores);
  }
}

interface HistoryRow {
  site_id: number;
  audit_id: string;
  strategy: Strategy;
  fetched_at: number;
  performance: number | null;
  accessibility: number | null;
  best_practices: number | null;
  seo: number | null;
}

const HISTORY_COLUMNS = [
  'site_id',
  'audit_id',
  'strategy',
  'fetched_at',
  'performance',
  'accessibility',
  'best_practices',
  'seo',
] as const;

const scoresIn = ({ performance, accessibility, best_practices: bestPractices, seo }: HistoryRow): Scores => ({
  performance,
  accessibility,
  bestPractices,
  seo,
});

const toEntry = (row: HistoryRow): HistoryEntry => ({
  siteId: row.site_id,
  auditId: row.audit_id,
  strategy: row.strategy,
  fetchedAt: row.fetched_at,
  scores: scoresIn(row),
});
