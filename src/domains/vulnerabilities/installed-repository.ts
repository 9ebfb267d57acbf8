import type { Knex } from 'knex';
import { replaceRows } from '../../db/replace-rows.ts';
import { slugInFeeds, type ItemType } from './vulnerability.ts';

/** Something on a site, as the site names it. */
export interface InstalledItem {
  item: string;
  name: string;
  version: string;
}

export interface Installed extends InstalledItem {
  siteId: number;
  type: ItemType;
  slug: string;
  /** When this version was first seen there, in milliseconds since 1970. */
  since: number;
}

export interface ItemSlug {
  type: ItemType;
  slug: string;
}

interface InstalledRow {
  site_id: number;
  type: ItemType;
  item: string;
  slug: string;
  name: string;
  version: string;
  since: number;
}

const COLUMNS = ['site_id', 'type', 'item', 'slug', 'name', 'version', 'since'] as const;

const toInstalled = ({ site_id, ...row }: InstalledRow): Installed => ({ siteId: site_id, ...row });

/** Narrows a query of a table that has `type` and `slug`; one statement takes some hundred of them. */
export const about = (query: Knex.QueryBuilder, slugs: readonly ItemSlug[]): Knex.QueryBuilder =>
  query.whereIn(
    ['type', 'slug'],
    slugs.map(({ type, slug }) => [type, slug]),
  );

/** Which version of what lies on which site, and since when. */
export class InstalledRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** What is installed on these sites, of these slugs alone where they are named. */
  async of(siteIds: readonly number[], slugs?: readonly ItemSlug[]): Promise<Installed[]> {
    const query = this.#db('installed_versions').whereIn('site_id', [...siteIds]);
    if (slugs) void about(query, slugs);
    return (await query.select<InstalledRow[]>(...COLUMNS)).map(toInstalled);
  }

  /** All of one type that a site has now. A version that stayed keeps the time at which it was first seen. */
  async replace(
    trx: Knex.Transaction,
    siteId: number,
    type: ItemType,
    items: readonly InstalledItem[],
    now: number,
  ): Promise<ItemSlug[]> {
    const before = new Map(
      (await this.of([siteId])).filter((each) => each.type === type).map((each) => [each.item, each]),
    );
    const rows = items.map(({ item, name, version }) => {
      const old = before.get(item);
      const since = old?.version === version ? old.since : now;
      return { item, slug: slugInFeeds(type, item), name, version, since };
    });
    const columns = ['slug', 'name', 'version', 'since'] as const;
    await replaceRows(
      trx,
      { table: 'installed_versions', scope: { site_id: siteId, type }, key: ['item'], columns },
      rows,
    );
    const kept = new Set(rows.map(({ item }) => item));
    const changed = rows.filter(({ item, version }) => before.get(item)?.version !== version);
    const gone = [...before.values()].filter(({ item }) => !kept.has(item));
    return [...changed, ...gone].map(({ slug }) => ({ type, slug }));
  }
}
