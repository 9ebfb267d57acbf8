import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import type { Knex } from 'knex';
import { FEW_ROWS, longRead } from '../../db/long-read.ts';
import { countRows } from '../../db/count-rows.ts';
import { offsetOf, type Page, type PageRequest } from '../../shared/paging.ts';
import { whereInScope, whereSiteMatches, SITE_COLUMNS, toSite, type ListedSiteRow, type Site } from '../sites/index.ts';
import { MONITOR_COLUMNS, toMonitor, uncheckedMonitor, type Monitor, type MonitorRow } from './monitor-repository.ts';
import { effectiveMonitorSettings, type MonitorSettings } from './monitor-settings.ts';
import type { MonitorState } from './monitor-state.ts';

export interface MonitorRecord {
  site: Site;
  monitor: Monitor;
  settings: MonitorSettings;
  /** True if the monitor is off (then the site is checked only on request) or its site is suspended (never checked). */
  isPaused: boolean;
}

export interface MonitorFilter {
  scope: SiteScope;
  /** `paused` matches paused monitors in any state. The other values never match a paused monitor. */
  status?: MonitorState | 'paused';
  search?: string;
  include?: readonly number[];
  exclude?: readonly number[];
}

type JoinedRow = ListedSiteRow & { [Column in keyof MonitorRow]: MonitorRow[Column] | null };

/** True if no index finds the sites of the filter. */
const isWide = ({ scope, status, search }: MonitorFilter): boolean =>
  isLimited(scope) || status !== undefined || search !== undefined;

/** Reads the monitors of sites. Every site has one, but a site that was never checked has no row in `monitors`. */
export class MonitorList {
  readonly #knex: Knex;
  readonly #fleet: () => MonitorSettings;

  constructor(knex: Knex, fleet: () => MonitorSettings) {
    this.#knex = knex;
    this.#fleet = fleet;
  }

  async page(filter: MonitorFilter, request: PageRequest): Promise<Page<MonitorRecord>> {
    // The subquery skips all rows before the page in the index, without reading them.
    const onPage = this.#filtered(filter)
      .orderBy('sites.url_key')
      .offset(offsetOf(request))
      .limit(request.perPage)
      .select('sites.id as on_page');
    const [total, rows] = await Promise.all([
      this.count(filter),
      longRead(this.#joined(), offsetOf(request) > FEW_ROWS || isWide(filter))
        .join(onPage.as('page'), 'page.on_page', 'sites.id')
        .orderBy('sites.url_key')
        .select<JoinedRow[]>(...SITE_COLUMNS, ...MONITOR_COLUMNS),
    ]);
    return { items: rows.map((row) => this.#recordOf(row)), ...request, total };
  }

  count(filter: MonitorFilter): Promise<number> {
    return countRows(longRead(this.#filtered(filter), isWide(filter)));
  }

  async get(siteId: number): Promise<MonitorRecord | null> {
    const row = await this.#joined()
      .where('sites.id', siteId)
      .first<JoinedRow | undefined>(...SITE_COLUMNS, ...MONITOR_COLUMNS);
    return row ? this.#recordOf(row) : null;
  }

  async byIds(siteIds: readonly number[]): Promise<MonitorRecord[]> {
    const rows = await this.#joined()
      .whereIn('sites.id', [...siteIds])
      .select<JoinedRow[]>(...SITE_COLUMNS, ...MONITOR_COLUMNS);
    return rows.map((row) => this.#recordOf(row));
  }

  #recordOf(row: JoinedRow): MonitorRecord {
    const { id, url, name, status, clientId } = toSite(row);
    const monitor = row.state === null ? uncheckedMonitor(id) : toMonitor(row as MonitorRow);
    const settings = effectiveMonitorSettings(this.#fleet(), monitor.own);
    const site = { id, url, name, status, clientId };
    return { site, monitor, settings, isPaused: !settings.active || status === 'suspended' };
  }

  #joined(): Knex.QueryBuilder {
    return this.#knex('sites').leftJoin('monitors', 'monitors.site_id', 'sites.id');
  }

  #filtered({ scope, status, search, include, exclude }: MonitorFilter): Knex.QueryBuilder {
    const query = status === undefined ? this.#knex('sites') : this.#joined();
    whereInScope(this.#knex, query, scope);
    if (include?.length) void query.whereIn('sites.id', [...include]);
    if (exclude?.length) void query.whereNotIn('sites.id', [...exclude]);
    whereSiteMatches(query, search);
    if (status === undefined) return query;
    const isOn = `coalesce(monitors.active, ?) = 1`;
    const fleetOn = Number(this.#fleet().active);
    if (status === 'paused')
      return query.where((paused) => {
        void paused.where('sites.status', 'suspended').orWhereRaw(`not (${isOn})`, [fleetOn]);
      });
    return query
      .whereNot('sites.status', 'suspended')
      .whereRaw(isOn, [fleetOn])
      .whereRaw(`coalesce(monitors.state, 'first') = ?`, [status]);
  }
}
