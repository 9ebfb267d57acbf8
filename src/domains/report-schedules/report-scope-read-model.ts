import type { Knex } from 'knex';
import { countRows } from '../../db/count-rows.ts';
import type { Caller } from '../../shared/caller.ts';
import type { DeletionViewer } from '../../shared/deletion-effects.ts';
import type { DomainError } from '../../shared/errors.ts';
import { ALL_SITES, isLimited, type SiteScope } from '../../shared/site-scope.ts';
import {
  clientsWhollyInScope,
  countSitesOutside,
  refuseSitesOutside,
  whereInScope,
  whereShownClientInScope,
} from '../sites/index.ts';

export interface ReportScope {
  readonly sites: SiteScope;
  /** True if reports that wait for their release, or were discarded, are visible. */
  readonly seesUnreleased: boolean;
}

export const ALL_REPORTS: ReportScope = { sites: ALL_SITES, seesUnreleased: true };

/** A limited caller that cannot release reports may be the client, so it sees a report only after its release. */
export const reportScopeOf = ({ sites, permissions }: Pick<Caller, 'sites' | 'permissions'>): ReportScope => ({
  sites,
  seesUnreleased: !isLimited(sites) || permissions.has('reports:write'),
});

export function whereScheduleInScope(knex: Knex, query: Knex.QueryBuilder, scope: SiteScope): void {
  if (isLimited(scope)) whereAbout(knex, query, scope, 'report_schedules');
}

/**
 * Restricts a query to reports that a limited scope allows. For a report about a client, all sites that the client has
 * now and all sites that the report shows must be in the scope. For a report about a site, that site must be in the
 * scope. If such a report shows data of a client, a site of this client must be in the scope too.
 */
export function whereReportInScope(knex: Knex, query: Knex.QueryBuilder, scope: ReportScope): void {
  if (isLimited(scope.sites)) whereAbout(knex, query, scope.sites, 'kept_reports');
  if (scope.seesUnreleased) return;
  void query.where((sent) =>
    sent.whereNull('kept_reports.release_state').orWhere('kept_reports.release_state', 'released'),
  );
}

export const whereReportVisible = (knex: Knex, query: Knex.QueryBuilder, viewer: DeletionViewer): void =>
  whereReportInScope(knex, query, reportScopeOf(viewer));

function whereAbout(
  knex: Knex,
  query: Knex.QueryBuilder,
  scope: SiteScope,
  table: 'report_schedules' | 'kept_reports',
): void {
  const aboutSites = knex(table).select(`${table}.id as visible_id`);
  whereInScope(knex, aboutSites, scope, `${table}.site_id`);
  if (table === 'kept_reports') whereShownClientInScope(knex, aboutSites, scope, table);
  const aboutClients = knex(table)
    .join('sites', 'sites.client_id', `${table}.client_id`)
    .select(`${table}.id as visible_id`);
  if (table === 'kept_reports') {
    void aboutClients
      .where(`${table}.about`, 'client')
      .join(clientsWhollyInScope(knex, scope).as('whole'), 'whole.client_id', `${table}.client_id`)
      .leftJoin(sitesSeen(knex, scope).as('seen'), 'seen.report_id', `${table}.id`)
      .whereRaw(
        'coalesce(seen.sites_seen, 0) = (select count(*) from kept_report_sites where report_id = kept_reports.id)',
      );
  }
  whereInScope(knex, aboutClients, scope);
  void query.join(aboutSites.union(aboutClients).as('visible'), 'visible.visible_id', `${table}.id`);
}

function sitesSeen(knex: Knex, scope: SiteScope): Knex.QueryBuilder {
  const seen = knex('kept_report_sites');
  whereInScope(knex, seen, scope, 'kept_report_sites.site_id');
  return seen
    .groupBy('kept_report_sites.report_id')
    .select('kept_report_sites.report_id', knex.raw('count(*) as sites_seen'));
}

/** Subject of the reports of a schedule. Exactly one of the IDs is set. */
export interface ReportPlace {
  siteId: number | null;
  clientId: number | null;
}

export async function hasSiteInScope(knex: Knex, scope: SiteScope, place: ReportPlace): Promise<boolean> {
  return !isLimited(scope) || (await countSites(knex, scope, place)) > 0;
}

/**
 * Throws `notFound()` if the subject has no site in the scope, and `svc_outside_limits` if it also has sites outside.
 */
export async function refuseReportsOutside(
  knex: Knex,
  scope: SiteScope,
  place: ReportPlace,
  notFound: () => DomainError,
): Promise<void> {
  if (!(await hasSiteInScope(knex, scope, place))) throw notFound();
  if (place.clientId !== null) refuseSitesOutside('client', await countSitesOutside(knex, scope, [place.clientId]));
}

function countSites(knex: Knex, scope: SiteScope, { siteId, clientId }: ReportPlace): Promise<number> {
  const query = knex('sites').where(siteId === null ? { 'sites.client_id': clientId } : { 'sites.id': siteId });
  whereInScope(knex, query, scope);
  return countRows(query);
}
