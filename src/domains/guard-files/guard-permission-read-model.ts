import type { Knex } from 'knex';

export interface GuardPermissions {
  siteIds: readonly number[];
  tagIds: readonly number[];
}

/** Decides on which sites the operator allows guard files: named ones, and those with a named tag. */
export class GuardPermissionReadModel {
  readonly #db: Knex;
  readonly #permissions: () => GuardPermissions;

  constructor(db: Knex, permissions: () => GuardPermissions) {
    this.#db = db;
    this.#permissions = permissions;
  }

  async isAllowed(siteId: number): Promise<boolean> {
    const { siteIds, tagIds } = this.#permissions();
    if (siteIds.includes(siteId)) return true;
    if (tagIds.length === 0) return false;
    const row = await this.#db('site_tags')
      .where({ site_id: siteId })
      .whereIn('tag_id', [...tagIds])
      .first<object | undefined>('site_id');
    return row !== undefined;
  }
}
