import type { Knex } from 'knex';
import type { ChangedThing } from '../../shared/changed-thing.ts';

export interface Change {
  siteId: number | null;
  type: string;
  description: string;
  actor: string;
  thing?: ChangedThing;
}

/** The log of changes, as this domain needs it; the container hands it in, so that sites depend on no other domain. */
export interface ChangeRecorder {
  append(trx: Knex.Transaction, ...changes: Change[]): Promise<void>;
}
