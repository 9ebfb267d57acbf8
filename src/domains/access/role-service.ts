import type { Knex } from 'knex';
import type { Database } from '../../db/database.ts';
import { inTransaction, type TransactionScope as Work } from '../../db/transaction.ts';
import type { Caller } from '../../shared/caller.ts';
import { describeChangedObject } from '../../shared/changed-object.ts';
import type { Clock } from '../../shared/clock.ts';
import { ConflictError, NotFoundError } from '../../shared/errors.ts';
import { FieldErrors } from '../../shared/field-errors.ts';
import { BUILT_IN_ROLES, isBuiltInRole, isPermission, type Permission } from '../../shared/permissions.ts';
import type { Precondition } from '../../shared/precondition.ts';
import { trimmedText } from '../../shared/text.ts';
import type { ChangeLog } from '../changes/index.ts';
import { refuseForeignPermissions } from './permission-grants.ts';
import { RoleRepository, type RoleFields } from './role-repository.ts';
import { builtInRole, type OwnRole, type Role } from './roles.ts';
import { UserRepository } from './user-repository.ts';

export interface NewRole {
  name: string;
  description: string;
  permissions: readonly string[];
}
export type RolePatch = Partial<NewRole>;

export interface RoleWithUsers extends Role {
  users: number;
}

interface RoleChange {
  by: Caller;
  precondition?: Precondition<RoleWithUsers> | undefined;
}

const MAX_DESCRIPTION = 200;

const roleNotFound = (): NotFoundError => new NotFoundError('svc_role_not_found', 'No role has this name.');

/** Finds a role and locks it if the operator defined it. Throws `svc_role_not_found`. */
export async function lockedRole({ trx }: Pick<Work, 'trx'>, name: string, now: number): Promise<Role> {
  const role = isBuiltInRole(name) ? builtInRole(name) : await new RoleRepository(trx, now).lock(name);
  if (!role) throw roleNotFound();
  return role;
}

/**
 * Methods that take a name throw `svc_role_not_found`. Methods that change a role throw `svc_built_in` for a built-in
 * role.
 */
export class RoleService {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #changeLog: ChangeLog;
  readonly #onChange: () => void;

  constructor(database: Database, clock: Clock, changeLog: ChangeLog, onChange: () => void) {
    this.#database = database;
    this.#clock = clock;
    this.#changeLog = changeLog;
    this.#onChange = onChange;
  }

  async list(knex: Knex = this.#database.knex): Promise<RoleWithUsers[]> {
    const own = await new RoleRepository(knex, this.#clock.now()).list();
    const users = await new UserRepository(knex).countByRole();
    return [...BUILT_IN_ROLES.map(builtInRole), ...own].map((role) => ({ ...role, users: users.get(role.name) ?? 0 }));
  }

  /** A transaction passes itself as `knex`. Waiting for a second connection could block all transactions for ever. */
  async get(name: string, knex?: Knex): Promise<RoleWithUsers> {
    const role = (await this.list(knex)).find((each) => each.name === name);
    if (!role) throw roleNotFound();
    return role;
  }

  async create(wanted: NewRole, { by }: RoleChange): Promise<RoleWithUsers> {
    const role = checkedRole(wanted);
    refuseForeignPermissions(by, role.permissions);
    await this.#change(async (work, repository) => {
      const id = await repository.insert(role);
      await this.#log(work, 'role.created', `The role ${role.name} was created.`, by, { ...role, id }, null, role);
    });
    return this.get(role.name);
  }

  async update(name: string, patch: RolePatch, { by, precondition }: RoleChange): Promise<RoleWithUsers> {
    const saved = await this.#change(async (work, repository) => {
      const before = await this.#own(repository, name);
      if (precondition) precondition(await this.get(name, work.trx));
      const after = checkedRole({ ...before, ...patch });
      refuseForeignPermissions(by, [...before.permissions, ...after.permissions]);
      if (JSON.stringify(fieldsOf(before)) === JSON.stringify(fieldsOf(after))) return before;
      await repository.update(before.id, after);
      const text = `The role ${after.name} was changed.`;
      await this.#log(work, 'role.updated', text, by, { ...after, id: before.id }, before, after);
      return after;
    });
    return this.get(saved.name);
  }

  /** Throws `svc_in_use` while a user has the role. */
  async delete(name: string, { by, precondition }: RoleChange): Promise<RoleWithUsers> {
    return this.#change(async (work, repository) => {
      const role = await this.#own(repository, name);
      const known = await this.get(name, work.trx);
      precondition?.(known);
      refuseForeignPermissions(by, role.permissions);
      const users = (await new UserRepository(work.trx).countByRole()).get(name) ?? 0;
      if (users > 0)
        throw new ConflictError('svc_in_use', `${users} ${users === 1 ? 'user has' : 'users have'} this role.`);
      await repository.delete(role.id);
      await this.#log(work, 'role.deleted', `The role ${name} was deleted.`, by, role, role, null);
      return known;
    });
  }

  async #own(repository: RoleRepository, name: string): Promise<OwnRole> {
    if (isBuiltInRole(name)) throw new ConflictError('svc_built_in', 'A built-in role cannot be changed or deleted.');
    const role = await repository.lock(name);
    if (!role) throw roleNotFound();
    return role;
  }

  #change<T>(work: (scope: Work, repository: RoleRepository) => Promise<T>): Promise<T> {
    return inTransaction(this.#database.knex, async (scope) => {
      scope.afterCommit(this.#onChange);
      return work(scope, new RoleRepository(scope.trx, this.#clock.now()));
    });
  }

  async #log(
    { trx }: Work,
    type: string,
    description: string,
    by: Caller,
    { id, name }: Pick<OwnRole, 'id' | 'name'>,
    before: RoleFields | null,
    after: RoleFields | null,
  ): Promise<void> {
    const thing = describeChangedObject({ name, key: id }, before && fieldsOf(before), after && fieldsOf(after));
    await this.#changeLog.append(trx, { siteId: null, type, description, actor: by.name, thing });
  }
}

const fieldsOf = ({ name, description, permissions }: RoleFields) => ({ name, description, permissions });

const NAME = /^[a-z][a-z0-9_-]{1,39}$/;

function checkedRole({ name, description, permissions }: NewRole): RoleFields {
  const errors = new FieldErrors();
  errors
    .require('name', NAME.test(name), 'must have 2 to 40 small letters, digits, _ and -, and begin with a letter')
    .require('name', !isBuiltInRole(name), 'is the name of a built-in role');
  for (const [index, each] of permissions.entries())
    errors.require(`permissions[${index}]`, isPermission(each), 'is not a permission');
  const trimmed = trimmedText(errors, 'description', description, MAX_DESCRIPTION);
  errors.throwIfAny();
  const known = new Set(permissions as readonly Permission[]);
  return { name, description: trimmed, permissions: [...known].sort() };
}
