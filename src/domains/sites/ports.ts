import type { Knex } from 'knex';
import type { Change } from '../../shared/change.ts';

/** The log of changes, as this domain needs it; the container hands it in, so that sites depend on no other domain. */
export interface ChangeRecorder {
  append(trx: Knex.Transaction, ...changes: Change[]): Promise<void>;
}
