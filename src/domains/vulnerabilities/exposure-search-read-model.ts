import type { Knex } from 'knex';
import { longRead } from '../../db/long-read.ts';
import { whereTextContains } from '../../db/search.ts';
import type { SiteScope } from '../../shared/site-scope.ts';
import { whereInScope } from '../sites/index.ts';
import { severityRankOf, slugInFeeds, type ItemType, type Severity } from './vulnerability.ts';

export type ExposureState = 'open' | 'ended' | 'any';

/** Times are milliseconds since 1970. */
export interface ExposureFilter {
  scope: SiteScope;
  state: ExposureState;
  siteIds?: readonly number[];
  vulnerabilityId?: number;
  type?: ItemType;
  slug?: string;
  severities?: readonly Severity[];
  search?: string;
  from?: number;
  to?: number;
}

const SEARCHED = ['exposures.slug', 'exposures.name', 'vulnerabilities.title', 'vulnerabilities.cve'];

export function filterExposures(knex: Knex, query: Knex.QueryBuilder, filter: ExposureFilter): Knex.QueryBuilder {
  const { scope, state, siteIds, vulnerabilityId, type, slug, severities, search, from, to } = filter;
  whereInScope(knex, query, scope, 'exposures.site_id');
  if (state === 'open') void query.where('exposures.lasting', 1);
  if (state === 'ended') void query.whereNull('exposures.lasting');
  if (siteIds) void query.whereIn('exposures.site_id', [...siteIds]);
  if (vulnerabilityId !== undefined) void query.where('exposures.vulnerability_id', vulnerabilityId);
  if (type) void query.where('exposures.type', type);
  if (slug !== undefined) void query.whereIn('exposures.slug', slugSpellingsOf(slug));
  if (severities) void query.whereIn('exposures.severity', severities.map(severityRankOf));
  if (from !== undefined)
    void query.where((either) => {
      void either.whereNull('exposures.until').orWhere('exposures.until', '>=', from);
    });
  if (to !== undefined) void query.where('exposures.since', '<=', to);
  whereTextContains(query, search, ...SEARCHED);
  return query;
}

const slugSpellingsOf = (slug: string): string[] => [
  ...new Set([slug.toLowerCase(), slugInFeeds('plugin', slug), slugInFeeds('theme', slug)]),
];

/**
 * Number of exposures whose records one statement groups. A record can expose every site several times, and on SQLite a
 * statement blocks the event loop until it ends.
 */
export const EXPOSURES_A_STATEMENT = 5_000;

export interface ExposureCount {
  /** ID of the vulnerability. */
  id: number;
  exposures: number;
}

export async function countExposures(query: Knex.QueryBuilder): Promise<ExposureCount[]> {
  const rows = await longRead(query)
    .groupBy('exposures.vulnerability_id')
    .count({ exposures: '*' })
    .select<{ id: number; exposures: number | string }[]>('exposures.vulnerability_id as id');
  return rows.map(({ id, exposures }) => ({ id, exposures: Number(exposures) }));
}
