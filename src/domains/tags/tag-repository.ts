import type { Knex } from 'knex';
import { isDuplicate, lockForUpdate } from '../../db/dialect.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { ConflictError, NotFoundError } from '../../shared/errors.ts';
import { nameKeyOf } from '../../shared/text.ts';
import { whereInScope } from '../sites/index.ts';

export interface TagRow {
  id: number;
  name: string;
  name_key: string;
  color: string | null;
  revision: number;
  created_at: number;
  updated_at: number;
}

export interface TagFields {
  name: string;
  color: string | null;
}

export const tagNotFound = (): NotFoundError => new NotFoundError('svc_tag_not_found', 'No tag has this ID or name.');

export class TagRepository {
  readonly #db: Knex;
  readonly #now: number;

  constructor(db: Knex, now: number) {
    this.#db = db;
    this.#now = now;
  }

  async insert({ name, color }: TagFields): Promise<number> {
    const times = { created_at: this.#now, updated_at: this.#now };
    const row = { name, name_key: nameKeyOf(name), color, revision: 1, ...times };
    const [id] = await withTakenNameError(this.#db('tags').insert(row));
    return id as number;
  }

  /**
   * Locks a tag. Throws `svc_tag_not_found` if no site of the tag is in a limited scope. The scope is a condition of
   * the statement: a tag outside it is not locked and takes as long as a missing one, so its existence stays hidden.
   */
  async lock(scope: SiteScope, id: number): Promise<TagFields> {
    const query = this.#db('tags').where({ id }).first<TagFields | undefined>('name', 'color');
    if (isLimited(scope)) {
      const seen = this.#db('site_tags').where('site_tags.tag_id', id).select('site_tags.site_id');
      whereInScope(this.#db, seen, scope, 'site_tags.site_id');
      void query.whereExists(seen);
    }
    const row: TagFields | undefined = await lockForUpdate(this.#db, query);
    if (!row) throw tagNotFound();
    return { name: row.name, color: row.color };
  }

  async update(id: number, { name, color }: TagFields): Promise<void> {
    const revision = this.#db.raw('revision + 1');
    const row = { name, name_key: nameKeyOf(name), color, revision, updated_at: this.#now };
    await withTakenNameError(this.#db('tags').where({ id }).update(row));
  }

  async delete(id: number): Promise<void> {
    await this.#db('tags').where({ id }).delete();
  }
}

async function withTakenNameError<T>(write: PromiseLike<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (isDuplicate(error)) throw new ConflictError('svc_already_exists', 'A tag with this name already exists.');
    throw error;
  }
}
