import type { Scope } from '../../shared/permissions.ts';
import { ForbiddenError } from '../../shared/errors.ts';
import { includesAddresses } from './allowed-addresses.ts';
import type { ApiKey } from './users-and-keys.ts';

type ApiKeyRights = Pick<ApiKey, 'scope' | 'enabled' | 'expiresAt' | 'allowedAddresses' | 'rateLimit'>;

const NOTHING: ApiKeyRights = {
  scope: 'read',
  enabled: false,
  expiresAt: null,
  allowedAddresses: null,
  rateLimit: null,
};

const includesScope = (scope: Scope, other: Scope): boolean => scope === 'read_write' || scope === other;
const outlasts = (time: number | null, other: number | null): boolean =>
  other !== null && (time === null || time > other);
const exceedsRate = (rate: number | null, other: number | null): boolean =>
  other !== null && (rate === null || rate > other);
const exceedsRights = (grant: ApiKeyRights, other: ApiKeyRights): boolean =>
  !includesScope(other.scope, grant.scope) ||
  outlasts(grant.expiresAt, other.expiresAt) ||
  !includesAddresses(other.allowedAddresses, grant.allowedAddresses) ||
  exceedsRate(grant.rateLimit, other.rateLimit);

/**
 * Throws `svc_permission_denied` if a change gives a key rights that `granter` does not have. Reducing a key is always
 * allowed. `granter` is null if the caller uses a password.
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
      'An API key cannot give another key more rights, a later expiry or wider limits than it has itself.',
    );
}
