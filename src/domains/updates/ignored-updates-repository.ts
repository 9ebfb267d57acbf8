import type { Knex } from 'knex';
import { chunks } from '../../db/chunks.ts';
import { CORE_SLUG, ALL_ITEMS_SLUG, type IgnorableType } from './update.ts';

export class IgnoredUpdatesRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  slugs(siteId: number, type: IgnorableType): Promise<string[]> {
    return this.#db('ignored_updates').where({ site_id: siteId, type }).orderBy('slug').pluck<string[]>('slug');
  }

  async insert(
    site: { id: number; urlKey: string },
    type: IgnorableType,
    items: readonly { slug: string; name: string }[],
    now: number,
  ): Promise<void> {
    for (const chunk of chunks(items))
      await this.#db('ignored_updates').insert(
        chunk.map(({ slug, name }) => ({
          site_id: site.id,
          type,
          slug,
          name,
          site_key: site.urlKey,
          created_at: now,
        })),
      );
  }

  async rename(siteId: number, type: IgnorableType, slug: string, newSlug: string): Promise<void> {
    await this.#db('ignored_updates').where({ site_id: siteId, type, slug }).update({ slug: newSlug });
  }

  async delete(siteId: number, type: IgnorableType, slugs: readonly string[]): Promise<void> {
    await this.#db('ignored_updates').where({ site_id: siteId, type }).whereIn('slug', slugs).delete();
  }

  async names(siteId: number, type: IgnorableType, slugs: readonly string[]): Promise<Map<string, string>> {
    if (type === 'core') return new Map([[CORE_SLUG, 'WordPress']]);
    const rows = await this.#db(type === 'plugin' ? 'site_plugins' : 'site_themes')
      .where({ site_id: siteId })
      .whereIn('slug', slugs)
      .select<{ slug: string; name: string }[]>('slug', 'name');
    return new Map([[ALL_ITEMS_SLUG, `All ${type}s`], ...rows.map(({ slug, name }) => [slug, name] as const)]);
  }
}
