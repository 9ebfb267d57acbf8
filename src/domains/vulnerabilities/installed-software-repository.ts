import type { Knex } from 'knex';
import { writeRowDifferences } from '../../db/replace-rows.ts';
import type { NewSectionValue } from '../../platform/part.ts';
import { groupBy } from '../../shared/group-by.ts';
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

export interface ChangedSoftware extends SoftwareSlug {
  siteId: number;
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

const TABLE = {
  table: 'installed_versions',
  key: ['type', 'item'],
  columns: ['slug', 'name', 'version', 'since'],
} as const;

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
   * Replaces the software of sites. Types that were not sent are kept, and an unchanged version keeps the time at which
   * it was first seen. Returns the software that is new, gone, or of another version or slug.
   */
  async replace(trx: Knex.Transaction, sent: readonly NewSectionValue<ReportedSoftware>[]): Promise<ChangedSoftware[]> {
    const known = sent.filter(({ isFirst }) => !isFirst).map(({ site }) => site.id);
    const before = groupBy(known.length > 0 ? await this.#rowsOf(known) : [], ({ site_id: siteId }) => siteId);
    const sites = sent.map((each) => ({ siteId: each.site.id, ...toRows(each, before.get(each.site.id) ?? []) }));
    await writeRowDifferences(trx, TABLE, sites, before);
    return sites.flatMap(({ siteId, different }) => different.map(({ type, slug }) => ({ siteId, type, slug })));
  }
}

/** `different` contains the rows that are new, gone, or of another version or slug. */
function toRows(
  { site, value: sent, now }: NewSectionValue<ReportedSoftware>,
  before: readonly InstalledRow[],
): { rows: InstalledRow[]; different: InstalledRow[] } {
  const known = new Map(before.map((each) => [installedKeyOf(each), each]));
  const rows: InstalledRow[] = ITEM_TYPES.flatMap(
    (type) =>
      sent[type]?.map(({ item, slug, name, version }) => {
        const old = known.get(installedKeyOf({ type, item }));
        const since = old?.version === version ? old.since : now;
        return { site_id: site.id, type, item, slug, name, version, since };
      }) ?? before.filter((each) => each.type === type),
  );
  const changed = rows.filter((each) => {
    const old = known.get(installedKeyOf(each));
    return old?.version !== each.version || old.slug !== each.slug;
  });
  const slugs = new Map(rows.map((each) => [installedKeyOf(each), each.slug]));
  const gone = before.filter((each) => slugs.get(installedKeyOf(each)) !== each.slug);
  return { rows, different: [...changed, ...gone] };
}

const installedKeyOf = ({ type, item }: Pick<InstalledSoftwareOnSite, 'type' | 'item'>): string => `${type} ${item}`;
