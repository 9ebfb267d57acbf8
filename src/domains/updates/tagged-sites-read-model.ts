import type { Knex } from 'knex';
import type { SiteScope } from '../../shared/site-scope.ts';
import { whereInScope } from '../sites/index.ts';
import { nameKeyOf } from '../../shared/text.ts';

export class TaggedSitesReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** Returns the site IDs by the key of the tag name. In a limited scope, tags without a site in it are missing. */
  async byTag(scope: SiteScope, names: readonly string[]): Promise<Map<string, Set<number>>> {
    if (names.length === 0) return new Map();
    const query = this.#knex('tags')
      .leftJoin('site_tags', 'site_tags.tag_id', 'tags.id')
      .whereIn('tags.name_key', names.map(nameKeyOf));
    whereInScope(this.#knex, query, scope, 'site_tags.site_id');
    const rows = await query.select<{ name_key: string; site_id: number | null }[]>(
      'tags.name_key',
      'site_tags.site_id',
    );
    const sites = new Map<string, Set<number>>();
    for (const { name_key: key, site_id: id } of rows) {
      const ofTag = sites.get(key) ?? new Set();
      if (id !== null) ofTag.add(id);
      sites.set(key, ofTag);
    }
    return sites;
  }
}
