import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { isTransient } from './dialect.ts';
import { retryWhileBusy } from './database-unavailable.ts';

export interface Scope {
  trx: Knex.Transaction;
  afterCommit: (effect: () => void) => void;
}

const ATTEMPTS = 6;

/**
 * Runs one unit of work in a transaction. It is repeated after conflicts with other writers, so it must have no effects
 * outside the database; those go to `afterCommit`.
 */
export async function inTransaction<T>(knex: Knex, work: (scope: Scope) => Promise<T>): Promise<T> {
  let effects: (() => void)[] = [];
  const run = (): Promise<T> => {
    effects = [];
    return knex.transaction((trx) => work({ trx, afterCommit: (effect) => effects.push(effect) }));
  };
  const result = await retryWhileBusy((knex.client as Knex.Client).config, () => repeated(run));
  for (const effect of effects) effect();
  return result;
}

async function repeated<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt >= ATTEMPTS || !isTransient(error)) throw error;
      await sleep(10 * 2 ** attempt * Math.random());
    }
  }
}
