import type { Knex } from 'knex';
import type { PackageRef } from './package.ts';
import type { SiteForPackage } from './site-item.ts';

interface ItemRow {
  slug: string;
  name: string;
  version: string;
  active: number;
  must_use?: number;
  is_child?: number;
}

/** Reads the versions of a site as of its last report, so that an unsuitable package is refused without a call. */
export class SiteItemReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  async find(siteId: number, { kind, slug }: Pick<PackageRef, 'kind' | 'slug'>): Promise<SiteForPackage> {
    const [state, rows] = await Promise.all([
      this.#knex('site_states')
        .where({ site_id: siteId })
        .first<{ wp_version: string | null; php_version: string | null } | undefined>('wp_version', 'php_version'),
      kind === 'plugin' ? this.#plugins(siteId, slug) : this.#themes(siteId, slug),
    ]);
    return {
      wpVersion: state?.wp_version ?? null,
      phpVersion: state?.php_version ?? null,
      items: rows.map(({ slug: itemSlug, name, version, active, must_use: mustUse = 0, is_child: isChild = 0 }) => ({
        ...{ slug: itemSlug, name, version, active: Number(active) === 1 },
        isProtected: Number(mustUse) === 1 || Number(isChild) === 1,
      })),
    };
  }

  /** Reads a range of the primary key. `0` is the character after `/`. */
  #plugins(siteId: number, folder: string): Promise<ItemRow[]> {
    return this.#knex('site_plugins')
      .where({ site_id: siteId })
      .where('slug', '>', `${folder}/`)
      .where('slug', '<', `${folder}0`)
      .select<ItemRow[]>('slug', 'name', 'version', 'active', 'must_use', 'is_child');
  }

  #themes(siteId: number, slug: string): Promise<ItemRow[]> {
    return this.#knex('site_themes')
      .where({ site_id: siteId, slug })
      .select<ItemRow[]>('slug', 'name', 'version', 'active');
  }
}
