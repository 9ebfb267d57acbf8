import type { Knex } from 'knex';
import type { Database } from '../../db/database.ts';
import { inTransaction, type TransactionScope as Work } from '../../db/transaction.ts';
import type { Caller } from '../../shared/caller.ts';
import type { ChangedObject } from '../../shared/changed-object.ts';
import type { Clock } from '../../shared/clock.ts';
import { ForbiddenError, NotFoundError } from '../../shared/errors.ts';
import type { ChangeLog } from '../changes/index.ts';
import { AccessReadModel } from './access-read-model.ts';
import { refuseForeignPermissions } from './permission-grants.ts';
import { lockedRole } from './role-service.ts';
import type { UserRepository } from './user-repository.ts';
import type { ApiKey, User } from './users-and-keys.ts';

export type LogChange = (type: string, description: string, thing: ChangedObject) => Promise<void>;

export class CredentialChanges {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #changeLog: ChangeLog;
  readonly #forgetCallers: () => void;

  constructor(database: Database, clock: Clock, changeLog: ChangeLog, forgetCallers: () => void) {
    this.#database = database;
    this.#clock = clock;
    this.#changeLog = changeLog;
    this.#forgetCallers = forgetCallers;
  }

  now(): number {
    return this.#clock.now();
  }

  run<T>(actor: string, work: (work: Work, log: LogChange) => Promise<T>): Promise<T> {
    return inTransaction(this.#database.knex, async (scope) => {
      scope.afterCommit(() => this.#forgetCallers());
      return work(scope, (type, description, thing) =>
        this.#changeLog.append(scope.trx, { siteId: null, type, description, actor, thing }),
      );
    });
  }

  /**
   * Throws `svc_permission_denied` if `user` is not the caller `by` and has a permission that `by` does not have.
   * Refuses nothing without `by`.
   */
  async refuseForeignUser(work: Work, user: User, by: Caller | undefined): Promise<void> {
    if (by && by.userId !== user.id)
      refuseForeignPermissions(by, (await lockedRole(work, user.role, this.now())).permissions);
  }
}

export const requireUser = async (users: UserRepository, id: number): Promise<User> => known(await users.find(id));

/** Locks the user, so that two edits cannot both pass a check that only one of them may pass. */
export const lockUser = async (users: UserRepository, id: number): Promise<User> => known(await users.lock(id));

function known(user: User | null): User {
  if (!user) throw new NotFoundError('svc_user_not_found', 'No user has this ID.');
  return user;
}

export async function grantingKeyOf(trx: Knex.Transaction, by: Caller | undefined): Promise<ApiKey | null> {
  const id = by?.keyId ?? null;
  if (id === null) return null;
  const key = await new AccessReadModel(trx).key(id);
  if (!key?.enabled) throw new ForbiddenError('svc_permission_denied', 'The API key of this call is no longer valid.');
  return key;
}
