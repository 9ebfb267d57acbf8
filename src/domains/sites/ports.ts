import type { Knex } from 'knex';

export interface Change {
  siteId: number | null;
  type: string;
  description: string;
  actor: string;
}

/** The log of changes, as this domain needs it; the container hands it in, so that sites depend on no other domain. */
export interface ChangeRecorder {
  append(trx: Knex.Transaction, ...changes: Change[]): Promise<void>;
}

/** What another domain keeps of a site without a reference of the database, and lets go with it. */
export type SiteDeletedHook = (trx: Knex.Transaction, siteId: number) => Promise<void>;
