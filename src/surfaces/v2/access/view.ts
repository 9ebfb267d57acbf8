import type { components } from '../../../../generated/v2.ts';
import type { ApiKey, Scope } from '../../../domains/access/index.ts';
import { toIso } from '../../../shared/clock.ts';

type Schemas = components['schemas'];

const LABELS: Record<Scope, Schemas['KeyPermissions']> = {
  read: ['Read'],
  write: ['Write & Delete'],
  read_write: ['Read', 'Write & Delete'],
};

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
  created_at: toIso(key.createdAt),
});

/** Returns what the ETag depends on: a call with the key must not change it. */
export const keyEtagContent = (key: ApiKey): object => ({ ...keyView(key), last_access: null });
