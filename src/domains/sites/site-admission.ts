import { ConflictError } from '../../shared/errors.ts';
import { refuseOutdatedChild, type SiteStatus, type SiteWithUrlKey } from './site.ts';

/**
 * Throws if a site must not be called. Runs before a call waits for other calls to the site, and again when its turn
 * begins.
 */
export type AdmissionCheck = (site: SiteWithUrlKey, childVersion: string | null) => void;

/** Throws unless the site is connected. Also throws for an outdated child plugin, which could misunderstand a call. */
export const refuseUnlessCallable: AdmissionCheck = (site, childVersion) => {
  refuseUnlessConnected(site);
  if (childVersion !== null) refuseOutdatedChild(childVersion, site.id);
};

export function refuseUnlessConnected({ status }: Pick<SiteWithUrlKey, 'status'>): void {
  refuseUncallableStatus(status);
}

export function refuseSuspended({ status }: Pick<SiteWithUrlKey, 'status'>): void {
  if (status === 'suspended') refuseUncallableStatus(status);
}

export function refuseIfConnectionEnded(before: SiteStatus, site: Pick<SiteWithUrlKey, 'status'>): void {
  const refusal = connectionEndedError(before, site);
  if (refusal) throw refusal;
}

/** Returns the error of the current status, or null. A site that was already disconnected `before` gives no error. */
export const connectionEndedError = (
  before: SiteStatus,
  { status }: Pick<SiteWithUrlKey, 'status'>,
): ConflictError | null => (status === before && status !== 'suspended' ? null : uncallableStatusError(status));

function refuseUncallableStatus(status: SiteStatus): void {
  const refusal = uncallableStatusError(status);
  if (refusal) throw refusal;
}

function uncallableStatusError(status: SiteStatus): ConflictError | null {
  switch (status) {
    case 'connected':
      return null;
    case 'suspended':
      return new ConflictError('svc_site_suspended', 'The site is suspended. Unsuspend it first.');
    case 'disconnected':
      return new ConflictError('svc_site_disconnected', 'The site is disconnected. Reconnect it first.');
  }
}
