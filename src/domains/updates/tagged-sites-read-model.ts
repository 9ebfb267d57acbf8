import type { Knex } from 'knex';
import { nameKeyOf } from '../../shared/text.ts';

export class TaggedSitesReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  async byTag(names: readonly string[]): Promise<Map<string, Set<number>>> {
    if (names.length === 0) return new Map();
    const rows = await this.#knex('tags')
      .leftJoin('site_tags', 'site_tags.tag_id', 'tags.id')
      .whereIn('tags.name_key', names.map(nameKeyOf))
      .select<{ name_key: string; site_id: number | null }[]>('tags.name_key', 'site_tags.site_id');
    const sites = new Map<string, Set<number>>();
    for (const { name_key: key, site_id: id } of rows) {
      const ofTag = sites.get(key) ?? new Set();
      if (id !== null) ofTag.add(id);
      sites.set(key, ofTag);
    }
    return sites;
  }
}
