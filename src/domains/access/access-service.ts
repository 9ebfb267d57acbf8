import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../db/database.ts';
import { isDuplicate } from '../../db/dialect.ts';
import { inLockedTransaction } from '../../db/locked-transaction.ts';
import type { Sealing } from '../../db/sealing.ts';
import type { TransactionScope as Work } from '../../db/transaction.ts';
import type { Caller } from '../../shared/caller.ts';
import { describeChangedObject, type ChangedObject } from '../../shared/changed-object.ts';
import type { Clock } from '../../shared/clock.ts';
import { ConflictError, InvalidError, NotFoundError, UnauthenticatedError } from '../../shared/errors.ts';
import { throwFieldError } from '../../shared/field-errors.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import { ADMINISTRATOR } from '../../shared/permissions.ts';
import type { Precondition } from '../../shared/precondition.ts';
import type { CredentialOwner } from '../../shared/requester.ts';
import type { SiteLimit, SiteScope } from '../../shared/site-scope.ts';
import type { ChangeLog } from '../changes/index.ts';
import { AccessReadModel } from './access-read-model.ts';
import { CredentialAuthenticator } from './credential-authenticator.ts';
import { CredentialChanges, grantingKeyOf, lockUser, requireUser, type LogChange } from './credential-changes.ts';
import { checkedLabel, checkedUserName } from './credential-field-checks.ts';
import { generateApplicationPassword } from './credential-generation.ts';
import { FirstCredentialsSetup, type FirstCredentials, type PresetCredentials } from './first-credentials.ts';
import { KeyRepository } from './key-repository.ts';
import { ApiKeyService } from './key-service.ts';
import { PasswordRepository } from './password-repository.ts';
import { refuseForeignPermissions, refuseUnlimiting } from './permission-grants.ts';
import { refusePrivilegeEscalation } from './privilege-escalation.ts';
import { lockedRole } from './role-service.ts';
import { checkedSiteLimit } from './site-limit-checks.ts';
import { UserRepository } from './user-repository.ts';
import type { CredentialRecord, User, UserPatch } from './users-and-keys.ts';

export interface NewUser {
  name: string;
  role: string;
  siteLimit?: SiteLimit | null;
}

/**
 * Rights that a key must have to create an application password. Such a password has no scope, expiry or limits of its
 * own, so a key with fewer rights would gain rights.
 */
const PASSWORD_RIGHTS = {
  scope: 'read_write',
  enabled: true,
  expiresAt: null,
  allowedAddresses: null,
  rateLimit: null,
} as const;

export class AccessService {
  readonly keys: ApiKeyService;
  readonly #database: Database;
  readonly #sealing: Sealing;
  readonly #clock: Clock;
  readonly #changeLog: ChangeLog;
  readonly #changes: CredentialChanges;
  readonly #users: UserRepository;
  readonly #readModel: AccessReadModel;
  readonly #checks: CredentialAuthenticator;

  constructor(database: Database, sealing: Sealing, clock: Clock, changeLog: ChangeLog) {
    const { knex } = database;
    this.#database = database;
    this.#sealing = sealing;
    this.#clock = clock;
    this.#changeLog = changeLog;
    this.#users = new UserRepository(knex);
    this.#readModel = new AccessReadModel(knex);
    this.#changes = new CredentialChanges(database, clock, changeLog, () => this.forgetCallers());
    this.keys = new ApiKeyService(this.#changes, sealing, this.#readModel, (name) => this.userNamed(name));
    this.#checks = new CredentialAuthenticator(
      sealing,
      clock,
      this.#readModel,
      new PasswordRepository(knex),
      new KeyRepository(knex),
    );
  }

  byPassword(user: string, password: string): Promise<Caller | null> {
    return this.#checks.byPassword(user, password);
  }

  byKey(key: string): Promise<Caller | null> {
    return this.#checks.byKey(key);
  }

  isStillAllowed(caller: Caller): boolean {
    return this.#checks.isStillAllowed(caller);
  }

  allowsAddress(caller: Caller, address: string): boolean {
    return this.#checks.allowsAddress(caller, address);
  }

  callsPerMinute(caller: Caller): number | null {
    return this.#checks.callsPerMinute(caller);
  }

  /** Waits until the times of use are stored. Call this before the database is closed. */
  waitForWrites(): Promise<void> {
    return this.#checks.waitForWrites();
  }

  /**
   * Runs `FirstCredentialsSetup`, at each start. Returns the credentials that were generated, which can be shown only
   * once, or null if none were generated.
   */
  async ensureFirstCredentials(preset: PresetCredentials): Promise<FirstCredentials | null> {
    const made = await inLockedTransaction(this.#database, 'first credentials', (work) =>
      new FirstCredentialsSetup(work, this.#sealing, this.#clock, this.#changeLog).ensure(preset),
    );
    this.#checks.clearCache();
    return made;
  }

  listUsers(): Promise<User[]> {
    return this.#users.list();
  }

  findUser(name: string): Promise<User | null> {
    return this.#users.findByName(name.trim());
  }

  async userNamed(name: string): Promise<User> {
    const user = await this.findUser(name);
    if (!user) throw new NotFoundError('svc_user_not_found', 'No user has this name.');
    return user;
  }

  /** Throws `svc_role_not_found`. */
  async createUser({ name, role, siteLimit = null }: NewUser, actor: string, by?: Caller): Promise<User> {
    const checked = checkedUserName(name);
    try {
      return await this.#changes.run(actor, async (work, log) => {
        const createdAt = this.#clock.now();
        const known = await lockedRole(work, role, createdAt);
        refuseForeignPermissions(by, known.permissions);
        const user = await new UserRepository(work.trx).insert({
          name: checked,
          role: known,
          enabled: true,
          createdAt,
        });
        const limit = siteLimit && (await checkedSiteLimit(work.trx, siteLimit));
        await this.#limitUser(work, user, role, limit);
        const thing = describeChangedObject(userIdentityForChangeLog(user), null, {
          name: user.name,
          role,
          siteLimit: limit,
        });
        await log('user.created', `The user ${user.name} (${role}) was created.`, thing);
        return { ...user, siteLimit: limit };
      });
    } catch (error) {
      if (isDuplicate(error)) throw new ConflictError('svc_already_exists', 'A user with this name already exists.');
      throw error;
    }
  }

  setRole(id: number, role: string, actor: string): Promise<User> {
    return this.editUser(id, { role }, actor);
  }

  setEnabled(id: number, enabled: boolean, actor: string): Promise<User> {
    return this.editUser(id, { enabled }, actor);
  }

  /**
   * Throws `svc_user_not_found` and `svc_role_not_found`, and `svc_permission_denied` if the user has, or would get, a
   * permission that `by` does not have.
   */
  editUser(
    id: number,
    patch: UserPatch,
    actor: string,
    { by, precondition }: { by?: Caller; precondition?: Precondition<User> | undefined } = {},
  ): Promise<User> {
    return this.#changes.run(actor, async (work, log) => {
      const users = new UserRepository(work.trx);
      const user = await lockUser(users, id);
      precondition?.(user);
      const role = await lockedRole(work, patch.role ?? user.role, this.#clock.now());
      const enabled = patch.enabled ?? user.enabled;
      await this.#changes.refuseForeignUser(work, user, by);
      refuseUnlimiting(user.siteLimit, patch.siteLimit, by);
      refuseForeignPermissions(by, role.permissions);
      if (role.name !== user.role) {
        if (role.name !== ADMINISTRATOR) await this.#refuseLastAdministrator(users, id, 'role');
        await users.setRole(id, role);
        const thing = describeChangedObject(userIdentityForChangeLog(user), { role: user.role }, { role: role.name });
        await log('user.role_changed', `The user ${user.name} is now ${role.name}.`, thing);
      }
      if (enabled !== user.enabled) {
        if (!enabled) await this.#refuseLastAdministrator(users, id, 'enabled');
        await users.setEnabled(id, enabled);
        const done = enabled ? 'enabled' : 'disabled';
        const thing = describeChangedObject(userIdentityForChangeLog(user), { enabled: user.enabled }, { enabled });
        await log(`user.${done}`, `The user ${user.name} was ${done}.`, thing);
      }
      const { siteLimit: wanted = user.siteLimit } = patch;
      const siteLimit = wanted && (await checkedSiteLimit(work.trx, wanted));
      if (role.name !== user.role || !isDeepStrictEqual(siteLimit, user.siteLimit))
        await this.#limitUser(work, user, role.name, siteLimit);
      if (!isDeepStrictEqual(siteLimit, user.siteLimit)) {
        const limits = [{ siteLimit: user.siteLimit }, { siteLimit }] as const;
        const thing = describeChangedObject(userIdentityForChangeLog(user), ...limits);
        await log('user.limited', `The sites of the user ${user.name} were changed.`, thing);
      }
      return requireUser(users, id);
    });
  }

  deleteUser(
    id: number,
    actor: string,
    { by, precondition }: { by?: Caller; precondition?: Precondition<User> | undefined } = {},
  ): Promise<User> {
    return this.#changes.run(actor, async (work, log) => {
      const users = new UserRepository(work.trx);
      const user = await lockUser(users, id);
      precondition?.(user);
      await this.#changes.refuseForeignUser(work, user, by);
      await this.#refuseLastAdministrator(users, id, 'user');
      await users.delete(id);
      const thing = describeChangedObject(userIdentityForChangeLog(user), { name: user.name, role: user.role }, null);
      await log('user.deleted', `The user ${user.name} was deleted, with all passwords and API keys.`, thing);
      return user;
    });
  }

  /**
   * Returns a new password, which cannot be read again. `revokeOthers` deletes the user's older passwords in the same
   * transaction.
   */
  addPassword(
    userId: number,
    label: string,
    actor: string,
    { revokeOthers = false, by }: { revokeOthers?: boolean; by?: Caller } = {},
  ): Promise<{ password: string }> {
    return this.#changes.run(actor, async (work, log) => {
      const { trx } = work;
      const user = await requireUser(new UserRepository(trx), userId);
      await this.#changes.refuseForeignUser(work, user, by);
      refusePrivilegeEscalation(await grantingKeyOf(trx, by), PASSWORD_RIGHTS);
      const passwords = new PasswordRepository(trx);
      if (revokeOthers) await this.#revoke(passwords, user, log);
      const password = generateApplicationPassword();
      const hash = this.#sealing.hash(password);
      await passwords.insert({ userId, label: checkedLabel(label), hash, createdAt: this.#clock.now() });
      const thing = describeChangedObject(userIdentityForChangeLog(user), null, { label }, ['applicationPassword']);
      await log('user.password_added', `An application password was created for the user ${user.name}.`, thing);
      return { password };
    });
  }

  revokePasswords(userId: number, actor: string, by?: Caller): Promise<number> {
    return this.#changes.run(actor, async (work, log) => {
      const { trx } = work;
      const user = await requireUser(new UserRepository(trx), userId);
      await this.#changes.refuseForeignUser(work, user, by);
      return this.#revoke(new PasswordRepository(trx), user, log);
    });
  }

  /** Returns the sites that a credential may see now: none if its user or key is disabled, deleted or expired. */
  scopeOfOwner(owner: CredentialOwner): Promise<SiteScope> {
    return this.#readModel.scopeOfOwner(owner, this.#clock.now());
  }

  /** Throws `svc_unauthenticated` if the credential was deleted during the call. */
  async credentialOf(caller: Caller): Promise<CredentialRecord> {
    const { keyId } = caller;
    const record = keyId === null ? await this.#passwordRecord(caller) : await this.#keyRecord(keyId);
    if (!record) throw new UnauthenticatedError('svc_unauthenticated', 'The credential is missing or not valid.');
    return record;
  }

  async #keyRecord(keyId: number): Promise<CredentialRecord | null> {
    const key = await this.#readModel.key(keyId);
    if (!key) return null;
    const { id, label, hint, scope, expiresAt, allowedAddresses, lastUsedAt } = key;
    return { kind: 'api_key', id, label, hint, scope, expiresAt, allowedAddresses, lastUsedAt };
  }

  async #passwordRecord({ credential, scope }: Caller): Promise<CredentialRecord | null> {
    const id = Number(credential.slice('password:'.length));
    const password = await new PasswordRepository(this.#database.knex).find(id);
    return (
      password && {
        ...password,
        ...{ kind: 'application_password', hint: null, scope, expiresAt: null, allowedAddresses: null },
      }
    );
  }

  forgetCallers(): void {
    this.#checks.clearCache();
  }

  pageOfUsers(request: PageRequest): Promise<Page<User>> {
    return this.#users.page(request);
  }

  async getUser(id: number): Promise<User> {
    return requireUser(this.#users, id);
  }

  async #revoke(passwords: PasswordRepository, user: User, log: LogChange): Promise<number> {
    const revoked = await passwords.deleteOfUser(user.id);
    const thing = describeChangedObject(userIdentityForChangeLog(user), null, null, ['applicationPasswords']);
    if (revoked > 0)
      await log('user.passwords_revoked', `The application passwords of ${user.name} were revoked.`, thing);
    return revoked;
  }

  async #limitUser({ trx }: Work, user: User, role: string, siteLimit: SiteLimit | null): Promise<void> {
    if (role === 'client' && siteLimit === null) throwFieldError('siteLimit', 'must be set for the role client');
    if (siteLimit) await this.#refuseLastAdministrator(new UserRepository(trx), user.id, 'siteLimit');
    if (!isDeepStrictEqual(siteLimit, user.siteLimit)) await new UserRepository(trx).setSiteLimit(user.id, siteLimit);
  }

  async #refuseLastAdministrator(users: UserRepository, id: number, path: string): Promise<void> {
    const administrators = await users.lockEnabledAdministrators();
    if (administrators.length === 1 && administrators[0] === id)
      throw new InvalidError(
        [{ path, message: 'cannot be changed for the last enabled administrator' }],
        'The last enabled administrator cannot be deleted, disabled, limited to some sites or given another role.',
      );
  }
}

const userIdentityForChangeLog = ({ name, id }: User): Pick<ChangedObject, 'name' | 'key'> => ({ name, key: id });
