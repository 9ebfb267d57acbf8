import type { Knex } from 'knex';
import { lockForUpdate } from '../../db/dialect.ts';
import type { Role } from '../../shared/caller.ts';
import { userNameKeyOf } from './credential-field-checks.ts';
import type { User } from './users-and-keys.ts';

interface UserRow {
  id: number;
  name: string;
  role: Role;
  enabled: number;
  created_at: number;
}

const COLUMNS = ['id', 'name', 'role', 'enabled', 'created_at'] as const;

const toUser = (row: UserRow): User => ({
  id: row.id,
  name: row.name,
  role: row.role,
  enabled: row.enabled === 1,
  createdAt: row.created_at,
});

export class UserRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async list(): Promise<User[]> {
    const rows = await this.#db<UserRow>('users')
      .select(...COLUMNS)
      .orderBy('name_key');
    return rows.map(toUser);
  }

  async find(id: number): Promise<User | null> {
    const row = await this.#db<UserRow>('users')
      .where({ id })
      .first(...COLUMNS);
    return row ? toUser(row) : null;
  }

  async findByName(name: string): Promise<User | null> {
    const row = await this.#db('users')
      .where({ name_key: userNameKeyOf(name) })
      .first<UserRow | undefined>(...COLUMNS);
    return row ? toUser(row) : null;
  }

  async any(): Promise<boolean> {
    return (await this.#db('users').first('id')) !== undefined;
  }

  /** Locks the enabled administrators. Without the lock, two concurrent calls could each remove one of the last two. */
  async lockEnabledAdministrators(): Promise<number[]> {
    const query = this.#db('users').where({ role: 'administrator', enabled: 1 }).orderBy('id').select('id');
    const rows = (await lockForUpdate(this.#db, query)) as { id: number }[];
    return rows.map(({ id }) => id);
  }

  async insert(user: Omit<User, 'id'>): Promise<User> {
    const [id] = await this.#db('users').insert({
      name: user.name,
      name_key: userNameKeyOf(user.name),
      role: user.role,
      enabled: user.enabled ? 1 : 0,
      created_at: user.createdAt,
    });
    return { id: id as number, ...user };
  }

  async setRole(id: number, role: Role): Promise<void> {
    await this.#db('users').where({ id }).update({ role });
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
}
