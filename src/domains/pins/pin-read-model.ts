import type { Knex } from 'knex';
import { readCountedPage } from '../../db/counted-page.ts';
import { RevisionCache } from '../../db/revisions.ts';
import { NotFoundError } from '../../shared/errors.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import { ALL_SITES, isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { readSiteNames, whereInScope } from '../sites/index.ts';
import {
  filterUpdates,
  LEFT_OUT_FLAGS,
  PIN_COLUMNS,
  toVersionPin,
  type PinAutoUpdate,
  type PinnableType,
  type UpdateFilter,
  type VersionPin,
  type VersionPinRow,
} from '../updates/index.ts';

export interface PinFilter extends UpdateFilter {
  type?: PinnableType;
  slug?: string;
  autoUpdate?: PinAutoUpdate;
}

export interface ListedPin extends VersionPin {
  siteUrl: string;
  siteName: string;
  installedVersion: string | null;
  /** Version of an update that the site reports but the pin excludes. Null if there is no such update. */
  leftOutVersion: string | null;
}

interface ItemVersionRow {
  site_id: number;
  slug: string;
  version: string;
}

const COLUMNS = PIN_COLUMNS.map((column) => `version_pins.${column}`);
const ORDER = ['site_key', 'type', 'slug'].map((column) => `version_pins.${column}`);

export const pinNotFound = (): NotFoundError => new NotFoundError('svc_pin_not_found', 'No pin has this ID.');

export class PinReadModel {
  readonly #knex: Knex;
  readonly #totals: RevisionCache;

  constructor(knex: Knex) {
    this.#knex = knex;
    this.#totals = new RevisionCache(knex, 'updates');
  }

  async page(filter: PinFilter, request: PageRequest): Promise<Page<ListedPin>> {
    // Only the total of all pins is cached. The sites of a limited scope can change without a new `updates` revision.
    const isNarrow = isLimited(filter.scope) || Object.keys(filter).length > 1;
    return readCountedPage(
      {
        chosen: () => this.#chosen(filter),
        orderBy: ORDER,
        columns: COLUMNS,
        toItems: (rows: VersionPinRow[]) => this.#listed(rows),
        total: isNarrow ? undefined : (count) => this.#totals.get('', count),
        isLong: isNarrow,
      },
      request,
    );
  }

  /** Throws `svc_pin_not_found`, also for a pin of a site outside the scope. */
  async get(scope: SiteScope, id: number): Promise<ListedPin> {
    const query = this.#knex('version_pins').where('version_pins.id', id);
    whereInScope(this.#knex, query, scope, 'version_pins.site_id');
    const [pin] = await this.#listed(await query.select<VersionPinRow[]>(...COLUMNS));
    if (!pin) throw pinNotFound();
    return pin;
  }

  async ofIds(ids: readonly number[]): Promise<ListedPin[]> {
    const rows = await this.#chosen({ scope: ALL_SITES })
      .whereIn('version_pins.id', [...ids])
      .orderBy(ORDER)
      .select<VersionPinRow[]>(...COLUMNS);
    return this.#listed(rows);
  }

  async sitesToTryAgain(limit: number): Promise<number[]> {
    const rows = await this.#knex('version_pins')
      .join('sites', 'sites.id', 'version_pins.site_id')
      .join('site_states', 'site_states.site_id', 'version_pins.site_id')
      .where({ 'version_pins.auto_update': 'pending', 'sites.status': 'connected' })
      .whereRaw('site_states.last_sync_at > version_pins.tried_at')
      .orderBy('version_pins.site_id')
      .limit(limit)
      .distinct<{ site_id: number }[]>('version_pins.site_id');
    return rows.map(({ site_id }) => site_id);
  }

  async sitesWithItem(
    { type, slug }: { type: PinnableType; slug: string },
    siteIds: readonly number[],
  ): Promise<Set<number>> {
    const ids = await this.#knex(INSTALLED[type])
      .where({ slug })
      .whereIn('site_id', [...siteIds])
      .pluck<number[]>('site_id');
    return new Set(ids);
  }

  async sitesWithPin(
    { type, slug }: { type: PinnableType; slug: string },
    siteIds: readonly number[],
  ): Promise<Set<number>> {
    const ids = await this.#knex('version_pins')
      .where({ type, slug })
      .whereIn('site_id', [...siteIds])
      .pluck<number[]>('site_id');
    return new Set(ids);
  }

  async nameOf(siteId: number, { type, slug }: { type: PinnableType; slug: string }): Promise<string | null> {
    const row = await this.#knex(INSTALLED[type])
      .where({ site_id: siteId, slug })
      .first<{ name: string } | undefined>('name');
    return row?.name ?? null;
  }

  async #listed(rows: readonly VersionPinRow[]): Promise<ListedPin[]> {
    if (rows.length === 0) return [];
    const siteIds = [...new Set(rows.map(({ site_id }) => site_id))];
    const sites = await readSiteNames(this.#knex, siteIds);
    const slugs = [...new Set(rows.map(({ slug }) => slug))];
    const ofItems = (table: string) => this.#knex(table).whereIn('site_id', siteIds).whereIn('slug', slugs);
    const plugins = await ofItems('site_plugins').select<ItemVersionRow[]>('site_id', 'slug', 'version');
    const themes = await ofItems('site_themes').select<ItemVersionRow[]>('site_id', 'slug', 'version');
    const offers = await ofItems('site_updates')
      .where({ ignored: LEFT_OUT_FLAGS.pinned })
      .select<(ItemVersionRow & { type: PinnableType })[]>('site_id', 'slug', 'type', 'new_version as version');
    const installed = new Map([
      ...plugins.map((row) => [itemKeyOf({ ...row, type: 'plugin' }), row.version] as const),
      ...themes.map((row) => [itemKeyOf({ ...row, type: 'theme' }), row.version] as const),
    ]);
    const offered = new Map(offers.map((row) => [itemKeyOf(row), row.version]));
    return rows.flatMap((row) => {
      const [site, key] = [sites.get(row.site_id), itemKeyOf(row)];
      if (!site) return [];
      return {
        ...toVersionPin(row),
        siteUrl: site.url,
        siteName: site.name,
        installedVersion: installed.get(key) ?? null,
        leftOutVersion: offered.get(key) ?? null,
      };
    });
  }

  #chosen({ type, slug, autoUpdate, ...search }: PinFilter): Knex.QueryBuilder {
    const query = filterUpdates(this.#knex, 'version_pins', search);
    // The index of slugs begins with the type, so a query for a slug names all types.
    if (type ?? slug) void query.whereIn('version_pins.type', type ? [type] : PINNABLE_TYPES);
    if (slug !== undefined) void query.where('version_pins.slug', slug);
    if (autoUpdate) void query.where('version_pins.auto_update', autoUpdate);
    return query;
  }
}

const PINNABLE_TYPES: readonly PinnableType[] = ['plugin', 'theme'];
const INSTALLED = { plugin: 'site_plugins', theme: 'site_themes' } as const;

const itemKeyOf = ({ site_id, type, slug }: { site_id: number; type: PinnableType; slug: string }): string =>
  `${site_id} ${type} ${slug}`;
