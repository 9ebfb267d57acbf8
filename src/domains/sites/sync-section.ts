import type { Knex } from 'knex';
import type { ChildLogEntry } from '../../connector/child-site.ts';
import type { SyncSection as Section } from '../../platform/part.ts';
import type { SiteStateRow, SyncCheckpoint } from './site-repository.ts';

export type SiteStatePatch = Partial<Omit<SiteStateRow, 'site_id'>>;

export type SyncSection<T = unknown> = Section<T, SiteStatePatch>;

/** Returns a `write` for a section that is stored only in columns of `site_states`. */
export const writeColumns =
  <T>(toPatch: (value: T) => SiteStatePatch): SyncSection<T>['write'] =>
  (_trx, values) =>
    Promise.resolve(new Map(values.map(({ site, value }) => [site.id, toPatch(value)])));

/** What a site has sent of its logs. */
export interface ReportedLog {
  siteId: number;
  entries: readonly ChildLogEntry[];
  /** Position up to which the changes log was read, in float seconds, or 0 if it was not read. */
  changesRead: number;
  /** Stored positions of the last entries in both logs, in seconds. */
  stored: Pick<SyncCheckpoint, 'actionsCursor' | 'changesCursor'>;
}

/** Adds log entries of different sites and never replaces any. Returns the new positions by site ID. */
export interface ReportedLogStore {
  store(trx: Knex.Transaction, logs: readonly ReportedLog[]): Promise<Map<number, SiteStatePatch>>;
}

/** Returns null if the site could not be reached. */
export type SslProbe = (url: string) => Promise<{ valid: boolean; expiresAt: number | null } | null>;
