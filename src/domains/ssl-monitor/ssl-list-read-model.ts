import { type SiteScope } from '../../shared/site-scope.ts';
import type { Knex } from 'knex';
import { longRead } from '../../db/long-read.ts';
import { limitToPage } from '../../db/page-limit.ts';
import { countRows } from '../../db/count-rows.ts';
import type { PresentedCertificate } from '../../outbound/outbound.ts';
import { DAY, type Clock } from '../../shared/clock.ts';
import type { ListOrder } from '../../shared/list-order.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import {
  whereInScope,
  whereSiteMatches,
  SITE_COLUMNS,
  toSite,
  type SiteWithUrlKey,
  type ListedSiteRow,
} from '../sites/index.ts';
import { toCertificate } from './certificate-repository.ts';
import {
  stateInputOf,
  SSL_MONITOR_COLUMNS,
  toSslMonitor,
  uncheckedMonitor,
  type SslMonitor,
  type SslMonitorRow,
} from './ssl-monitor-repository.ts';
import { sslStateOf, type SslState } from './ssl-state.ts';

export interface SslRecord {
  site: SiteWithUrlKey;
  monitor: SslMonitor;
  certificate: PresentedCertificate | null;
  state: SslState;
  thresholdDays: number;
  now: number;
}

export interface SslFilter {
  scope: SiteScope;
  state?: SslState;
  search?: string;
  include?: readonly number[];
  exclude?: readonly number[];
}

/**
 * Order of the list. Sites with equal expiry times are in ascending order of addresses. Sites without a certificate are
 * last.
 */
export type SslOrder = ListOrder<'url' | 'valid_to'>;

type JoinedRow = ListedSiteRow & { [Column in keyof SslMonitorRow]: SslMonitorRow[Column] | null } & {
  key_fingerprint: string | null;
  facts: string | null;
};

/** SQL version of `sslStateOf`. A test compares both. */
const STATE_SQL = `case
  when ssl_monitors.last_check_at is null then 'unknown'
  when ssl_monitors.fault in ('unreachable', 'no_tls') then ssl_monitors.fault
  when ssl_monitors.valid_to < ? then 'expired'
  when ssl_monitors.valid_from > ? then 'not_yet_valid'
  when ssl_monitors.fault is not null then ssl_monitors.fault
  when ssl_monitors.valid_to < ? + (coalesce(ssl_monitors.threshold_days, ?) + 1) * ? then 'expiring'
  else 'valid' end`;

/**
 * Reads the certificates of sites. Every site has a record, but a site that was never checked has no row in
 * `ssl_monitors`.
 */
export class SslList {
  readonly #knex: Knex;
  readonly #clock: Clock;
  readonly #thresholdDays: () => number;

  constructor(knex: Knex, clock: Clock, thresholdDays: () => number) {
    this.#knex = knex;
    this.#clock = clock;
    this.#thresholdDays = thresholdDays;
  }

  async page(filter: SslFilter, { by, direction }: SslOrder, request: PageRequest): Promise<Page<SslRecord>> {
    const now = this.#clock.now();
    const isSorted = by !== 'url' || filter.state !== undefined;
    const rows = longRead(this.#withCertificates(this.#filtered(filter, now)), isSorted);
    if (by === 'valid_to')
      void rows
        .orderByRaw('case when ssl_monitors.valid_to is null then 1 else 0 end')
        .orderBy('ssl_monitors.valid_to', direction);
    const [total, joinedRows] = await Promise.all([
      countRows(longRead(this.#filtered(filter, now))),
      rows.orderBy('sites.url_key', by === 'url' ? direction : 'asc').modify(limitToPage, request) as Promise<
        JoinedRow[]
      >,
    ]);
    return { items: joinedRows.map((row) => this.#recordOf(row, now)), ...request, total };
  }

  async get(siteId: number): Promise<SslRecord | null> {
    const [row] = (await this.#withCertificates(this.#joined()).where('sites.id', siteId)) as JoinedRow[];
    return row ? this.#recordOf(row, this.#clock.now()) : null;
  }

  #recordOf(row: JoinedRow, now: number): SslRecord {
    const site = toSite(row);
    const monitor = row.site_id === null ? uncheckedMonitor(site.id) : toSslMonitor(row as SslMonitorRow);
    const thresholdDays = monitor.thresholdDays ?? this.#thresholdDays();
    const { fingerprint, facts, key_fingerprint, valid_from, valid_to } = row;
    const certificate =
      fingerprint === null || facts === null || key_fingerprint === null
        ? null
        : toCertificate({ fingerprint, facts, key_fingerprint, valid_from, valid_to });
    const state = sslStateOf(stateInputOf(monitor), { now, thresholdDays });
    return { site, monitor, certificate, state, thresholdDays, now };
  }

  #joined(): Knex.QueryBuilder {
    return this.#knex('sites').leftJoin('ssl_monitors', 'ssl_monitors.site_id', 'sites.id');
  }

  #withCertificates(query: Knex.QueryBuilder): Knex.QueryBuilder {
    return query
      .leftJoin('ssl_certificates', (join) => {
        join
          .on('ssl_certificates.site_id', 'ssl_monitors.site_id')
          .andOn('ssl_certificates.fingerprint', 'ssl_monitors.fingerprint');
      })
      .select(...SITE_COLUMNS, ...SSL_MONITOR_COLUMNS, 'ssl_certificates.key_fingerprint', 'ssl_certificates.facts');
  }

  #filtered({ scope, state, search, include, exclude }: SslFilter, now: number): Knex.QueryBuilder {
    const query = this.#joined();
    whereInScope(this.#knex, query, scope);
    if (include?.length) void query.whereIn('sites.id', [...include]);
    if (exclude?.length) void query.whereNotIn('sites.id', [...exclude]);
    whereSiteMatches(query, search);
    if (state !== undefined)
      void query.whereRaw(`${STATE_SQL} = ?`, [now, now, now, this.#thresholdDays(), DAY, state]);
    return query;
  }
}
