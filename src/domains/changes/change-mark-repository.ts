import type { Knex } from 'knex';
import { isShared, lockForClaim, lockForUpdate } from '../../db/dialect.ts';
import { readPrepared } from '../../db/prepared.ts';
import { bumpRevision } from '../../db/revisions.ts';
import { HOUR } from '../../shared/clock.ts';

export interface ChangeMarks {
  /** No transaction will insert a change with this or a lower ID any more. */
  id: number;
  /** Retention deletes changes from before this time. Milliseconds since 1970. */
  expiringBefore: number;
}

/**
 * Marks up to where totals of changes are kept (see `ChangeTotals`). The newest ID is not a mark while other
 * transactions insert, because transactions do not commit in the order of their IDs.
 */
export class ChangeMarkRepository {
  readonly #trx: Knex;

  constructor(trx: Knex) {
    this.#trx = trx;
  }

  /** Returns the marks, and locks them until the end of the transaction. Call this before a change is inserted. */
  async hold(): Promise<ChangeMarks> {
    const lock = isShared(this.#trx) ? ' lock in share mode' : '';
    const [row] = await readPrepared<MarkRow>(
      this.#trx,
      `select change_id, expiring_before from change_marks${lock}`,
      [],
    );
    return { id: Number(row?.change_id ?? 0), expiringBefore: Number(row?.expiring_before ?? 0) };
  }

  /** Moves the mark to the newest change, unless another transaction has locked it. */
  async advance(): Promise<void> {
    const [row] = await lockForClaim(this.#trx, this.#trx('change_marks').select<{ change_id: number }[]>('change_id'));
    if (!row) return;
    const [newest] = await this.#trx('changes').max<{ id: number | null }[]>({ id: 'id' });
    if (Number(newest?.id ?? 0) > Number(row.change_id))
      await this.#trx('change_marks').update({ change_id: newest?.id });
  }

  /**
   * Call this in a transaction of its own, before changes from before `time` are deleted. The mark is moved to the next
   * full hour, because each move makes all kept totals invalid.
   */
  async expireBefore(time: number): Promise<void> {
    const marks = (): Knex.QueryBuilder => this.#trx('change_marks').where('expiring_before', '<', time);
    // A locking read waits for all transactions that insert changes, so it is only done if the mark must move.
    const [mark] = await marks().pluck<number[]>('id');
    if (mark === undefined) return;
    const [locked] = await lockForUpdate(this.#trx, marks()).pluck<number[]>('id');
    if (locked === undefined) return;
    await this.#trx('change_marks').update({ expiring_before: Math.ceil(time / HOUR) * HOUR });
    await bumpRevision(this.#trx, 'changes');
  }
}

interface MarkRow {
  change_id: number | string;
  expiring_before: number | string;
}
