import type { Knex } from 'knex';
import { countRows } from '../../db/count-rows.ts';
import { longRead } from '../../db/long-read.ts';
import { oppositeOf, type ListOrder } from '../../shared/list-order.ts';
import { offsetOf, type Page, type PageRequest } from '../../shared/paging.ts';
import { ALL_SITES, type SiteScope } from '../../shared/site-scope.ts';
import { whereInScope } from '../sites/index.ts';
import type { EndReason } from './exposure-repository.ts';
import { filterExposures, type ExposureFilter } from './exposure-search-read-model.ts';
import { SEVERITIES, severityOfRank, type ItemType, type Severity } from './vulnerability.ts';

/** Times are milliseconds since 1970. */
export interface Exposure {
  id: number;
  site: { id: number; url: string; name: string };
  vulnerabilityId: number;
  title: string;
  cve: string | null;
  /** URL of the record, or of a page that it refers to; null if the feed has none. */
  reference: string | null;
  severity: Severity;
  type: ItemType;
  slug: string;
  item: string;
  name: string;
  version: string;
  fixedIn: string | null;
  since: number;
  foundAt: number;
  publishedAt: number | null;
  fixKnownAt: number | null;
  offeredAt: number | null;
  until: number | null;
  ending: EndReason | null;
  endedByVersion: string | null;
}

export type ExposureOrder = ListOrder<'severity' | 'exposed_since' | 'exposed_until' | 'site'>;

export interface SeverityNumbers {
  exposures: number;
  vulnerabilities: number;
  sites: number;
  since: number | null;
}

export interface ExposureNumbers {
  sites: number;
  since: number | null;
  severities: Record<Severity, SeverityNumbers>;
}

const WORST_FIRST: ExposureOrder = { by: 'severity', direction: 'desc' };

export class ExposureReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  async page(filter: ExposureFilter, order: ExposureOrder, request: PageRequest): Promise<Page<Exposure>> {
    const total = await countRows(longRead(filterExposures(this.#knex, this.#joined(), filter)));
    const rows = offsetOf(request) < total ? await this.#rows(filter, order, request) : [];
    return { items: rows.map(toExposure), ...request, total };
  }

  async ofSites(siteIds: readonly number[], span: { from: number; to: number }): Promise<Exposure[]> {
    if (siteIds.length === 0) return [];
    const rows = await this.#rows({ scope: ALL_SITES, state: 'any', siteIds, ...span }, WORST_FIRST);
    return rows.map(toExposure);
  }

  async numbers(scope: SiteScope): Promise<ExposureNumbers> {
    const open = (): Knex.QueryBuilder => {
      const query = this.#knex('exposures').where({ lasting: 1 });
      whereInScope(this.#knex, query, scope, 'exposures.site_id');
      return longRead(query);
    };
    const sites = await countRows(open(), 'site_id');
    const rows = await open()
      .groupBy('severity')
      .select<NumbersRow[]>(
        'severity',
        this.#knex.raw(
          'count(*) as exposures, count(distinct vulnerability_id) as vulnerabilities, ' +
            'count(distinct site_id) as sites, min(since) as since',
        ),
      );
    const numbersOf = (severity: Severity): SeverityNumbers => {
      const row = rows.find((each) => severityOfRank(each.severity) === severity);
      const { exposures = 0, vulnerabilities = 0, sites: on = 0, since = null } = row ?? {};
      return {
        exposures: Number(exposures),
        vulnerabilities: Number(vulnerabilities),
        sites: Number(on),
        since: since === null ? null : Number(since),
      };
    };
    const severities = Object.fromEntries(SEVERITIES.map((severity) => [severity, numbersOf(severity)]));
    const since = rows.length === 0 ? null : Math.min(...rows.map((row) => Number(row.since)));
    return { sites, since, severities: severities as Record<Severity, SeverityNumbers> };
  }

  #joined(): Knex.QueryBuilder {
    return this.#knex('exposures')
      .join('vulnerabilities', 'vulnerabilities.id', 'exposures.vulnerability_id')
      .join('sites', 'sites.id', 'exposures.site_id');
  }

  #rows(filter: ExposureFilter, order: ExposureOrder, request?: PageRequest): Promise<ExposureRow[]> {
    const query = longRead(orderExposures(filterExposures(this.#knex, this.#joined(), filter), order));
    if (request) void query.offset(offsetOf(request)).limit(request.perPage);
    return query.select<ExposureRow[]>(...COLUMNS);
  }
}

/** For descending severity, exposures of equal severity are ordered by their start, the earliest first. */
function orderExposures(query: Knex.QueryBuilder, { by, direction }: ExposureOrder): Knex.QueryBuilder {
  const opposite = oppositeOf(direction);
  if (by === 'severity')
    void query
      .orderBy('exposures.severity', direction)
      .orderBy('exposures.since', opposite)
      .orderBy('exposures.id', opposite);
  if (by === 'exposed_since') void query.orderBy('exposures.since', direction).orderBy('exposures.id', direction);
  if (by === 'exposed_until') void query.orderBy('exposures.until', direction).orderBy('exposures.id', direction);
  if (by === 'site')
    void query.orderBy('sites.url_key', direction).orderBy('exposures.severity', 'desc').orderBy('exposures.id');
  return query;
}

interface NumbersRow {
  severity: number;
  exposures: number | string;
  vulnerabilities: number | string;
  sites: number | string;
  since: number | string;
}

interface ExposureRow {
  id: number;
  site_id: number;
  site_url: string;
  site_name: string;
  vulnerability_id: number;
  title: string;
  cve: string | null;
  details: string;
  severity: number;
  type: ItemType;
  slug: string;
  item: string;
  name: string;
  version: string;
  fixed_in: string | null;
  since: number;
  found_at: number;
  published_at: number | null;
  fix_known_at: number | null;
  offered_at: number | null;
  until: number | null;
  ending: EndReason | null;
  ended_by_version: string | null;
}

const COLUMNS = [
  'exposures.id',
  'exposures.site_id',
  'sites.url as site_url',
  'sites.name as site_name',
  'exposures.vulnerability_id',
  'vulnerabilities.title',
  'vulnerabilities.cve',
  'vulnerabilities.details',
  'exposures.severity',
  'exposures.type',
  'exposures.slug',
  'exposures.item',
  'exposures.name',
  'exposures.version',
  'exposures.fixed_in',
  'exposures.since',
  'exposures.found_at',
  'vulnerabilities.published_at',
  'exposures.fix_known_at',
  'exposures.offered_at',
  'exposures.until',
  'exposures.ending',
  'exposures.ended_by_version',
] as const;

const toExposure = (row: ExposureRow): Exposure => ({
  id: row.id,
  site: { id: row.site_id, url: row.site_url, name: row.site_name },
  vulnerabilityId: row.vulnerability_id,
  title: row.title,
  cve: row.cve,
  reference: (JSON.parse(row.details) as { references: string[] }).references[0] ?? null,
  severity: severityOfRank(row.severity),
  type: row.type,
  slug: row.slug,
  item: row.item,
  name: row.name,
  version: row.version,
  fixedIn: row.fixed_in,
  since: row.since,
  foundAt: row.found_at,
  publishedAt: row.published_at,
  fixKnownAt: row.fix_known_at,
  offeredAt: row.offered_at,
  until: row.until,
  ending: row.ending,
  endedByVersion: row.ended_by_version,
});
