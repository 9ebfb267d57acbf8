import type { Knex } from 'knex';
import { chunks, IDS_A_STATEMENT } from '../../db/chunks.ts';
import { readOfIds } from '../../db/prepared.ts';
import { ChangeRepository } from './change-repository.ts';

export interface ListedCreation {
  id: number;
  key: string;
  at: number;
}

/** Highest IDs in the lists of recent items that the site has sent; null before the first sync with such a list. */
export interface RecentMarks {
  comment: number | null;
  /** Posts and pages share one sequence of IDs. */
  post: number | null;
  lastSyncAt: number | null;
}

interface MarksRow {
  site_id: number;
  last_comment_id: number | null;
  last_post_id: number | null;
  last_sync_at: number | null;
}

const marksSql = (sites: string): string =>
  `select site_id, last_comment_id, last_post_id, last_sync_at from site_states where site_id in (${sites})`;

const NO_MARKS: RecentMarks = { comment: null, post: null, lastSyncAt: null };

export const listedKeyOf = (kind: string, id: string | number): string => `${kind}:${id}`;

/** Entries of the source `child_lists`: creations that no log of the site has. */
export class ListedCreationRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async marks(siteIds: readonly number[]): Promise<(siteId: number) => RecentMarks> {
    const rows = await readOfIds<MarksRow>(this.#db, siteIds, marksSql);
    const marks = new Map(rows.map((row) => [row.site_id, toMarks(row)]));
    return (siteId) => marks.get(siteId) ?? NO_MARKS;
  }

  async find(siteId: number, keys: readonly string[]): Promise<ListedCreation[]> {
    const creations: ListedCreation[] = [];
    for (const some of chunks(keys, IDS_A_STATEMENT)) {
      const rows = await this.#db('changes')
        .where({ site_id: siteId, source: 'child_lists' })
        .whereIn('external_id', some)
        .select<{ id: number; external_id: string; at: number }[]>('id', 'external_id', 'at');
      creations.push(...rows.map(({ id, external_id, at }) => ({ id, key: external_id, at: Number(at) })));
    }
    return creations;
  }

  async delete(siteId: number, keys: readonly string[]): Promise<void> {
    const creations = await this.find(siteId, keys);
    await new ChangeRepository(this.#db).delete(creations.map(({ id }) => id));
  }
}

const toMarks = (row: MarksRow): RecentMarks => ({
  comment: toNumber(row.last_comment_id),
  post: toNumber(row.last_post_id),
  lastSyncAt: toNumber(row.last_sync_at),
});

const toNumber = (value: number | null): number | null => (value === null ? null : Number(value));
