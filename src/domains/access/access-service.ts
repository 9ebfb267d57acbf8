import type { Database } from '../../db/database.ts';
import { isDuplicate } from '../../db/dialect.ts';
import { inLockedTransaction } from '../../db/locked-transaction.ts';
import type { Sealing } from '../../db/sealing.ts';
import { inTransaction, type TransactionScope as Work } from '../../db/transaction.ts';
import type { Caller, Role, Scope } from '../../shared/caller.ts';
import { describeChangedObject, type ChangedObject } from '../../shared/changed-object.ts';
import { toIso, type Clock } from '../../shared/clock.ts';
import { ConflictError, ForbiddenError, InvalidError, NotFoundError } from '../../shared/errors.ts';
import { throwFieldError } from '../../shared/field-errors.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { Precondition } from '../../shared/precondition.ts';
import type { ChangeLog } from '../changes/index.ts';
import { AccessReadModel } from './access-read-model.ts';
import { CredentialAuthenticator } from './credential-authenticator.ts';
import { keyHintOf, generateApiKey, generateApplicationPassword } from './credential-generation.ts';
import { FirstCredentialsSetup, type FirstCredentials, type PresetCredentials } from './first-credentials.ts';
import { refusePrivilegeEscalation } from './privilege-escalation.ts';
import { KeyRepository, type KeyPatch } from './key-repository.ts';
import { PasswordRepository } from './password-repository.ts';
import { checkedExpiry, checkedLabel, checkedUserName, PRESET_LABEL } from './credential-field-checks.ts';
import { callerKeyId, type ApiKey, type User } from './users-and-keys.ts';
import { UserRepository } from './user-repository.ts';

export interface NewApiKey {
  userId: number;
  label: string;
  scope: Scope;
  enabled?: boolean;
  expiresAt: number | null;
}

export interface KeyChangeContext {
  /** Absent if the change is not made with a credential. An API key cannot grant more than it has itself. */
  by?: Caller;
  force?: boolean;
  precondition?: Precondition<ApiKey> | undefined;
}

type LogChange = (type: string, description: string, thing: ChangedObject) => Promise<void>;

/** Methods that take the ID of an API key throw `svc_api_key_not_found`. */
export class AccessService {
  readonly #database: Database;
  readonly #sealing: Sealing;
  readonly #clock: Clock;
  readonly #changeLog: ChangeLog;
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

  /** Waits for pending writes of `last_used_at`. Call this before the database is closed. */
  waitForWrites(): Promise<void> {
    return this.#checks.waitForWrites();
  }

  /**
   * Creates the first credentials, at each start. Returns those that were generated and can be shown only once, or null
   * if there are none.
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

  async createUser({ name, role }: { name: string; role: Role }, actor: string): Promise<User> {
    const checked = checkedUserName(name);
    try {
      return await this.#change(actor, async ({ trx }, log) => {
        const createdAt = this.#clock.now();
        const user = await new UserRepository(trx).insert({ name: checked, role, enabled: true, createdAt });
        const thing = describeChangedObject(userIdentityForChangeLog(user), null, { name: user.name, role });
        await log('user.created', `The user ${user.name} (${role}) was created.`, thing);
        return user;
      });
    } catch (error) {
      if (isDuplicate(error)) throw new ConflictError('svc_already_exists', 'A user with this name already exists.');
      throw error;
    }
  }

  setRole(id: number, role: Role, actor: string): Promise<User> {
    return this.#change(actor, async ({ trx }, log) => {
      const users = new UserRepository(trx);
      const user = await this.#user(users, id);
      if (user.role === role) return user;
      if (role !== 'administrator') await this.#refuseLastAdministrator(users, id, 'role');
      await users.setRole(id, role);
      const thing = describeChangedObject(userIdentityForChangeLog(user), { role: user.role }, { role });
      await log('user.role_changed', `The user ${user.name} is now ${role}.`, thing);
      return { ...user, role };
    });
  }

  setEnabled(id: number, enabled: boolean, actor: string): Promise<User> {
    return this.#change(actor, async ({ trx }, log) => {
      const users = new UserRepository(trx);
      const user = await this.#user(users, id);
      if (user.enabled === enabled) return user;
      if (!enabled) await this.#refuseLastAdministrator(users, id, 'enabled');
      await users.setEnabled(id, enabled);
      const done = enabled ? 'enabled' : 'disabled';
      const thing = describeChangedObject(userIdentityForChangeLog(user), { enabled: user.enabled }, { enabled });
      await log(`user.${done}`, `The user ${user.name} was ${done}.`, thing);
      return { ...user, enabled };
    });
  }

  deleteUser(id: number, actor: string): Promise<void> {
    return this.#change(actor, async ({ trx }, log) => {
      const users = new UserRepository(trx);
      const user = await this.#user(users, id);
      await this.#refuseLastAdministrator(users, id, 'user');
      await users.delete(id);
      const thing = describeChangedObject(userIdentityForChangeLog(user), { name: user.name, role: user.role }, null);
      await log('user.deleted', `The user ${user.name} was deleted, with all passwords and API keys.`, thing);
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
    { revokeOthers = false } = {},
  ): Promise<{ password: string }> {
    return this.#change(actor, async ({ trx }, log) => {
      const user = await this.#user(new UserRepository(trx), userId);
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

  revokePasswords(userId: number, actor: string): Promise<number> {
    return this.#change(actor, async ({ trx }, log) => {
      const user = await this.#user(new UserRepository(trx), userId);
      return this.#revoke(new PasswordRepository(trx), user, log);
    });
  }

  listKeys(request: PageRequest): Promise<Page<ApiKey>> {
    return this.#readModel.keys(request);
  }

  getKey(id: number): Promise<ApiKey> {
    return this.#key(this.#readModel, id);
  }

  /** Returns the key itself as `secret`, which cannot be read again. Throws `svc_user_not_found`. */
  async createKey(
    wanted: NewApiKey,
    actor: string,
    { by }: Pick<KeyChangeContext, 'by'> = {},
  ): Promise<{ key: ApiKey; secret: string }> {
    const label = checkedLabel(wanted.label);
    const expiresAt = checkedExpiry(wanted.expiresAt, this.#clock.now());
    const { userId, scope, enabled = true } = wanted;
    return this.#change(actor, async ({ trx }, log) => {
      refusePrivilegeEscalation(await this.#grantingKey(trx, by), { scope, enabled, expiresAt });
      const user = await this.#user(new UserRepository(trx), userId);
      const secret = generateApiKey();
      const hint = keyHintOf(secret);
      const createdAt = this.#clock.now();
      const hash = this.#sealing.hash(secret);
      const row = { userId, label, hash, hint, scope, enabled, expiresAt, createdAt };
      const id = await new KeyRepository(trx).insert(row);
      const key = await this.#key(new AccessReadModel(trx), id);
      const thing = describeChangedObject(apiKeyIdentityForChangeLog(key), null, loggedKey(key));
      await log('api_key.created', `The API key *${hint} (${scope}) was created for ${user.name}.`, thing);
      return { key, secret };
    });
  }

  /** Throws `svc_last_api_key` unless `force` is set. */
  editKey(
    id: number,
    patch: KeyPatch,
    actor: string,
    { by, force = false, precondition }: KeyChangeContext = {},
  ): Promise<ApiKey> {
    return this.#change(actor, async ({ trx }, log) => {
      const readModel = new AccessReadModel(trx);
      const keys = new KeyRepository(trx);
      if (patch.enabled === false && !force) await this.#refuseLastKey(keys, id);
      await keys.lock(id);
      const before = await this.#key(readModel, id);
      precondition?.(before);
      const wanted = this.#changedFields(before, patch);
      if (Object.keys(wanted).length === 0) return before;
      refusePrivilegeEscalation(await this.#grantingKey(trx, by), { ...before, ...wanted }, before);
      await keys.update(id, wanted);
      const after = await this.#key(readModel, id);
      const state = after.enabled ? after.scope : 'disabled';
      const thing = describeChangedObject(apiKeyIdentityForChangeLog(after), loggedKey(before), loggedKey(after));
      await log('api_key.edited', `The API key *${after.hint} of ${after.userName} was edited; it is ${state}.`, thing);
      return after;
    });
  }

  deleteKey(id: number, actor: string, { force = false, precondition }: KeyChangeContext = {}): Promise<ApiKey> {
    return this.#change(actor, async ({ trx }, log) => {
      const keys = new KeyRepository(trx);
      if (!force) await this.#refuseLastKey(keys, id);
      await keys.lock(id);
      const key = await this.#key(new AccessReadModel(trx), id);
      precondition?.(key);
      await keys.delete(id);
      const thing = describeChangedObject(apiKeyIdentityForChangeLog(key), loggedKey(key), null);
      await log('api_key.deleted', `The API key *${key.hint} of ${key.userName} was deleted.`, thing);
      return key;
    });
  }

  #change<T>(actor: string, work: (work: Work, log: LogChange) => Promise<T>): Promise<T> {
    return inTransaction(this.#database.knex, async (scope) => {
      scope.afterCommit(() => this.#checks.clearCache());
      return work(scope, (type, description, thing) =>
        this.#changeLog.append(scope.trx, { siteId: null, type, description, actor, thing }),
      );
    });
  }

  async #revoke(passwords: PasswordRepository, user: User, log: LogChange): Promise<number> {
    const revoked = await passwords.deleteOfUser(user.id);
    const thing = describeChangedObject(userIdentityForChangeLog(user), null, null, ['applicationPasswords']);
    if (revoked > 0)
      await log('user.passwords_revoked', `The application passwords of ${user.name} were revoked.`, thing);
    return revoked;
  }

  #changedFields(before: ApiKey, { label, scope, enabled, expiresAt }: KeyPatch): KeyPatch {
    return {
      ...(label === undefined || label === before.label ? {} : { label: this.#relabelled(before, label) }),
      ...(scope === undefined || scope === before.scope ? {} : { scope }),
      ...(enabled === undefined || enabled === before.enabled ? {} : { enabled }),
      ...(expiresAt === undefined || expiresAt === before.expiresAt
        ? {}
        : { expiresAt: checkedExpiry(expiresAt, this.#clock.now()) }),
    };
  }

  #relabelled(before: ApiKey, label: string): string {
    if (before.label === PRESET_LABEL)
      throwFieldError('label', 'cannot be changed, because an environment variable sets this key');
    return checkedLabel(label);
  }

  async #user(users: UserRepository, id: number): Promise<User> {
    const user = await users.find(id);
    if (!user) throw new NotFoundError('svc_user_not_found', 'No user has this ID.');
    return user;
  }

  async #key(readModel: AccessReadModel, id: number): Promise<ApiKey> {
    const key = await readModel.key(id);
    if (!key) throw new NotFoundError('svc_api_key_not_found', 'No API key has this ID.');
    return key;
  }

  async #grantingKey(trx: Work['trx'], by: Caller | undefined): Promise<ApiKey | null> {
    const id = by ? callerKeyId(by) : null;
    if (id === null) return null;
    const key = await new AccessReadModel(trx).key(id);
    if (!key?.enabled)
      throw new ForbiddenError('svc_permission_denied', 'The API key of this call is no longer valid.');
    return key;
  }

  async #refuseLastKey(keys: KeyRepository, id: number): Promise<void> {
    const working = await keys.lockWorking(this.#clock.now());
    if (working.length === 1 && working[0] === id)
      throw new ConflictError('svc_last_api_key', 'This is the last working API key.');
  }

  async #refuseLastAdministrator(users: UserRepository, id: number, path: string): Promise<void> {
    const administrators = await users.lockEnabledAdministrators();
    if (administrators.length === 1 && administrators[0] === id)
      throw new InvalidError(
        [{ path, message: 'cannot be changed for the last enabled administrator' }],
        'The last enabled administrator cannot be deleted, disabled or given another role.',
      );
  }
}

const userIdentityForChangeLog = ({ name, id }: User): Pick<ChangedObject, 'name' | 'key'> => ({ name, key: id });

const apiKeyIdentityForChangeLog = ({ hint, id }: ApiKey): Pick<ChangedObject, 'name' | 'key'> => ({
  name: `*${hint}`,
  key: id,
});

const loggedKey = ({ label, scope, enabled, expiresAt, userName: user }: ApiKey) => ({
  ...{ label, scope, enabled, user },
  expiresAt: toIso(expiresAt),
});
