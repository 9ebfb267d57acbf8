import type { Knex } from 'knex';
import type { ChildLogEntry } from '../../connector/child-site.ts';
import type { SyncSection as Section } from '../../platform/part.ts';
import type { SiteStateRow } from './site-repository.ts';

export type SiteStatePatch = Partial<Omit<SiteStateRow, 'site_id'>>;

export type SyncSection<T = unknown> = Section<T, SiteStatePatch>;

/** Returns a `write` for a section that is stored only in columns of `site_states`. */
export const writeColumns =
  <T>(toPatch: (value: T) => SiteStatePatch): SyncSection<T>['write'] =>
  (_trx, values) =>
    Promise.resolve(new Map(values.map(({ site, value }) => [site.id, toPatch(value)])));

/** Adds log entries and never replaces any. The returned patch contains the new cursors. */
export interface ReportedLogStore {
  /** `changesRead` is the position up to which the changes log was read, in float seconds, or 0 if it was not read. */
  store(
    trx: Knex.Transaction,
    siteId: number,
    entries: readonly ChildLogEntry[],
    changesRead: number,
  ): Promise<SiteStatePatch>;
}

/** Returns null if the site could not be reached. */
export type SslProbe = (url: string) => Promise<{ valid: boolean; expiresAt: number | null } | null>;
