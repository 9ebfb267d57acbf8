import type { Knex } from 'knex';
import { searchedByPrimaryKey } from '../../db/dialect.ts';
import { FEW_ROWS, longRead } from '../../db/long-read.ts';
import type { RevisionSubject } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import { MINUTE } from '../../shared/clock.ts';
import { ChangeMarkRepository, type ChangeMarks } from './change-mark-repository.ts';

interface KeptTotal {
  query: ChangeCountQuery;
  revision: number;
  /** The rows are counted up to this ID and from this time (see `ChangeMarkRepository`). */
  marks: ChangeMarks;
  count: number;
  /** Number of rows outside the marks at the last count. */
  rest: number;
  usedAt: number;
}

interface CountedRow {
  n: number | string;
  n_after: number | string;
  n_expiring: number | string;
  mark: number | string;
  expiring_before: number | string;
  newest: number | string | null;
  revision: number | string;
}

export interface ChangeCountQuery {
  /** Queries that can select different rows must have different keys. */
  key: string;
  /** Revisions that change when an entry that is already stored starts or stops matching the query. */
  subjects: readonly RevisionSubject[];
  rows: (table: string | Knex.Raw) => Knex.QueryBuilder;
}

const MOST_KEPT = 500;
/** The mark is moved if more than this number of IDs follow it. */
const MOST_AFTER_MARK = 500;
const MOVE_AFTER_MS = 1_000;
const REFRESH_MS = 1_000;
/** Only totals that were used within this time are counted again in the background. */
const USED_WITHIN = MINUTE;
/** A caller that polls with a new time each time leaves totals that nobody asks for again. */
const MOST_REFRESHED = 10;

/**
 * Counts changes. Counting 200,000 of them takes much longer than reading a page, so each process keeps the number of
 * rows between two marks, and only counts the rows after the one ID and those from before the other time. The deletion
 * of rows between the marks increments the revision `changes`; retention deletes rows from before the time. One
 * statement reads marks, revision and count, so the total is exact whatever other processes do. After a new revision,
 * the kept totals are counted again in the background.
 */
export class ChangeTotals {
  readonly #knex: Knex;
  readonly #kept = new Map<string, KeptTotal>();
  readonly #moveAfterMs: number;
  readonly #refreshMs: number;
  #timer: NodeJS.Timeout | null = null;
  #moving: Promise<void> | null = null;
  #refreshTimer: NodeJS.Timeout | null = null;
  #refreshing: Promise<void> | null = null;
  #isStopped = false;

  constructor(knex: Knex, moveAfterMs = MOVE_AFTER_MS, refreshMs = REFRESH_MS) {
    this.#knex = knex;
    this.#moveAfterMs = moveAfterMs;
    this.#refreshMs = refreshMs;
  }

  async count(query: ChangeCountQuery): Promise<number> {
    const total = await this.#count(query, performance.now());
    if ((this.#kept.get(query.key)?.marks.id ?? 0) > 0) this.#refreshLater();
    return total;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer && !this.#moving) clearTimeout(this.#timer);
    if (this.#refreshTimer) clearTimeout(this.#refreshTimer);
    await Promise.all([this.#moving, this.#refreshing]);
  }

  async #count(query: ChangeCountQuery, usedAt: number): Promise<number> {
    const kept = this.#kept.get(query.key);
    const { n, n_after, n_expiring, mark, expiring_before, newest, revision } = await this.#read(query, kept);
    if (Number(newest ?? 0) - Number(mark) > MOST_AFTER_MARK) this.#moveMarkLater();
    if (kept && kept.revision !== Number(revision)) {
      if (this.#kept.get(query.key) === kept) this.#kept.delete(query.key);
      return this.#count(query, usedAt);
    }
    const total = kept ? kept.count + Number(n) + Number(n_expiring) : Number(n);
    const rest = Number(n_after) + Number(n_expiring);
    this.#keep({
      ...{ query, revision: Number(revision), count: total - rest, rest, usedAt },
      marks: { id: Number(mark), expiringBefore: Number(expiring_before) },
    });
    return total;
  }

  async #read({ subjects, rows }: ChangeCountQuery, kept: KeptTotal | undefined): Promise<CountedRow> {
    const { id: mark, expiringBefore } = kept?.marks ?? this.#currentMarks();
    const rowsAfter = (id: number | Knex.Raw): Knex.QueryBuilder =>
      rows(searchedByPrimaryKey(this.#knex, 'changes'))
        .where('changes.id', '>', id)
        .where('changes.at', '>=', expiringBefore);
    const counted = kept ? rowsAfter(mark) : rows('changes');
    const current = this.#currentMarks();
    const revision = this.#knex('revisions').whereIn('name', ['changes', ...subjects]);
    const statement = this.#knex.select<CountedRow[]>(
      counted.count('*').as('n'),
      rowsAfter(current.id).count('*').as('n_after'),
      rows('changes').where('changes.at', '<', expiringBefore).count('*').as('n_expiring'),
      this.#knex('change_marks').select('change_id').as('mark'),
      this.#knex('change_marks').select('expiring_before').as('expiring_before'),
      this.#knex('changes').max('id').as('newest'),
      revision.sum('value').as('revision'),
    );
    const isShort = kept && kept.rest <= FEW_ROWS;
    const [row] = await (isShort ? statement : longRead(statement));
    return row as CountedRow;
  }

  #currentMarks(): { id: Knex.Raw; expiringBefore: Knex.Raw } {
    return {
      id: this.#knex.raw('(select change_id from change_marks)'),
      expiringBefore: this.#knex.raw('(select expiring_before from change_marks)'),
    };
  }

  #keep(total: KeptTotal): void {
    const { key } = total.query;
    this.#kept.delete(key);
    this.#kept.set(key, total);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  #moveMarkLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#moving = inTransaction(this.#knex, ({ trx }) => new ChangeMarkRepository(trx).advance())
        .catch(() => undefined)
        .finally(() => (this.#timer = this.#moving = null));
    }, this.#moveAfterMs).unref();
  }

  #refreshLater(): void {
    if (this.#isStopped) return;
    this.#refreshTimer ??= setTimeout(() => {
      this.#refreshing = this.#refresh()
        .catch(() => undefined)
        .finally(() => {
          this.#refreshTimer = this.#refreshing = null;
          if (this.#usedTotals().length > 0) this.#refreshLater();
        });
    }, this.#refreshMs).unref();
  }

  /**
   * Returns the totals that were used last. Leaves out totals of a log with few changes, which were counted up to no
   * mark.
   */
  #usedTotals(): KeptTotal[] {
    const since = performance.now() - USED_WITHIN;
    const used = [...this.#kept.values()].filter(({ usedAt, marks }) => usedAt > since && marks.id > 0);
    return used.sort((one, other) => other.usedAt - one.usedAt).slice(0, MOST_REFRESHED);
  }

  /** Counts the totals of an earlier revision again, so that the next request does not have to. */
  async #refresh(): Promise<void> {
    const used = this.#usedTotals();
    if (used.length === 0) return;
    const rows = await this.#knex('revisions').select<{ name: string; value: number | string }[]>('name', 'value');
    const values = new Map(rows.map(({ name, value }) => [name, Number(value)]));
    for (const { query, revision, usedAt } of used) {
      const current = ['changes', ...query.subjects].reduce((sum, name) => sum + (values.get(name) ?? 0), 0);
      if (current !== revision && !this.#isStopped) await this.#count(query, usedAt);
    }
  }
}
