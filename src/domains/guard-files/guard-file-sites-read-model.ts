import type { Knex } from 'knex';

export interface AllowedGuardFileSites {
  siteIds: readonly number[];
  tagIds: readonly number[];
}

export class GuardFileSitesReadModel {
  readonly #db: Knex;
  readonly #allowed: () => AllowedGuardFileSites;

  constructor(db: Knex, allowed: () => AllowedGuardFileSites) {
    this.#db = db;
    this.#allowed = allowed;
  }

  async isAllowed(siteId: number): Promise<boolean> {
    return (await this.allowedAmong([siteId])).has(siteId);
  }

  async allowedAmong(ids: readonly number[]): Promise<ReadonlySet<number>> {
    const { siteIds, tagIds } = this.#allowed();
    const allowed = new Set(ids.filter((id) => siteIds.includes(id)));
    const others = ids.filter((id) => !allowed.has(id));
    if (tagIds.length === 0 || others.length === 0) return allowed;
    const tagged = await this.#db('site_tags')
      .whereIn('site_id', others)
      .whereIn('tag_id', [...tagIds])
      .distinct<{ site_id: number }[]>('site_id');
    return new Set([...allowed, ...tagged.map(({ site_id: id }) => id)]);
  }
}
