import type { Knex } from 'knex';
import type { Change } from '../../shared/change.ts';

export interface ChangeRecorder {
  append(trx: Knex.Transaction, ...changes: Change[]): Promise<void>;
  /** Returns a position in the log. Entries that are written later come after it. */
  position(db: Knex): Promise<number>;
  /** Returns the changes without those that already have an entry after the position. */
  withoutLogged(db: Knex, siteId: number, changes: readonly Change[], position: number): Promise<Change[]>;
}
