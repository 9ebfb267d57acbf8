import type { Knex } from 'knex';
import { isTransient } from './dialect.ts';
import { retryWhileBusy } from './database-unavailable.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

export interface TransactionScope {
  trx: Knex.Transaction;
  afterCommit: (effect: () => void) => void;
}

/**
 * Runs `work` in a transaction. After a conflict with another writer, `work` runs again, so effects outside of the
 * database belong in `afterCommit`.
 */
export async function inTransaction<T>(knex: Knex, work: (scope: TransactionScope) => Promise<T>): Promise<T> {
  let effects: (() => void)[] = [];
  const run = (): Promise<T> => {
    effects = [];
    return knex.transaction((trx) => work({ trx, afterCommit: (effect) => effects.push(effect) }));
  };
  const result = await retryWhileBusy((knex.client as Knex.Client).config, () => retryOnConflict(isTransient, run));
  for (const effect of effects) effect();
  return result;
}
