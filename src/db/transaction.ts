import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { isTransient } from './dialect.ts';
import { patiently } from './unavailable.ts';

/** What a unit of work is given: the transaction, and a place for what may only happen once it is committed. */
export interface Scope {
  trx: Knex.Transaction;
  afterCommit: (effect: () => void) => void;
}

const ATTEMPTS = 6;

/**
 * Runs one unit of work. It is run again when another writer was in the way, so it must touch nothing but the database;
 * everything else goes to `afterCommit`.
 */
export async function inTransaction<T>(knex: Knex, work: (scope: Scope) => Promise<T>): Promise<T> {
  let effects: (() => void)[] = [];
  const run = (): Promise<T> => {
    effects = [];
    return knex.transaction((trx) => work({ trx, afterCommit: (effect) => effects.push(effect) }));
  };
  const result = await patiently((knex.client as Knex.Client).config, () => repeated(run));
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
