import type { Knex } from 'knex';
import { NotFoundError } from '../../shared/errors.ts';
import type { Tag } from './tag.ts';
import type { TagRow } from './tag-repository.ts';

const COLUMNS = ['tags.id', 'tags.name', 'tags.color', 'tags.revision', 'tags.created_at', 'tags.updated_at'] as const;

type CountedRow = TagRow & { sites_count: number | string };

const toTag = (row: CountedRow): Tag => ({
  id: row.id,
  name: row.name,
  color: row.color,
  sitesCount: Number(row.sites_count),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  revision: row.revision,
});

/** Reads tags. */
export class TagReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** Throws `svc_tag_not_found`. */
  async get(id: number): Promise<Tag> {
    const row = await this.#knex('tags')
      .where({ id })
      .first<CountedRow | undefined>(
        ...COLUMNS,
        this.#knex.raw('(select count(*) from site_tags where site_tags.tag_id = tags.id) as sites_count'),
      );
    if (!row) throw new NotFoundError('svc_tag_not_found', 'No tag goes by this ID.');
    return toTag(row);
  }
}
