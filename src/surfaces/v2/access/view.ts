import type { components } from '../../../../generated/v2.ts';
import type { ApiKey, CredentialRecord, KeyUsageDay, Scope } from '../../../domains/access/index.ts';
import type { RateLimitState } from '../../../http/operation-types.ts';
import type { Caller } from '../../../shared/caller.ts';
import { DAY, toDate, toIso } from '../../../shared/clock.ts';
import type { SiteLimit } from '../../../shared/site-scope.ts';
import { permissionsOf } from './permissions.ts';

type Schemas = components['schemas'];

const LABELS: Record<Scope, Schemas['KeyPermissions']> = {
  read: ['Read'],
  write: ['Write & Delete'],
  read_write: ['Read', 'Write & Delete'],
};

const limitView = ({ clients, tags, sites }: SiteLimit): Schemas['SiteLimit'] => ({
  ...{ clients: [...clients], tags: [...tags], sites: [...sites] },
});

export const siteLimitView = (limit: SiteLimit | null): Schemas['SiteLimit'] | null => limit && limitView(limit);

export const keyView = (key: ApiKey): Schemas['ApiKey'] => ({
  id: key.id,
  user_id: key.userId,
  user: key.userName,
  description: key.label,
  permissions: LABELS[key.scope],
  scope: key.scope,
  truncated_key: key.hint,
  active: key.enabled,
  last_access: toIso(key.lastUsedAt),
  expires_at: toIso(key.expiresAt),
  allowed_addresses: key.allowedAddresses,
  rate_limit: key.rateLimit,
  limit: siteLimitView(key.siteLimit),
  limited_by_key_id: key.limitedByKeyId,
  previous_token_expires_at: toIso(key.previousExpiresAt),
  created_at: toIso(key.createdAt),
});

/** Returns the content that the ETag depends on. `last_access` is left out: a call with the key must not change it. */
export const keyEtagContent = (key: ApiKey): object => ({ ...keyView(key), last_access: null });

export const usageDayView = ({ day, ...counts }: KeyUsageDay): Schemas['KeyUsageDay'] => ({
  day: toDate(day * DAY),
  ...counts,
});

export const meView = (
  caller: Caller,
  credential: CredentialRecord,
  rateLimit: RateLimitState | null,
): Schemas['Me'] => ({
  user: { id: caller.userId, name: caller.name, role: caller.role },
  credential: {
    kind: credential.kind,
    id: credential.id,
    label: credential.label,
    hint: credential.hint,
    scope: credential.scope,
    expires_at: toIso(credential.expiresAt),
    allowed_addresses: credential.allowedAddresses,
    last_used_at: toIso(credential.lastUsedAt),
  },
  permissions: permissionsOf(caller),
  site_limits: caller.sites.limits.map(limitView),
  rate_limit: rateLimit && {
    limit: rateLimit.limit,
    remaining: rateLimit.remaining,
    reset_at: toIso(rateLimit.resetAt),
  },
});
