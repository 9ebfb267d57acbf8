import type { Knex } from 'knex';
import { isDuplicate, lockForUpdate } from '../../db/dialect.ts';
import { ConflictError } from '../../shared/errors.ts';
import { parsePermissions, type OwnRole } from './roles.ts';

interface RoleRow {
  id: number;
  name: string;
  description: string;
  permissions: string;
}

export type RoleFields = Omit<OwnRole, 'id'>;

const COLUMNS = ['id', 'name', 'description', 'permissions'] as const;

const toRole = (row: RoleRow): OwnRole => ({ ...row, permissions: parsePermissions(row.permissions) });

/** Roles that operators define. */
export class RoleRepository {
  readonly #db: Knex;
  readonly #now: number;

  constructor(db: Knex, now: number) {
    this.#db = db;
    this.#now = now;
  }

  async list(): Promise<OwnRole[]> {
    const rows: RoleRow[] = await this.#db('roles')
      .orderBy('name')
      .select(...COLUMNS);
    return rows.map(toRole);
  }

  async find(name: string): Promise<OwnRole | null> {
    const row = await this.#db('roles')
      .where({ name })
      .first<RoleRow | undefined>(...COLUMNS);
    return row ? toRole(row) : null;
  }

  /** Locks a role, so that it is not deleted while it is given to a user. */
  async lock(name: string): Promise<OwnRole | null> {
    const query = this.#db('roles')
      .where({ name })
      .first<RoleRow | undefined>(...COLUMNS);
    const row: RoleRow | undefined = await lockForUpdate(this.#db, query);
    return row ? toRole(row) : null;
  }

  async insert(role: RoleFields): Promise<number> {
    const row = { ...this.#rowOf(role), created_at: this.#now };
    const [id] = await withTakenNameError(this.#db('roles').insert(row));
    return id as number;
  }

  async update(id: number, role: RoleFields): Promise<void> {
    await withTakenNameError(this.#db('roles').where({ id }).update(this.#rowOf(role)));
  }

  async delete(id: number): Promise<void> {
    await this.#db('roles').where({ id }).delete();
  }

  #rowOf({ name, description, permissions }: RoleFields): object {
    const sorted = JSON.stringify([...permissions].sort());
    return { name, description, permissions: sorted, updated_at: this.#now };
  }
}

async function withTakenNameError<T>(write: PromiseLike<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (isDuplicate(error)) throw new ConflictError('svc_already_exists', 'A role with this name already exists.');
    throw error;
  }
}
