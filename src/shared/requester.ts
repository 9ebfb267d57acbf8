import type { Caller } from './caller.ts';
import type { CallWait } from './call-wait.ts';
import { isLimited } from './site-scope.ts';

export interface CredentialOwner {
  userId: number;
  keyId: number | null;
}

/** Caller that started work which continues after the call. */
export interface Requester {
  name: string;
  /** Set if the caller was limited to some sites. The work fails for each site that this owner may no longer access. */
  owner: CredentialOwner | null;
  /** Set while the call that starts the work may wait for it. */
  wait?: CallWait | undefined;
}

export const requesterOf = ({
  name,
  userId,
  keyId,
  sites,
  wait,
}: Pick<Caller, 'name' | 'userId' | 'keyId' | 'sites' | 'wait'>): Requester => ({
  name,
  owner: isLimited(sites) ? { userId, keyId } : null,
  wait,
});

/**
 * Requester of work on all sites. Only for work of the service itself, and for operations that callers who are limited
 * to some sites cannot call.
 */
export const unlimitedRequester = (name: string): Requester => ({ name, owner: null });
