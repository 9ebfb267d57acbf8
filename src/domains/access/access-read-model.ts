import type { Knex } from 'knex';
import { countRows } from '../../db/count-rows.ts';
import type { Role, Scope } from '../../shared/caller.ts';
import { offsetOf, type Page, type PageRequest } from '../../shared/paging.ts';
import type { ApiKey } from './users-and-keys.ts';

/** A credential and its user, both enabled. `expiresAt` is not checked here. */
export interface Credential {
  id: number;
  userId: number;
  name: string;
  nameKey: string;
  role: Role;
  scope: Scope;
  expiresAt: number | null;
  lastUsedAt: number | null;
}

interface CredentialRow {
  id: number;
  user_id: number;
  name: string;
  name_key: string;
  role: Role;
  last_used_at: number | null;
}

interface KeyCredentialRow extends CredentialRow {
  scope: Scope;
  expires_at: number | null;
}

interface ApiKeyRow {
  id: number;
  user_id: number;
  user_name: string;
  label: string;
  hint: string;
  scope: Scope;
  enabled: number;
  expires_at: number | null;
  created_at: number;
  last_used_at: number | null;
}

const USER_COLUMNS = ['users.id as user_id', 'users.name', 'users.name_key', 'users.role'] as const;
const KEY_COLUMNS = [
  'api_keys.id',
  'api_keys.user_id',
  'users.name as user_name',
  'api_keys.label',
  'api_keys.hint',
  'api_keys.scope',
  'api_keys.enabled',
  'api_keys.expires_at',
  'api_keys.created_at',
  'api_keys.last_used_at',
] as const;

const toCredential = (row: CredentialRow, scope: Scope, expiresAt: number | null): Credential => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  nameKey: row.name_key,
  role: row.role,
  scope,
  expiresAt,
  lastUsedAt: row.last_used_at,
});

const toApiKey = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  userId: row.user_id,
  userName: row.user_name,
  label: row.label,
  hint: row.hint,
  scope: row.scope,
  enabled: row.enabled === 1,
  expiresAt: row.expires_at,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
});

export class AccessReadModel {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async passwordByHash(hash: string): Promise<Credential | null> {
    const row = await this.#db('application_passwords')
      .join('users', 'users.id', 'application_passwords.user_id')
      .where({ 'application_passwords.hash': hash, 'users.enabled': 1 })
      .first<CredentialRow | undefined>(
        'application_passwords.id',
        'application_passwords.last_used_at',
        ...USER_COLUMNS,
      );
    // An application password has no scope of its own; only the role of its user limits it.
    return row ? toCredential(row, 'read_write', null) : null;
  }

  async keyByHash(hash: string): Promise<Credential | null> {
    const row = await this.#db('api_keys')
      .join('users', 'users.id', 'api_keys.user_id')
      .where({ 'api_keys.hash': hash, 'api_keys.enabled': 1, 'users.enabled': 1 })
      .first<KeyCredentialRow | undefined>(
        'api_keys.id',
        'api_keys.scope',
        'api_keys.expires_at',
        'api_keys.last_used_at',
        ...USER_COLUMNS,
      );
    return row ? toCredential(row, row.scope, row.expires_at) : null;
  }

  async key(id: number): Promise<ApiKey | null> {
    const row = await this.#keys()
      .where('api_keys.id', id)
      .first<ApiKeyRow | undefined>(...KEY_COLUMNS);
    return row ? toApiKey(row) : null;
  }

  async keys(request: PageRequest): Promise<Page<ApiKey>> {
    const rows: ApiKeyRow[] = await this.#keys()
      .orderBy('api_keys.id')
      .limit(request.perPage)
      .offset(offsetOf(request))
      .select(...KEY_COLUMNS);
    return { ...request, items: rows.map(toApiKey), total: await countRows(this.#db('api_keys')) };
  }

  #keys(): Knex.QueryBuilder {
    return this.#db('api_keys').join('users', 'users.id', 'api_keys.user_id');
  }
}
