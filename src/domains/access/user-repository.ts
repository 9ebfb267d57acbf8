import type { Knex } from 'knex';
import { limitToPage } from '../../db/page-limit.ts';
import { countRows } from '../../db/count-rows.ts';
import { lockForUpdate } from '../../db/dialect.ts';
import { ADMINISTRATOR } from '../../shared/permissions.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { SiteLimit } from '../../shared/site-scope.ts';
import { SiteLimitRepository } from './site-limit-repository.ts';
import { userNameKeyOf } from './credential-field-checks.ts';
import { OWN_ROLE, roleNameIn, type Role, type RoleColumns } from './roles.ts';
import type { User } from './users-and-keys.ts';

interface UserRow extends Pick<RoleColumns, 'role' | 'role_name'> {
  id: number;
  name: string;
  enabled: number;
  limited: number;
  created_at: number;
}

const COLUMNS = [
  'users.id',
  'users.name',
  'users.role',
  'users.enabled',
  'users.limited',
  'users.created_at',
  'roles.name as role_name',
] as const;

const toUser = (row: UserRow, siteLimit: SiteLimit | null): User => ({
  id: row.id,
  name: row.name,
  role: roleNameIn(row),
  enabled: row.enabled === 1,
  siteLimit,
  createdAt: row.created_at,
});

export class UserRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async list(): Promise<User[]> {
    const rows: UserRow[] = await this.#users()
      .orderBy('users.name_key')
      .select(...COLUMNS);
    return this.#withLimits(rows);
  }

  async page(request: PageRequest): Promise<Page<User>> {
    const rows: UserRow[] = await this.#users()
      .orderBy('users.id')
      .modify(limitToPage, request)
      .select(...COLUMNS);
    return { ...request, items: await this.#withLimits(rows), total: await countRows(this.#db('users')) };
  }

  async find(id: number): Promise<User | null> {
    const row = await this.#users()
      .where('users.id', id)
      .first<UserRow | undefined>(...COLUMNS);
    return row ? ((await this.#withLimits([row]))[0] ?? null) : null;
  }

  /** Finds a user and locks it until the end of the transaction. */
  async lock(id: number): Promise<User | null> {
    await lockForUpdate(this.#db, this.#db('users').where({ id }).select('id'));
    return this.find(id);
  }

  async findByName(name: string): Promise<User | null> {
    const row = await this.#users()
      .where('users.name_key', userNameKeyOf(name))
      .first<UserRow | undefined>(...COLUMNS);
    return row ? ((await this.#withLimits([row]))[0] ?? null) : null;
  }

  async countByRole(): Promise<Map<string, number>> {
    const rows: (Pick<RoleColumns, 'role' | 'role_name'> & { users: number })[] = await this.#users()
      .groupBy('users.role', 'roles.name')
      .select('users.role', 'roles.name as role_name')
      .count('users.id as users');
    return new Map(rows.map((row) => [roleNameIn(row), Number(row.users)]));
  }

  async any(): Promise<boolean> {
    return (await this.#db('users').first('id')) !== undefined;
  }

  /**
   * Locks the enabled administrators without a limit of sites. Without the lock, two concurrent calls could each remove
   * one of the last two.
   */
  async lockEnabledAdministrators(): Promise<number[]> {
    const query = this.#db('users').where({ role: ADMINISTRATOR, enabled: 1, limited: 0 }).orderBy('id').select('id');
    const rows = (await lockForUpdate(this.#db, query)) as { id: number }[];
    return rows.map(({ id }) => id);
  }

  async insert({ role, ...user }: Omit<User, 'id' | 'role' | 'siteLimit'> & { role: Role }): Promise<User> {
    const [id] = await this.#db('users').insert({
      name: user.name,
      name_key: userNameKeyOf(user.name),
      ...roleColumnsOf(role),
      enabled: user.enabled ? 1 : 0,
      created_at: user.createdAt,
    });
    return { id: id as number, ...user, role: role.name, siteLimit: null };
  }

  async setRole(id: number, role: Role): Promise<void> {
    await this.#db('users').where({ id }).update(roleColumnsOf(role));
  }

  async setSiteLimit(id: number, limit: SiteLimit | null): Promise<void> {
    await new SiteLimitRepository(this.#db).replace('user_id', id, limit);
  }

  async setEnabled(id: number, enabled: boolean): Promise<void> {
    await this.#db('users')
      .where({ id })
      .update({ enabled: enabled ? 1 : 0 });
  }

  /** Deletes a user. The database also deletes the passwords and keys of the user. */
  async delete(id: number): Promise<void> {
    await this.#db('users').where({ id }).delete();
  }

  async #withLimits(rows: readonly UserRow[]): Promise<User[]> {
    const limited = rows.filter((row) => row.limited === 1).map(({ id }) => id);
    const limits = await new SiteLimitRepository(this.#db).of('user_id', limited);
    return rows.map((row) => toUser(row, limits.get(row.id) ?? null));
  }

  #users(): Knex.QueryBuilder {
    return this.#db('users').leftJoin('roles', 'roles.id', 'users.role_id');
  }
}

const roleColumnsOf = ({ id, name }: Role): object => ({ role: id === null ? name : OWN_ROLE, role_id: id });
