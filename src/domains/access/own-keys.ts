import type { Caller } from '../../shared/caller.ts';
import { ForbiddenError } from '../../shared/errors.ts';
import { isLimited } from '../../shared/site-scope.ts';
import { outsideError } from '../sites/index.ts';
import type { ApiKey, UserPatch } from './users-and-keys.ts';

/**
 * Keys that a limited caller manages. A caller with a password manages all keys of its user. A caller with a key
 * manages this key and the keys that it made.
 */
export interface OwnKeys {
  userId: number;
  keyId: number | null;
}

export const ownKeysOf = (by: Caller | undefined): OwnKeys | null =>
  by && isLimited(by.sites) ? { userId: by.userId, keyId: by.keyId } : null;

/** Throws `svc_outside_limits` for the key of another and for a key that does not exist, so that both look alike. */
export function refuseKeyOfOthers(by: Caller | undefined, key: ApiKey | null): void {
  const own = ownKeysOf(by);
  if (!own) return;
  const isOwn = own.keyId === null ? key?.userId === own.userId : [key?.id, key?.limitedByKeyId].includes(own.keyId);
  if (!isOwn) throw outsideError('This key is not one of your own, and this credential is limited to some sites.');
}

export function refuseOtherUser(by: Caller | undefined, userId: number | null): void {
  const own = ownKeysOf(by);
  if (own && own.userId !== userId)
    throw outsideError('A credential that is limited to some sites can only make keys for its own user.');
}

/** Throws `svc_outside_limits` if a limited key changes the limit that it has itself, which could widen it. */
export function refuseOwnLimit(by: Caller | undefined, id: number, siteLimit: UserPatch['siteLimit']): void {
  if (siteLimit !== undefined && ownKeysOf(by)?.keyId === id)
    throw outsideError('A limited key cannot change its own limit.');
}

/**
 * Returns the key whose limits count for a key that `by` makes, or null. Throws `svc_permission_denied` if `by` uses a
 * key that a limited key made: each call with a key would have to read the limits of the whole chain.
 */
export function makerOf(by: Caller | undefined, granting: ApiKey | null): number | null {
  if (granting && granting.limitedByKeyId !== null)
    throw new ForbiddenError('svc_permission_denied', 'A key that a limited key has made cannot make further keys.');
  return ownKeysOf(by)?.keyId ?? null;
}
