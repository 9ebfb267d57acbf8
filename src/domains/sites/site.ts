import { ConflictError, NotFoundError } from '../../shared/errors.ts';

const SITE_STATUSES = ['connected', 'disconnected', 'suspended'] as const;
export type SiteStatus = (typeof SITE_STATUSES)[number];

export interface Site {
  id: number;
  url: string;
  name: string;
  status: SiteStatus;
  clientId: number | null;
}

/** `urlKey` is the key by which lists of sites and of their content are ordered. */
export interface SiteWithUrlKey extends Site {
  urlKey: string;
}

export interface SiteCounters {
  coreUpdates: number;
  pluginUpdates: number;
  themeUpdates: number;
  translationUpdates: number;
}

export interface SiteHealth {
  good: number;
  recommended: number;
  critical: number;
}

export interface SiteDetail extends Site {
  notes: string;
  adminUsername: string;
  wpVersion: string | null;
  phpVersion: string | null;
  dbVersion: string | null;
  /** Address of the site's server, as the server itself reports it. */
  ip: string | null;
  childVersion: string | null;
  lastSyncAt: number | null;
  /** Time of the last sync, or of a later report that changed the state, such as the response to an update. */
  stateReadAt: number | null;
  counters: SiteCounters;
  health: SiteHealth | null;
  ssl: { valid: boolean; expiresAt: number | null } | null;
  syncError: { code: string; message: string; at: number } | null;
  revision: number;
}

export const siteNotFound = (): NotFoundError =>
  new NotFoundError('svc_site_not_found', 'No site matches this reference.');

export interface SiteTag {
  id: number;
  name: string;
}

/** Updates that broke a site. `statusBefore` and `statusAfter` are HTTP statuses of `probe`; 0 means no response. */
export interface BrokenByUpdate {
  since: number;
  /** Probe that found the site broken. Releases before 0.2 stored neither `probe` nor `readings`. */
  probe?: string;
  /**
   * Readings of all probes before the updates. The site has recovered if every probe that was well then is well again.
   */
  readings?: object;
  statusBefore: number;
  statusAfter: number;
  updates: readonly { type: string; slug: string; name: string; fromVersion: string; toVersion: string }[];
}

export interface GuardLeft {
  /** Path below the root of WordPress. */
  path: string;
  since: number;
}

export interface SiteRecord extends SiteDetail {
  sslVerify: boolean | null;
  lastBackupAt: number | null;
  brokenByUpdate: BrokenByUpdate | null;
  guardLeft: GuardLeft | null;
  tags: SiteTag[];
}

/**
 * Returns a score from 0 to 100, or null if the child has never measured it. A critical finding has a weight of 1.5; a
 * recommendation counts as half failed.
 */
export function healthScore(health: SiteHealth | null): number | null {
  if (!health) return null;
  const { good, recommended, critical } = health;
  const total = good + recommended + 1.5 * critical;
  if (total === 0) return null;
  const failed = 0.5 * recommended + 1.5 * critical;
  return Math.min(100, Math.max(0, 100 - Math.ceil((100 * failed) / total)));
}

export const OLDEST_CHILD_VERSION = '4.0.0';

export function refuseOutdatedChild(childVersion: string, siteId: number | null): void {
  if (isOlderVersion(childVersion, OLDEST_CHILD_VERSION))
    throw new ConflictError(
      'svc_child_outdated',
      'The child plugin of the site is older than 4.0.0. Update it on the site first.',
      { ...(siteId !== null && { site_id: siteId }), child_version: childVersion },
    );
}

export function isOlderVersion(version: string, than: string): boolean {
  const [left, right] = [version, than].map((text) => text.split('.').map((part) => Number.parseInt(part, 10) || 0));
  for (let part = 0; part < Math.max(left?.length ?? 0, right?.length ?? 0); part++) {
    const difference = (left?.[part] ?? 0) - (right?.[part] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
