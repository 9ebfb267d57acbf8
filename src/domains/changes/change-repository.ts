import type { Knex } from 'knex';

/** dashboard: done here; child_actions and child_changes: the two logs that a child keeps. */
export const CHANGE_SOURCES = ['dashboard', 'child_actions', 'child_changes'] as const;
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
}
export type NewChangeRow = Omit<ChangeRow, 'id'>;

/** Up to which entry each log of a child is stored. */
export interface LogCursors {
  actions: number;
  changes: number;
}

const CHUNK = 100;

/** Rows of the log of changes; texts are cut to what a column holds. */
export class ChangeRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async insert(rows: readonly NewChangeRow[]): Promise<void> {
    for (const chunk of chunks(rows)) await this.#db('changes').insert(chunk);
  }

  /** Entries that are stored already stay as they are. */
  async insertUnknown(rows: readonly NewChangeRow[]): Promise<void> {
    for (const chunk of chunks(rows))
      await this.#db('changes').insert(chunk).onConflict(['site_id', 'source', 'external_id']).ignore();
  }

  async cursors(siteId: number): Promise<LogCursors> {
    const row = await this.#db('site_states')
      .where({ site_id: siteId })
      .first<{ actions_cursor: number; changes_cursor: number } | undefined>('actions_cursor', 'changes_cursor');
    return { actions: Number(row?.actions_cursor ?? 0), changes: Number(row?.changes_cursor ?? 0) };
  }
}

function* chunks(rows: readonly NewChangeRow[]): Generator<NewChangeRow[]> {
  for (let start = 0; start < rows.length; start += CHUNK) yield rows.slice(start, start + CHUNK).map(cut);
}

const cut = (row: NewChangeRow): NewChangeRow => ({
  ...row,
  external_id: row.external_id?.slice(0, 64) ?? null,
  type: row.type.slice(0, 96),
  description: row.description.slice(0, 500),
  actor: row.actor.slice(0, 255),
});
