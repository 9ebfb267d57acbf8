import type { Knex } from 'knex';
import { limitToPage } from '../../db/page-limit.ts';
import { countRows } from '../../db/count-rows.ts';
import { fromJson } from '../../db/json.ts';
import { readPrepared } from '../../db/prepared.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { Permission, Scope } from '../../shared/permissions.ts';
import type { CredentialOwner } from '../../shared/requester.ts';
import { NO_SITES, scopeWithin, type SiteLimit, type SiteScope } from '../../shared/site-scope.ts';
import type { OwnKeys } from './own-keys.ts';
import { SiteLimitRepository, type LimitOwner } from './site-limit-repository.ts';
import { roleNameIn, rolePermissionsIn, type RoleColumns } from './roles.ts';
import type { ApiKey } from './users-and-keys.ts';

/** A credential and its user, both enabled. It may have expired: `CredentialAuthenticator` checks `expiresAt`. */
export interface Credential {
  id: number;
  userId: number;
  name: string;
  nameKey: string;
  role: string;
  rolePermissions: Permission[];
  scope: Scope;
  expiresAt: number | null;
  lastUsedAt: number | null;
  allowedAddresses: string[] | null;
  rateLimit: number | null;
  sites: SiteScope;
}

interface CredentialRow extends RoleColumns {
  id: number;
  user_id: number;
  name: string;
  name_key: string;
  user_limited: number;
  last_used_at: number | null;
}

interface KeyCredentialRow extends CredentialRow {
  scope: Scope;
  hash: string;
  expires_at: number | null;
  previous_expires_at: number | null;
  allowed_addresses: string | null;
  rate_limit: number | null;
  limited: number;
  limited_by_key_id: number | null;
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
  allowed_addresses: string | null;
  rate_limit: number | null;
  limited: number;
  limited_by_key_id: number | null;
  previous_expires_at: number | null;
  created_at: number;
  last_used_at: number | null;
}

const USER_COLUMNS = [
  'users.id as user_id',
  'users.name',
  'users.name_key',
  'users.role',
  'users.limited as user_limited',
  'roles.name as role_name',
  'roles.permissions as role_permissions',
] as const;
const KEY_COLUMNS = [
  'api_keys.id',
  'api_keys.user_id',
  'users.name as user_name',
  'api_keys.label',
  'api_keys.hint',
  'api_keys.scope',
  'api_keys.enabled',
  'api_keys.expires_at',
  'api_keys.allowed_addresses',
  'api_keys.rate_limit',
  'api_keys.limited',
  'api_keys.limited_by_key_id',
  'api_keys.previous_expires_at',
  'api_keys.created_at',
  'api_keys.last_used_at',
] as const;

const ROLES_SQL = 'left join roles on roles.id = users.role_id where users.enabled = 1';
const PASSWORD_SQL = [
  `select application_passwords.id, application_passwords.last_used_at, ${USER_COLUMNS.join(', ')}`,
  'from `application_passwords` join users on users.id = application_passwords.user_id',
  `${ROLES_SQL} and application_passwords.\`hash\` = ? limit 1`,
].join(' ');
const CREDENTIAL_COLUMNS = [
  'api_keys.id',
  'api_keys.hash',
  'api_keys.scope',
  'api_keys.expires_at',
  'api_keys.previous_expires_at',
  'api_keys.allowed_addresses',
  'api_keys.rate_limit',
  'api_keys.limited',
  'api_keys.limited_by_key_id',
  'api_keys.last_used_at',
  ...USER_COLUMNS,
];
const KEY_SQL = [
  `select ${CREDENTIAL_COLUMNS.join(', ')} from \`api_keys\` join users on users.id = api_keys.user_id`,
  `${ROLES_SQL} and api_keys.enabled = 1 and (api_keys.\`hash\` = ? or api_keys.previous_hash = ?) limit 1`,
].join(' ');
const KEY_LIMIT_SQL = `select limited, limited_by_key_id from api_keys
  where id = ? and enabled = 1 and (expires_at is null or expires_at > ?)`;

const toCredential = (row: CredentialRow, key: KeyCredentialRow | null): Omit<Credential, 'sites'> => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  nameKey: row.name_key,
  role: roleNameIn(row),
  rolePermissions: rolePermissionsIn(row),
  // An application password has no scope and no limits of its own; only the role of its user limits it.
  scope: key?.scope ?? 'read_write',
  expiresAt: key?.expires_at ?? null,
  lastUsedAt: row.last_used_at,
  allowedAddresses: fromJson<string[]>(key?.allowed_addresses ?? null),
  rateLimit: key?.rate_limit ?? null,
});

const toApiKey = (row: ApiKeyRow, siteLimit: SiteLimit | null): ApiKey => ({
  id: row.id,
  userId: row.user_id,
  userName: row.user_name,
  label: row.label,
  hint: row.hint,
  scope: row.scope,
  enabled: row.enabled === 1,
  expiresAt: row.expires_at,
  allowedAddresses: fromJson<string[]>(row.allowed_addresses),
  rateLimit: row.rate_limit,
  siteLimit,
  limitedByKeyId: row.limited_by_key_id,
  previousExpiresAt: row.previous_expires_at,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
});

export const whereOwn = (keys: Knex.QueryBuilder, { userId, keyId }: OwnKeys): Knex.QueryBuilder =>
  keyId === null
    ? keys.where('api_keys.user_id', userId)
    : keys.where('api_keys.id', keyId).orWhere('api_keys.limited_by_key_id', keyId);

export class AccessReadModel {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async passwordByHash(hash: string, now: number): Promise<Credential | null> {
    const [row] = await readPrepared<CredentialRow>(this.#db, PASSWORD_SQL, [hash]);
    return row ? { ...toCredential(row, null), sites: await this.#scopeOf(row, null, now) } : null;
  }

  async keyByHash(hash: string, now: number): Promise<Credential | null> {
    const [row] = await readPrepared<KeyCredentialRow>(this.#db, KEY_SQL, [hash, hash]);
    if (!row) return null;
    const credential = { ...toCredential(row, row), sites: await this.#scopeOf(row, row, now) };
    if (row.hash === hash) return credential;
    const ends = [row.expires_at, row.previous_expires_at].filter((at) => at !== null);
    return { ...credential, expiresAt: Math.min(...ends) };
  }

  async key(id: number): Promise<ApiKey | null> {
    const row = await this.#keys()
      .where('api_keys.id', id)
      .first<ApiKeyRow | undefined>(...KEY_COLUMNS);
    const [key] = row ? await this.#withLimits([row]) : [];
    return key ?? null;
  }

  async keys(request: PageRequest, own: OwnKeys | null): Promise<Page<ApiKey>> {
    const chosen = (): Knex.QueryBuilder => this.#keys().where((each) => void (own && whereOwn(each, own)));
    const rows: ApiKeyRow[] = await chosen()
      .orderBy('api_keys.id')
      .modify(limitToPage, request)
      .select(...KEY_COLUMNS);
    return { ...request, items: await this.#withLimits(rows), total: await countRows(chosen()) };
  }

  async expiring(now: number, last: number): Promise<ApiKey[]> {
    const rows: ApiKeyRow[] = await this.#keys()
      .where({ 'api_keys.enabled': 1, 'users.enabled': 1 })
      .where('api_keys.expires_at', '>', now)
      .where('api_keys.expires_at', '<=', last)
      .orderBy('api_keys.id')
      .select(...KEY_COLUMNS);
    return this.#withLimits(rows);
  }

  async scopeOfOwner({ userId, keyId }: CredentialOwner, now: number): Promise<SiteScope> {
    const user = await this.#db('users').where({ id: userId, enabled: 1 }).first<{ limited: number }>('limited');
    const ofUser = user ? await this.#limitOf('user_id', userId, user.limited) : NO_SITES;
    return scopeWithin([ofUser, ...(keyId === null ? [] : await this.#limitsOfKey(keyId, now))]);
  }

  async #scopeOf(row: CredentialRow, key: KeyCredentialRow | null, now: number): Promise<SiteScope> {
    const ofUser = await this.#limitOf('user_id', row.user_id, row.user_limited);
    if (!key) return scopeWithin([ofUser]);
    const ofKey = await this.#limitOf('key_id', key.id, key.limited);
    const ofMaker = key.limited_by_key_id === null ? [] : await this.#limitsOfKey(key.limited_by_key_id, now);
    return scopeWithin([ofUser, ofKey, ...ofMaker]);
  }

  async #limitsOfKey(id: number, now: number): Promise<(SiteLimit | null)[]> {
    const [row] = await readPrepared<Pick<KeyCredentialRow, 'limited' | 'limited_by_key_id'>>(this.#db, KEY_LIMIT_SQL, [
      id,
      now,
    ]);
    if (!row) return [NO_SITES];
    const maker = row.limited_by_key_id;
    const ofMaker = maker === null ? [] : await this.#limitsOfKey(maker, now);
    return [await this.#limitOf('key_id', id, row.limited), ...ofMaker];
  }

  async #limitOf(owner: LimitOwner, id: number, limited: number): Promise<SiteLimit | null> {
    return limited === 1 ? new SiteLimitRepository(this.#db).ofOne(owner, id) : null;
  }

  async #withLimits(rows: readonly ApiKeyRow[]): Promise<ApiKey[]> {
    const limited = rows.filter((row) => row.limited === 1).map(({ id }) => id);
    const limits = await new SiteLimitRepository(this.#db).of('key_id', limited);
    return rows.map((row) => toApiKey(row, limits.get(row.id) ?? null));
  }

  #keys(): Knex.QueryBuilder {
    return this.#db('api_keys').join('users', 'users.id', 'api_keys.user_id');
  }
}
