import type { Knex } from 'knex';
import type { ChildLogEntry } from '../../connector/child-site.ts';
import type { SyncSection as Section } from '../../part.ts';
import type { SiteStateRow } from './site-repository.ts';

export type SiteStatePatch = Partial<Omit<SiteStateRow, 'site_id'>>;

export type SyncSection<T = unknown> = Section<T, SiteStatePatch>;

/** Log entries are added, not replaced; their cursors move with them. */
export interface SyncLog {
  /** `changesRead` is up to where the changes log has been read, in float seconds; 0 says nothing of it. */
  store(
    trx: Knex.Transaction,
    siteId: number,
    entries: readonly ChildLogEntry[],
    changesRead: number,
  ): Promise<SiteStatePatch>;
}

/** Reads the certificate of a site; null when it could not be asked. */
export type SslProbe = (url: string) => Promise<{ valid: boolean; expiresAt: number | null } | null>;
