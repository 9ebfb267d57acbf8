import type { Knex } from 'knex';
import type { ChildLogEntry, ChildStats } from '../../connector/child-site.ts';
import type { RevisionSubject } from '../../db/revisions.ts';
import type { SiteStateRow } from './site-repository.ts';

export type SiteStatePatch = Partial<Omit<SiteStateRow, 'site_id'>>;

/**
 * One part of what a sync brings, kept by the domain that knows it. A section whose value equals the stored one, by
 * hash, is not written.
 */
export interface SyncSection<T = unknown> {
  readonly name: string;
  /** Lists whose content a changed value changes. */
  readonly subjects: readonly RevisionSubject[];
  /** The value in a canonical form; undefined when the child did not send it, and what is stored stays. */
  read(stats: ChildStats): T | undefined;
  /** Replaces what is stored for this site; may add to the site's own state. */
  write(trx: Knex.Transaction, site: { id: number; urlKey: string }, value: T): Promise<SiteStatePatch | void>;
}

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
