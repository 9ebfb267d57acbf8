import type { Knex } from 'knex';
import { writeRowDifferences } from '../../db/replace-rows.ts';
import type { SectionWriteContext } from '../../platform/part.ts';
import { ITEM_TYPES, type ItemType } from './vulnerability.ts';

export interface InstalledSoftware {
  item: string;
  /** Slug in feeds. A plugin file that feeds cannot name has a slug that is in no feed. */
  slug: string;
  name: string;
  version: string;
}

export type ReportedSoftware = Partial<Record<ItemType, readonly InstalledSoftware[]>>;

export interface InstalledSoftwareOnSite extends InstalledSoftware {
  siteId: number;
  type: ItemType;
  /** Time at which this version was first seen on the site, in milliseconds since 1970. */
  since: number;
}

export interface SoftwareSlug {
  type: ItemType;
  slug: string;
}

type InstalledRow = {
  site_id: number;
  type: ItemType;
  item: string;
  slug: string;
  name: string;
  version: string;
  since: number;
};

const COLUMNS = ['site_id', 'type', 'item', 'slug', 'name', 'version', 'since'] as const;

const toInstalled = ({ site_id, ...row }: InstalledRow): InstalledSoftwareOnSite => ({ siteId: site_id, ...row });

/** Limits a query to some software. Callers pass at most a few hundred slugs, because a statement cannot take more. */
export const whereSoftwareSlugs = (query: Knex.QueryBuilder, slugs: readonly SoftwareSlug[]): Knex.QueryBuilder =>
  query.whereIn(
    ['type', 'slug'],
    slugs.map(({ type, slug }) => [type, slug]),
  );

export class InstalledSoftwareRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async of(siteIds: readonly number[], slugs?: readonly SoftwareSlug[]): Promise<InstalledSoftwareOnSite[]> {
    return (await this.#rowsOf(siteIds, slugs)).map(toInstalled);
  }

  async #rowsOf(siteIds: readonly number[], slugs?: readonly SoftwareSlug[]): Promise<InstalledRow[]> {
    const query = this.#db('installed_versions').whereIn('site_id', [...siteIds]);
    if (slugs) void whereSoftwareSlugs(query, slugs);
    return query.select<InstalledRow[]>(...COLUMNS);
  }

  /**
   * Replaces the software of a site. Types that were not sent are kept, and an unchanged version keeps the time at
   * which it was first seen. Returns the software that is new, gone, or of another version or slug.
   */
  async replace(
    trx: Knex.Transaction,
    siteId: number,
    sent: ReportedSoftware,
    { now, isFirst }: SectionWriteContext,
  ): Promise<SoftwareSlug[]> {
    const before = isFirst ? [] : await this.#rowsOf([siteId]);
    const known = new Map(before.map((each) => [installedKeyOf(each), each]));
    const rows: InstalledRow[] = ITEM_TYPES.flatMap(
      (type) =>
        sent[type]?.map(({ item, slug, name, version }) => {
          const old = known.get(installedKeyOf({ type, item }));
          const since = old?.version === version ? old.since : now;
          return { site_id: siteId, type, item, slug, name, version, since };
        }) ?? before.filter((each) => each.type === type),
    );
    const columns = ['slug', 'name', 'version', 'since'] as const;
    const set = { table: 'installed_versions', scope: { site_id: siteId }, key: ['type', 'item'], columns } as const;
    await writeRowDifferences(trx, set, rows, before);
    const changed = rows.filter((each) => {
      const old = known.get(installedKeyOf(each));
      return old?.version !== each.version || old.slug !== each.slug;
    });
    const slugs = new Map(rows.map((each) => [installedKeyOf(each), each.slug]));
    const gone = before.filter((each) => slugs.get(installedKeyOf(each)) !== each.slug);
    return [...changed, ...gone].map(({ type, slug }) => ({ type, slug }));
  }
}

const installedKeyOf = ({ type, item }: Pick<InstalledSoftwareOnSite, 'type' | 'item'>): string => `${type} ${item}`;
