import type { Knex } from 'knex';
import type { Change } from '../../shared/change.ts';

export interface ChangeRecorder {
  append(trx: Knex.Transaction, ...changes: Change[]): Promise<void>;
  deleteMostOf(knex: Knex, siteId: number): Promise<number>;
  position(db: Knex): Promise<number>;
  withoutLogged(db: Knex, siteId: number, changes: readonly Change[], position: number): Promise<Change[]>;
}
