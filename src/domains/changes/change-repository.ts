import type { Knex } from 'knex';
import { chunks, IDS_A_STATEMENT } from '../../db/chunks.ts';
import { isMissingReference } from '../../db/dialect.ts';
import { insertRows } from '../../db/insert-rows.ts';
import { bumpRevision } from '../../db/revisions.ts';
import type { ChangedValues } from '../../shared/changed-values.ts';
import { siteDeletedError } from '../../shared/errors.ts';
import { truncate } from '../../shared/text.ts';
import { ChangeMarkRepository } from './change-mark-repository.ts';

/**
 * `dashboard` is this service. `child_actions` and `child_changes` are the two logs of the child plugin. `child_lists`
 * are its lists of recent comments, posts and pages.
 */
const CHANGE_SOURCES = ['dashboard', 'child_actions', 'child_changes', 'child_lists'] as const;
export type ChangeSource = (typeof CHANGE_SOURCES)[number];

export interface ChangeRow {
  id: number;
  site_id: number | null;
  source: ChangeSource;
  external_id: string | null;
  type: string;
  description: string;
  actor: string;
  at: number;
  object_name: string | null;
  object_key: string | null;
  old_values: string | null;
  new_values: string | null;
}
export type NewChangeRow = Omit<ChangeRow, 'id'>;

interface LoggedObject {
  name: string | null;
  key: string | number | null;
  before?: ChangedValues;
  after?: ChangedValues;
}
type ChangedObjectColumns = Pick<ChangeRow, 'object_name' | 'object_key' | 'old_values' | 'new_values'>;

const VALUE_MAX = 500;
const OBJECT_KEY_MAX = 191;

export const storedKeyOf = ({ key }: Pick<LoggedObject, 'key'> = NOTHING): string | null =>
  key === null ? null : truncate(String(key), OBJECT_KEY_MAX);

export const toChangedObjectColumns = ({ name, key, before, after }: LoggedObject = NOTHING): ChangedObjectColumns => ({
  object_name: name,
  object_key: storedKeyOf({ key }),
  old_values: toTruncatedJson(before),
  new_values: toTruncatedJson(after),
});

const NOTHING: LoggedObject = { name: null, key: null };

function toTruncatedJson(values: ChangedValues = {}): string | null {
  const entries = Object.entries(values).map(([field, value]) => [field, truncate(value, VALUE_MAX)]);
  return entries.length === 0 ? null : JSON.stringify(Object.fromEntries(entries));
}

export class ChangeRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async insert(rows: readonly NewChangeRow[]): Promise<void> {
    if (rows.length === 0) return;
    await new ChangeMarkRepository(this.#db).hold();
    try {
      for (const chunk of chunks(rows)) await this.#db('changes').insert(chunk.map(truncateToColumnSizes));
    } catch (error) {
      throw isMissingReference(error) ? siteDeletedError() : error;
    }
  }

  async lastId(): Promise<number> {
    const [row] = await this.#db('changes').max<{ id: number | null }[]>({ id: 'id' });
    return Number(row?.id ?? 0);
  }

  async ownEntriesAfter(siteId: number, id: number): Promise<Pick<ChangeRow, 'type' | 'object_key'>[]> {
    return this.#db('changes')
      .where({ site_id: siteId, source: 'dashboard' })
      .where('id', '>', id)
      .select<Pick<ChangeRow, 'type' | 'object_key'>[]>('type', 'object_key');
  }

  oldestOf(siteId: number, from: number, most: number): Promise<Pick<ChangeRow, 'id' | 'at'>[]> {
    const changes = this.#db('changes').where({ site_id: siteId }).where('at', '>=', from);
    return changes.orderBy(['at', 'id']).limit(most).select<Pick<ChangeRow, 'id' | 'at'>[]>('id', 'at');
  }

  /**
   * Only this method and the deletion of a site delete changes. Returns the number of deleted rows. `before` is later
   * than the times of all these changes.
   */
  async delete(ids: readonly number[], before = Infinity): Promise<number> {
    if (ids.length === 0) return 0;
    const marks = await new ChangeMarkRepository(this.#db).hold();
    let deleted = 0;
    for (const some of chunks(ids, IDS_A_STATEMENT)) deleted += await this.#db('changes').whereIn('id', some).delete();
    if (before > marks.expiringBefore && ids.some((id) => id <= marks.id)) await bumpRevision(this.#db, 'changes');
    return deleted;
  }
}

const truncateToColumnSizes = (row: NewChangeRow): NewChangeRow => ({
  ...row,
  external_id: row.external_id === null ? null : truncate(row.external_id, 64),
  type: truncate(row.type, 96),
  description: truncate(row.description, 500),
  actor: truncate(row.actor, 255),
  object_name: row.object_name === null ? null : truncate(row.object_name, 255),
  object_key: row.object_key === null ? null : truncate(row.object_key, OBJECT_KEY_MAX),
});

/** Inserts the changes that are not stored yet. The site, the source and the external ID identify an entry of a log. */
export async function insertUnknownChanges(trx: Knex.Transaction, rows: readonly NewChangeRow[]): Promise<void> {
  if (rows.length === 0) return;
  await new ChangeMarkRepository(trx).hold();
  const known = { key: ['site_id', 'source', 'external_id'], columns: [] };
  await insertRows(trx, 'changes', rows.map(truncateToColumnSizes), known);
}
