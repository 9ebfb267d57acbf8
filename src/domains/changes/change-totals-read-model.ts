import type { Knex } from 'knex';
import { searchedByPrimaryKey } from '../../db/dialect.ts';
import type { RevisionSubject } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import { ChangeMarkRepository } from './change-mark-repository.ts';

interface KeptTotal {
  revision: number;
  /** The rows are counted up to this mark (see `ChangeMarkRepository`). */
  mark: number;
  count: number;
}

interface CountedRow {
  n: number | string;
  n_after: number | string;
  mark: number | string;
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

/**
 * Counts changes. On MariaDB, counting 200,000 of them takes twenty times as long as reading a page, so each process
 * keeps the number of rows up to the mark and only counts the rows after it. A deletion of rows up to the mark
 * increments the revision `changes`. One statement reads mark, revision and count, so the total is exact whatever other
 * processes do.
 */
export class ChangeTotals {
  readonly #knex: Knex;
  readonly #kept = new Map<string, KeptTotal>();
  readonly #moveAfterMs: number;
  #timer: NodeJS.Timeout | null = null;
  #moving: Promise<void> | null = null;

  constructor(knex: Knex, moveAfterMs = MOVE_AFTER_MS) {
    this.#knex = knex;
    this.#moveAfterMs = moveAfterMs;
  }

  async count(query: ChangeCountQuery): Promise<number> {
    const kept = this.#kept.get(query.key);
    const { n, n_after, mark, newest, revision } = await this.#read(query, kept);
    if (Number(newest ?? 0) - Number(mark) > MOST_AFTER_MARK) this.#moveMarkLater();
    if (kept && kept.revision !== Number(revision)) {
      this.#kept.delete(query.key);
      return this.count(query);
    }
    const total = (kept?.count ?? 0) + Number(n);
    if (Number(mark) > 0)
      this.#keep(query.key, { revision: Number(revision), mark: Number(mark), count: total - Number(n_after) });
    return total;
  }

  async stop(): Promise<void> {
    if (this.#timer && !this.#moving) clearTimeout(this.#timer);
    await this.#moving;
  }

  async #read({ subjects, rows }: ChangeCountQuery, kept: KeptTotal | undefined): Promise<CountedRow> {
    const rowsAfter = (mark: number | Knex.Raw): Knex.QueryBuilder =>
      rows(searchedByPrimaryKey(this.#knex, 'changes')).where('changes.id', '>', mark);
    const counted = kept ? rowsAfter(kept.mark) : rows('changes');
    const mark = this.#knex.raw('(select change_id from change_marks)');
    const revision = this.#knex('revisions').whereIn('name', ['changes', ...subjects]);
    const [row] = await this.#knex.select<CountedRow[]>(
      counted.count('*').as('n'),
      rowsAfter(mark).count('*').as('n_after'),
      this.#knex('change_marks').select('change_id').as('mark'),
      this.#knex('changes').max('id').as('newest'),
      revision.sum('value').as('revision'),
    );
    return row as CountedRow;
  }

  #keep(key: string, total: KeptTotal): void {
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
}
