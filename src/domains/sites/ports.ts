import type { Knex } from 'knex';
import type { Change } from '../../shared/change.ts';

/** Port of the change log. The container supplies it, so this part depends on no other. */
export interface ChangeRecorder {
  append(trx: Knex.Transaction, ...changes: Change[]): Promise<void>;
}
