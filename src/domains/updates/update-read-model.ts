import type { Knex } from 'knex';
import { FEW_SITES, longRead } from '../../db/long-read.ts';
import { limitToPage } from '../../db/page-limit.ts';
import { markAsPrepared } from '../../db/dialect.ts';
import { readPrepared } from '../../db/prepared.ts';
import { RevisionCache, revisionColumn, type RevisionSubject } from '../../db/revisions.ts';
import { offsetOf, type Page, type PageRequest } from '../../shared/paging.ts';
import { ALL_SITES, isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { whereInScope } from '../sites/index.ts';
import { allUpdateTypes, selectUpdateTypes, type VisibleUpdateTypes } from './visible-update-types.ts';
import {
  NO_UPDATES,
  selectedTypesOrAll,
  UPDATE_TYPES,
  type PendingUpdate,
  type UpdateCounts,
  type UpdateType,
  type HeldUntil,
  type SkippedUpdate,
} from './update.ts';
import { limitToVulnerable, toPending, UPDATE_COLUMNS, UpdateRepository, type UpdateRow } from './update-repository.ts';
import { ClosingReleasesReadModel, whereNotHeld, type HoldFilter } from './closing-releases-read-model.ts';
import { heldUntilOf } from './hold-rule.ts';
import { filterUpdates, type UpdateFilter } from './update-filter.ts';
import { LEFT_OUT_FLAGS, reasonOfFlag } from './left-out.ts';
import { UpdateRuleRepository } from './update-rule-repository.ts';

export interface UpdateListFilter extends UpdateFilter {
  types: readonly UpdateType[];
}

export interface ListedUpdate extends PendingUpdate {
  siteId: number;
  siteUrl: string;
  siteName: string;
}

export interface FittingUpdates {
  updates: Map<number, PendingUpdate[]>;
  skipped: Map<number, SkippedUpdate[]>;
  counts: UpdateCounts;
}

export interface UpdatePage extends Page<ListedUpdate> {
  counts: UpdateCounts;
}

export interface AffectedSitesFilter {
  scope: SiteScope;
  /**
   * If true, includes sites that an earlier update broke, even without updates, because they stop a rollout in rings.
   * If no site has an update, the result is still empty.
   */
  withBroken?: boolean;
  types: readonly UpdateType[];
  slugs: readonly string[];
  siteIds?: readonly number[];
  exceptSiteIds?: readonly number[];
  /** If true, includes sites on which all matching updates are ignored or outside of a pin. */
  withIgnored: boolean;
  onlyVulnerable?: boolean;
  hold?: HoldFilter | undefined;
}

/** Up to this offset, the database skips whole rows. Beyond it, the keys of a page are read first, from an index. */
const NEAR = 1_000;

const KEPT_PAGES = 50;

interface UpdateKey {
  site_id: number;
  type: UpdateType;
  slug: string;
}

interface FittingRow extends UpdateRow {
  site_id: number;
  ignored: number;
  first_seen_at: number | string;
}

interface CountRow {
  type: UpdateType;
  n: number | string;
}

interface ListedRow extends UpdateRow, UpdateKey {
  site_url: string;
  site_name: string;
}

interface FirstRow extends ListedRow {
  updates_revision: number | string;
  sites_revision: number | string;
}

const KEY_COLUMNS = ['site_updates.site_id', 'site_updates.type', 'site_updates.slug'] as const;
const LISTED_COLUMNS = [
  ...KEY_COLUMNS,
  'site_updates.name',
  'site_updates.current_version',
  'site_updates.new_version',
  'sites.url as site_url',
  'sites.name as site_name',
] as const;

const revisionSql = (subject: RevisionSubject): string =>
  `(select revisions.value from revisions where revisions.name = '${subject}') as ${subject}_revision`;
const FIRST_ROWS_SQL = `select ${LISTED_COLUMNS.join(', ')}, ${revisionSql('updates')}, ${revisionSql('sites')}
  from site_updates left join sites on sites.id = site_updates.site_id where site_updates.ignored = 0`;
const COUNTS_SQL = 'select type, count(*) as n from site_updates where ignored = 0 group by type';

export class UpdateReadModel {
  readonly #knex: Knex;
  readonly #counts: RevisionCache<UpdateCounts>;
  readonly #pages: RevisionCache<UpdatePage>;
  readonly #shown: VisibleUpdateTypes;

  constructor(knex: Knex, shown: VisibleUpdateTypes = allUpdateTypes) {
    this.#knex = knex;
    this.#shown = shown;
    this.#counts = new RevisionCache(knex, 'updates');
    // A page contains the addresses and names of its sites, so it depends on their revision too.
    this.#pages = new RevisionCache(knex, ['updates', 'sites'], { most: KEPT_PAGES });
  }

  async page({ types, ...search }: UpdateListFilter, request: PageRequest): Promise<UpdatePage> {
    const { page, perPage } = request;
    const filter = { types: this.#among(types), ...search };
    if (filter.types.length === 0) return { items: [], page, perPage, total: 0, counts: { ...NO_UPDATES } };
    if (isUnfiltered(search) && offsetOf(request) <= NEAR) return this.#nearPage(filter, request);
    const counts = await this.#countsOf(filter);
    const total = totalOf(counts);
    const keys = offsetOf(request) < total ? await this.#keys(filter, request) : [];
    return { items: await this.#byKeys(keys), page, perPage, total, counts };
  }

  async #nearPage(filter: UpdateListFilter, request: PageRequest): Promise<UpdatePage> {
    const key = JSON.stringify([filter.scope.key, filter.types, request]);
    let revision = 0;
    const read = async (): Promise<UpdatePage> => {
      const rows = await this.#firstRows(filter, request);
      const [first] = rows;
      revision = first ? Number(first.updates_revision) + Number(first.sites_revision) : 0;
      const counts = await this.#countsOf(filter, first?.updates_revision);
      return { items: rows.map(toListed), ...request, total: totalOf(counts), counts };
    };
    if (this.#pages.has(key)) return this.#pages.get(key, read);
    const page = await read();
    // An empty page has no row with its revisions, so it is not cached.
    return revision === 0 ? page : this.#pages.getAt(revision, key, () => Promise.resolve(page));
  }

  async ofSite(siteId: number, types: readonly UpdateType[]): Promise<PendingUpdate[]> {
    const chosen = this.#among(types);
    const updates = await new UpdateRepository(this.#knex).of(siteId);
    return updates.flatMap(({ leftOut, firstSeenAt: _seen, ...update }) =>
      leftOut === null && chosen.includes(update.type) ? [update] : [],
    );
  }

  async ofSites(siteIds: readonly number[]): Promise<Map<number, PendingUpdate[]>> {
    const rows = await longRead(this.#visible({ scope: ALL_SITES, siteIds }), siteIds.length > FEW_SITES)
      .orderBy(['type', 'slug'])
      .select<(UpdateRow & { site_id: number })[]>('site_id', ...UPDATE_COLUMNS);
    const updates = new Map(siteIds.map((id) => [id, [] as PendingUpdate[]]));
    const shown = this.#shown();
    for (const row of rows) if (shown.includes(row.type)) updates.get(row.site_id)?.push(toPending(row));
    return updates;
  }

  async affected(filter: AffectedSitesFilter): Promise<{ id: number; url: string; name: string }[]> {
    const query = this.#callable(filter);
    const isBroken = this.#knex('site_states')
      .select(this.#knex.raw('1'))
      .where('site_states.site_id', this.#knex.ref('sites.id'))
      .whereNotNull('site_states.broken_by_update');
    const hasUpdates = (fitting: Knex.QueryBuilder): void => {
      void fitting
        .select(this.#knex.raw('1'))
        .from('site_updates')
        .where('site_updates.site_id', this.#knex.ref('sites.id'));
      this.#limitToFitting(fitting, filter);
    };
    if (filter.withBroken && (await this.affected({ ...filter, withBroken: false })).length === 0) return [];
    return longRead(query)
      .where((site) => {
        void site.whereExists(hasUpdates);
        if (filter.withBroken) void site.orWhereExists(isBroken);
      })
      .orderBy('sites.url_key')
      .select<{ id: number; url: string; name: string }[]>('sites.id', 'sites.url', 'sites.name');
  }

  /** Reads what a run would install: the updates of `siteIds`, and the counts of all sites of the filter. */
  async fitting(filter: AffectedSitesFilter, siteIds: readonly number[]): Promise<FittingUpdates> {
    const wanted = { ...filter, withIgnored: false };
    const all = this.#callable(wanted).join('site_updates', 'site_updates.site_id', 'sites.id');
    this.#limitToFitting(all, wanted);
    const counts = await longRead(all)
      .groupBy('site_updates.type')
      .select<{ type: UpdateType; n: number | string }[]>('site_updates.type', this.#knex.raw('count(*) as n'));
    const listed = longRead(this.#knex('site_updates')).whereIn('site_updates.site_id', siteIds);
    this.#limitToFitting(listed, { ...filter, withIgnored: true, hold: undefined });
    const rows = await listed
      .orderBy(['type', 'slug'])
      .select<FittingRow[]>(...(['site_id', 'ignored', 'first_seen_at'] as const), ...UPDATE_COLUMNS);
    const holds = await this.#holdOn(siteIds, filter.hold);
    const pins = await new UpdateRuleRepository(this.#knex).pinsOf(
      rows.filter(({ ignored }) => ignored === LEFT_OUT_FLAGS.pinned),
    );
    const updates = new Map(siteIds.map((id) => [id, [] as PendingUpdate[]]));
    const skipped = new Map(siteIds.map((id) => [id, [] as SkippedUpdate[]]));
    for (const row of rows) {
      const reason = reasonOfFlag(row.ignored);
      const heldUntil = reason === null ? holds(row) : null;
      if (reason !== null) skipped.get(row.site_id)?.push({ ...toPending(row), leftOut: { reason, pin: pins(row) } });
      else if (heldUntil === null) updates.get(row.site_id)?.push(toPending(row));
      else skipped.get(row.site_id)?.push({ ...toPending(row), leftOut: { reason: 'held', pin: null, heldUntil } });
    }
    return {
      updates,
      skipped,
      counts: { ...NO_UPDATES, ...Object.fromEntries(counts.map(({ type, n }) => [type, Number(n)])) },
    };
  }

  async #holdOn(
    siteIds: readonly number[],
    hold: HoldFilter | undefined,
  ): Promise<(row: FittingRow) => HeldUntil | null> {
    if (!hold) return () => null;
    const closes = hold.closing.length > 0 ? await new ClosingReleasesReadModel(this.#knex).onSites(siteIds) : null;
    return (row) => {
      const update = { ...toPending(row), firstSeenAt: Number(row.first_seen_at) };
      return closes?.(row.site_id, update) ? null : heldUntilOf(update, hold.rule);
    };
  }

  #callable({ scope, siteIds, exceptSiteIds }: AffectedSitesFilter): Knex.QueryBuilder {
    const query = this.#knex('sites').where('sites.status', 'connected');
    whereInScope(this.#knex, query, scope);
    if (siteIds) void query.whereIn('sites.id', siteIds);
    if (exceptSiteIds) void query.whereNotIn('sites.id', exceptSiteIds);
    return query;
  }

  #limitToFitting(updates: Knex.QueryBuilder, filter: AffectedSitesFilter): void {
    void updates.whereIn('site_updates.type', selectUpdateTypes(filter, this.#shown));
    if (filter.slugs.length > 0) void updates.whereIn('site_updates.slug', filter.slugs);
    if (!filter.withIgnored) void updates.where('site_updates.ignored', 0);
    if (filter.hold) void whereNotHeld(updates, filter.hold);
    void limitToVulnerable(updates, filter.onlyVulnerable ?? false);
  }

  #among(types: readonly UpdateType[]): readonly UpdateType[] {
    const shown = this.#shown();
    return selectedTypesOrAll(types).filter((type) => shown.includes(type));
  }

  async #countsOf({ types, ...search }: UpdateListFilter, revision?: number | string): Promise<UpdateCounts> {
    const count = async (): Promise<UpdateCounts> => {
      const rows = await this.#countRows(search);
      return { ...NO_UPDATES, ...Object.fromEntries(rows.map(({ type, n }) => [type, Number(n)])) };
    };
    const kept = () => (revision === undefined ? this.#counts.get('', count) : this.#counts.getAt(revision, '', count));
    // The sites of a limited scope can change without a new `updates` revision, so their counts are not cached.
    const all = await (isUnfiltered(search) && !isLimited(search.scope) ? kept() : count());
    const chosen = selectedTypesOrAll(types);
    return {
      ...NO_UPDATES,
      ...Object.fromEntries(UPDATE_TYPES.filter((type) => chosen.includes(type)).map((type) => [type, all[type]])),
    };
  }

  async #countRows(search: UpdateFilter): Promise<CountRow[]> {
    if (isUnfiltered(search) && !isLimited(search.scope)) return readPrepared<CountRow>(this.#knex, COUNTS_SQL, []);
    return longRead(this.#visible(search))
      .groupBy('site_updates.type')
      .select<CountRow[]>('site_updates.type', this.#knex.raw('count(*) as n'));
  }

  /**
   * Reads in the order of an index, so that nothing is sorted. There is an index for all types, and one for a single
   * type. Several types are read in the order of all types, and rows of other types are skipped. `coalesce` prevents
   * the databases from collecting the rows by type and sorting them.
   */
  #onPage({ types, ...search }: UpdateListFilter, request: PageRequest): Knex.QueryBuilder {
    const chosen = selectedTypesOrAll(types);
    const query = longRead(this.#visible(search), isLimited(search.scope));
    void query.whereRaw(...typeConditionOf(chosen));
    return query.orderByRaw(orderOf(chosen)).modify(limitToPage, request);
  }

  /**
   * Reads the page in one statement. Every update has a site, but the outer join prevents the databases from starting
   * with the sites.
   */
  #firstRows(filter: UpdateListFilter, request: PageRequest): Promise<FirstRow[]> {
    const { types, scope } = filter;
    const chosen = selectedTypesOrAll(types);
    if (!isLimited(scope)) {
      const [condition, bindings] = typeConditionOf(chosen);
      return readPrepared<FirstRow>(
        this.#knex,
        `${FIRST_ROWS_SQL} and ${condition} order by ${orderOf(chosen)}
         limit ${Math.trunc(request.perPage)} offset ?`,
        [...bindings, offsetOf(request)],
      );
    }
    return markAsPrepared(this.#onPage(filter, request))
      .leftJoin('sites', 'sites.id', 'site_updates.site_id')
      .select<FirstRow[]>(
        ...LISTED_COLUMNS,
        revisionColumn(this.#knex, 'updates', 'updates_revision'),
        revisionColumn(this.#knex, 'sites', 'sites_revision'),
      );
  }

  #keys(filter: UpdateListFilter, request: PageRequest): Promise<UpdateKey[]> {
    return this.#onPage(filter, request).select<UpdateKey[]>(...KEY_COLUMNS);
  }

  /**
   * Excludes updates that are left out by a rule or a pin. Named sites are found by the primary key. Every other index
   * begins with `ignored`, and `coalesce` prevents the databases from using one of these and reading the rows of all
   * sites.
   */
  #visible(search: UpdateFilter): Knex.QueryBuilder {
    const query = filterUpdates(this.#knex, 'site_updates', search);
    if (!search.siteIds) return query.where('site_updates.ignored', 0);
    return query.whereRaw('coalesce(site_updates.ignored, 0) = 0');
  }

  /**
   * Reads the rows of a page in a separate statement: combined with the page, either database may scan all rows instead
   * of the index.
   */
  async #byKeys(keys: readonly UpdateKey[]): Promise<ListedUpdate[]> {
    if (keys.length === 0) return [];
    const rows = await this.#knex('site_updates')
      .join('sites', 'sites.id', 'site_updates.site_id')
      .whereIn(
        ['site_updates.site_id', 'site_updates.type', 'site_updates.slug'],
        keys.map(({ site_id, type, slug }) => [site_id, type, slug]),
      )
      .select<ListedRow[]>(...LISTED_COLUMNS);
    const nameOf = ({ site_id, type, slug }: UpdateKey): string => `${site_id} ${type} ${slug}`;
    const byKey = new Map(rows.map((row) => [nameOf(row), toListed(row)]));
    return keys.flatMap((key) => byKey.get(nameOf(key)) ?? []);
  }
}

function typeConditionOf(types: readonly UpdateType[]): [sql: string, bindings: UpdateType[]] {
  if (types.length === UPDATE_TYPES.length) return ['1 = 1', []];
  if (types.length === 1) return ['site_updates.type = ?', [...types]];
  return [`coalesce(site_updates.type, '') in (${types.map(() => '?').join(', ')})`, [...types]];
}

const orderOf = ({ length }: readonly UpdateType[]): string =>
  `site_updates.site_key, ${length === 1 ? '' : 'site_updates.type, '}site_updates.slug`;

const isUnfiltered = ({ scope: _scope, ...search }: UpdateFilter): boolean => Object.keys(search).length === 0;

const totalOf = (counts: UpdateCounts): number => UPDATE_TYPES.reduce((sum, type) => sum + counts[type], 0);

const toListed = (row: ListedRow): ListedUpdate => ({
  siteId: row.site_id,
  siteUrl: row.site_url,
  siteName: row.site_name,
  type: row.type,
  slug: row.slug,
  name: row.name,
  currentVersion: row.current_version,
  newVersion: row.new_version,
});
