import { type SiteScope } from '../../shared/site-scope.ts';
import type { Knex } from 'knex';
import { longRead } from '../../db/long-read.ts';
import { limitToPage } from '../../db/page-limit.ts';
import { countRows } from '../../db/count-rows.ts';
import { DAY } from '../../shared/clock.ts';
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
import type { SiteDomain, WatchedDomain } from './watched-domain.ts';
import { DOMAIN_COLUMNS, toDomain, type NamedDomainRow } from './domain-repository.ts';
import type { DomainCondition, DomainState } from './domain-state.ts';
import { SITE_DOMAIN_COLUMNS, toSiteDomain, type SiteDomainRow } from './site-domain-repository.ts';

/** `condition` and `expiresAt` come from the manual entry if there is one. */
export interface StoredProfile {
  site: SiteWithUrlKey;
  /** Null until the first check, change or scheduled run creates the row. */
  watch: SiteDomain | null;
  domain: WatchedDomain | null;
  condition: DomainCondition;
  expiresAt: number | null;
}

export interface ProfileFilter {
  scope: SiteScope;
  status?: DomainState;
  search?: string;
  include?: readonly number[];
  exclude?: readonly number[];
}

/** Sites with equal expiry dates are in ascending order of their URLs. Sites without a date are last. */
export type ProfileOrder = ListOrder<'url' | 'expiry_date'>;

export interface StateContext {
  now: number;
  thresholdDays: number;
}

type Nullable<Row> = { [Column in keyof Row]: Row[Column] | null };
type JoinedRow = ListedSiteRow &
  Nullable<SiteDomainRow> &
  Nullable<NamedDomainRow> & { known_condition: DomainCondition; known_expires_at: number | null };

const CONDITION = `case when site_domains.site_id is null then 'unknown'
  when site_domains.manual is not null then site_domains.manual_condition
  when site_domains.domain is null then 'unsupported_tld'
  else coalesce(domains.condition_code, 'unknown') end`;
const EXPIRES_AT = `case when site_domains.manual is not null then site_domains.manual_expires_at
  else domains.expires_at end`;

export class ProfileReadModel {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async page(
    filter: ProfileFilter,
    { by, direction }: ProfileOrder,
    moment: StateContext,
    request: PageRequest,
  ): Promise<Page<StoredProfile>> {
    const isSorted = by !== 'url' || filter.status !== undefined;
    const rows = longRead(this.#columns(this.#filtered(filter, moment)), isSorted).modify(limitToPage, request);
    const ordered =
      by === 'url'
        ? rows.orderBy('sites.url_key', direction)
        : rows
            .orderByRaw(`case when ${EXPIRES_AT} is null then 1 else 0 end, ${EXPIRES_AT} ${direction}`)
            .orderBy('sites.url_key');
    const [total, joinedRows] = await Promise.all([
      countRows(longRead(this.#filtered(filter, moment))),
      ordered.then((all: JoinedRow[]) => all),
    ]);
    return { items: joinedRows.map(toProfile), ...request, total };
  }

  async get(siteId: number): Promise<StoredProfile | null> {
    const [row] = (await this.#columns(this.#joined().where('sites.id', siteId))) as JoinedRow[];
    return row ? toProfile(row) : null;
  }

  /** Returns profiles of all sites, or of those of a domain. */
  async pageAfter(siteId: number, most: number, domain?: string): Promise<StoredProfile[]> {
    const rows = this.#columns(this.#joined().where('sites.id', '>', siteId))
      .orderBy('sites.id')
      .limit(most);
    if (domain !== undefined) void rows.where('site_domains.domain', domain);
    return ((await rows) as JoinedRow[]).map(toProfile);
  }

  #columns(query: Knex.QueryBuilder): Knex.QueryBuilder {
    return query.select(
      ...SITE_COLUMNS,
      ...SITE_DOMAIN_COLUMNS,
      ...DOMAIN_COLUMNS,
      this.#db.raw(`${CONDITION} as known_condition`),
      this.#db.raw(`${EXPIRES_AT} as known_expires_at`),
    );
  }

  #joined(): Knex.QueryBuilder {
    return this.#db('sites')
      .leftJoin('site_domains', 'site_domains.site_id', 'sites.id')
      .leftJoin('domains', 'domains.name', 'site_domains.domain');
  }

  #filtered({ scope, status, search, include, exclude }: ProfileFilter, moment: StateContext): Knex.QueryBuilder {
    const query = this.#joined();
    whereInScope(this.#db, query, scope);
    if (include?.length) void query.whereIn('sites.id', [...include]);
    if (exclude?.length) void query.whereNotIn('sites.id', [...exclude]);
    whereSiteMatches(query, search);
    if (status !== undefined) whereDomainState(query, status, moment);
    return query;
  }
}

/** This is the SQL version of `domainStateOf`. */
function whereDomainState(query: Knex.QueryBuilder, state: DomainState, { now, thresholdDays }: StateContext): void {
  const byDate = ['registered', 'unsupported_tld', 'lookup_failed'];
  if (state === 'expired' || state === 'expiring') void query.whereRaw(`${CONDITION} in (?, ?, ?)`, byDate);
  else void query.whereRaw(`${CONDITION} = ?`, [state === 'active' ? 'registered' : state]);
  // `daysLeft` rounds down, so `daysLeft <= threshold` means less than `threshold + 1` days.
  const soon = `(${EXPIRES_AT}) < ? + (coalesce(site_domains.threshold_days, ?) + 1) * ?`;
  const soonValues = [now, thresholdDays, DAY];
  if (state === 'expired') void query.whereRaw(`(${EXPIRES_AT}) < ?`, [now]);
  if (state === 'expiring') void query.whereRaw(`(${EXPIRES_AT}) >= ?`, [now]).whereRaw(soon, soonValues);
  if (state === 'active' || state === 'unsupported_tld' || state === 'lookup_failed')
    void query.where((well) => void well.whereRaw(`(${EXPIRES_AT}) is null`).orWhereRaw(`not (${soon})`, soonValues));
}

function toProfile(row: JoinedRow): StoredProfile {
  return {
    site: toSite(row),
    watch: row.site_id === null ? null : toSiteDomain(row as SiteDomainRow),
    domain: row.domain_name === null ? null : toDomain(row as NamedDomainRow),
    condition: row.known_condition,
    expiresAt: row.known_expires_at === null ? null : Number(row.known_expires_at),
  };
}
