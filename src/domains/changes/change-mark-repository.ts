import type { Knex } from 'knex';
import { isShared, lockForClaim } from '../../db/dialect.ts';
import { readPrepared } from '../../db/prepared.ts';

/**
 * The mark is an ID below which no transaction will insert a change any more. The newest ID is not a mark while other
 * transactions insert, because transactions do not commit in the order of their IDs.
 */
export class ChangeMarkRepository {
  readonly #trx: Knex;

  constructor(trx: Knex) {
    this.#trx = trx;
  }

  /** Returns the mark, and locks it until the end of the transaction. Call this before a change is inserted. */
  async hold(): Promise<number> {
    const lock = isShared(this.#trx) ? ' lock in share mode' : '';
    const [row] = await readPrepared<{ change_id: number | string }>(
      this.#trx,
      `select change_id from change_marks${lock}`,
      [],
    );
    return Number(row?.change_id ?? 0);
  }

  /** Moves the mark to the newest change, unless another transaction has locked it. */
  async advance(): Promise<void> {
    const [row] = await lockForClaim(this.#trx, this.#trx('change_marks').select<{ change_id: number }[]>('change_id'));
    if (!row) return;
    const [newest] = await this.#trx('changes').max<{ id: number | null }[]>({ id: 'id' });
    if (Number(newest?.id ?? 0) > Number(row.change_id))
      await this.#trx('change_marks').update({ change_id: newest?.id });
  }
}
