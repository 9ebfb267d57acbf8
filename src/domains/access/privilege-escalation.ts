import type { Scope } from '../../shared/caller.ts';
import { ForbiddenError } from '../../shared/errors.ts';
import type { ApiKey } from './users-and-keys.ts';

type ApiKeyRights = Pick<ApiKey, 'scope' | 'enabled' | 'expiresAt'>;

const NOTHING: ApiKeyRights = { scope: 'read', enabled: false, expiresAt: null };

const includesScope = (scope: Scope, other: Scope): boolean => scope === 'read_write' || scope === other;
const outlasts = (time: number | null, other: number | null): boolean =>
  other !== null && (time === null || time > other);
const exceedsRights = (grant: ApiKeyRights, other: ApiKeyRights): boolean =>
  !includesScope(other.scope, grant.scope) || outlasts(grant.expiresAt, other.expiresAt);

/**
 * Throws `svc_permission_denied` if `granter` grants a key more than it has itself. Reducing a key is always allowed.
 * `granter` is null if the caller uses a password.
 */
export function refusePrivilegeEscalation(
  granter: ApiKeyRights | null,
  after: ApiKeyRights,
  before: ApiKeyRights = NOTHING,
): void {
  if (granter === null) return;
  const gains = after.enabled && (!before.enabled || exceedsRights(after, before));
  if (gains && exceedsRights(after, granter))
    throw new ForbiddenError(
      'svc_permission_denied',
      'An API key cannot give another key more rights or a later expiry than it has itself.',
    );
}
