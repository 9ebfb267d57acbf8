import type { Caller } from '../../shared/caller.ts';
import { ForbiddenError } from '../../shared/errors.ts';
import { isLimited } from '../../shared/site-scope.ts';
import { outsideError } from '../sites/index.ts';
import type { ApiKey, UserPatch } from './users-and-keys.ts';

/**
 * Keys that a caller may manage who is limited to some sites: with a password, all keys of its user (`keyId` is null);
 * with a key, this key and the keys that it made.
 */
export interface OwnKeys {
  userId: number;
  keyId: number | null;
}

export const ownKeysOf = (by: Caller | undefined): OwnKeys | null =>
  by && isLimited(by.sites) ? { userId: by.userId, keyId: by.keyId } : null;

/**
 * For a limited caller, throws `svc_outside_limits` if the key belongs to another caller or does not exist. The error
 * is the same, so that the caller cannot tell which.
 */
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
 * Returns the ID of the key with which a limited caller makes a new key, because its limits also count for the new key.
 * Otherwise returns null. Throws `svc_permission_denied` if that key was itself made by a limited key: with longer
 * chains, each call would have to read the limits of all keys in the chain.
 */
export function makerOf(by: Caller | undefined, granting: ApiKey | null): number | null {
  if (granting && granting.limitedByKeyId !== null)
    throw new ForbiddenError('svc_permission_denied', 'A key that a limited key has made cannot make further keys.');
  return ownKeysOf(by)?.keyId ?? null;
}
