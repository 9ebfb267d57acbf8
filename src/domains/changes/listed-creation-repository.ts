import type { Knex } from 'knex';
import { readOfIds } from '../../db/prepared.ts';
import { groupBy } from '../../shared/group-by.ts';
import { ChangeRepository, type ChangeRow } from './change-repository.ts';
import { readSiteChanges } from './site-changes-read-model.ts';

export type ListedCreation = Pick<ChangeRow, 'id' | 'site_id' | 'type' | 'object_key' | 'at'>;

/** A comment, a post or a page of a site. `key` is that of `listedKeyOf`. */
export interface ListedObject {
  siteId: number;
  key: string;
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

  async find(objects: readonly ListedObject[]): Promise<ListedCreation[]> {
    const selections = [...groupBy(objects, ({ siteId }) => siteId)].map(([siteId, ofSite]) => ({
      siteId,
      source: ['child_lists'],
      external_id: [...new Set(ofSite.map(({ key }) => key))],
    }));
    return readSiteChanges(this.#db, ['id', 'site_id', 'type', 'object_key', 'at'], selections);
  }

  async delete(objects: readonly ListedObject[]): Promise<void> {
    if (objects.length === 0) return;
    const creations = await this.find(objects);
    await new ChangeRepository(this.#db).delete(creations.map(({ id }) => id));
  }
}

const toMarks = (row: MarksRow): RecentMarks => ({
  comment: toNumber(row.last_comment_id),
  post: toNumber(row.last_post_id),
  lastSyncAt: toNumber(row.last_sync_at),
});

const toNumber = (value: number | null): number | null => (value === null ? null : Number(value));
