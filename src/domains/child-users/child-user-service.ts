import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { ChildLink, UserCalls } from '../../connector/child-site.ts';
import type { Lease } from '../../db/lease.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { ChangedObject } from '../../shared/changed-object.ts';
import { omitEmptyValues } from '../../shared/changed-values.ts';
import {
  ChildBadAnswerError,
  ConflictError,
  type DomainError,
  NotFoundError,
  OutcomeUnknownError,
} from '../../shared/errors.ts';
import { truncate } from '../../shared/text.ts';
import type { ChangeLog } from '../changes/index.ts';
import { attemptCall, sendChange, type SiteWithUrlKey, type SiteResult, type SiteCalls } from '../sites/index.ts';
import {
  alteredTextWarnings,
  hasRequestedValues,
  newChildUser,
  alteredNameWarnings,
  NO_ROLE,
  refuseFaults,
  findByEmail,
  findByLogin,
  type ChildUser,
  type ChildUserProfile,
  type CreatedUser,
  type NewUser,
  type UserOnSite,
  type UserPatch,
} from './child-user.ts';
import { describeUserDeletion, describeUserEdit } from './user-change.ts';

export interface ChildUserServiceDeps {
  knex: Knex;
  child: UserCalls;
  calls: SiteCalls;
  changeLog: ChangeLog;
}

export interface UserQuery {
  roles?: readonly string[] | undefined;
  search?: string | undefined;
}

/** `warnings` contains a message for each text that WordPress stored differently. */
export interface EditedUser {
  profile: ChildUserProfile;
  warnings: string[];
}

/**
 * `resumed` is true if an earlier attempt was interrupted; `oneOfMany` is true if the job has other sites; `lease` is
 * that of the job item.
 */
export interface UserChangeContext {
  actor: string;
  resumed: boolean;
  oneOfMany?: boolean;
  lease?: Lease;
}

/**
 * Success messages of the child plugin are not trusted, so the result of each change is read from the site. Passwords
 * are never logged.
 */
export class ChildUserService {
  readonly #deps: ChildUserServiceDeps;

  constructor(deps: ChildUserServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the users of a site. If roles are named, the child plugin returns a user once per role. If none are named,
   * it also returns users without a role.
   */
  async list(link: ChildLink, { roles = [], search }: UserQuery): Promise<ChildUser[]> {
    const { child } = this.#deps;
    const what = search
      ? ({ search: `*${search}*`, columns: ['user_login', 'display_name', 'user_email'] } as const)
      : ({ search: '', columns: ['user_login'] } as const);
    const named = roles.filter((role) => role !== NO_ROLE);
    const matches =
      named.length > 0 || roles.length === 0 ? await child.searchUsers(link, { ...what, roles: named }) : [];
    const all = roles.includes(NO_ROLE) ? await child.searchUsers(link, what) : [];
    const users = [...matches, ...all.filter(({ role }) => role === '')];
    return [...new Map(users.map((user) => [user.id, user])).values()];
  }

  /**
   * Creates a user that was checked by `findUserFaults`. If a resumed call finds the user, the interrupted attempt has
   * created it. Throws `svc_already_exists` and `svc_site_user_refused`.
   */
  create(siteId: number, user: NewUser, call: UserChangeContext): Promise<CreatedUser> {
    const create = async (link: ChildLink, { id, url }: SiteWithUrlKey): Promise<CreatedUser> => ({
      id,
      url,
      user: await this.#create(link, id, user, call),
    });
    return this.#deps.calls.run(siteId, create, call);
  }

  /**
   * Sets the password of the administrator that the site is connected with. Throws `svc_outcome_unknown` if resumed,
   * because a site cannot tell whether an earlier attempt set the password.
   */
  async setAdminPassword(siteId: number, password: string, change: UserChangeContext): Promise<SiteResult> {
    const { calls, child } = this.#deps;
    const { actor, resumed, lease } = change;
    const set = async (link: ChildLink, { id, url }: SiteWithUrlKey): Promise<SiteResult> => {
      if (resumed) throw unknownOutcome();
      const { callError, mayHaveRun } = await sendChange(() => child.setAdminPassword(link, password));
      if (callError) throw mayHaveRun ? unknownOutcome(callError) : callError;
      const thing = { name: link.admin, key: link.admin };
      const description = `Changed the password of the user ${link.admin}.`;
      await this.#log(id, 'user.password_changed', description, actor, thing, lease);
      return { id, url };
    };
    return calls.run(siteId, set, change);
  }

  /**
   * Throws `svc_site_user_not_found`, `svc_connected_administrator`, `svc_already_exists` and `svc_site_user_refused`.
   */
  async edit(site: SiteWithUrlKey, userId: number, patch: UserPatch, actor: string): Promise<EditedUser> {
    refuseFaults(patch);
    const { child, calls } = this.#deps;
    return calls.run(site.id, async (link) => {
      const before = await this.#profile(link, userId);
      if (patch.role !== undefined && patch.role !== 'administrator') await this.#refuseConnected(link, userId);
      const callError = await this.#send(() => child.updateUser(link, userId, patch));
      if (callError instanceof ConflictError) await this.#refuseTaken(link, patch.email, userId);
      if (callError instanceof ConflictError) throw callError;
      const after = await this.#readBack(callError, () => this.#profile(link, userId));
      if (!hasRequestedValues(after, patch)) throw unchangedError('change the user');
      // If the profile is unchanged, for example after a password edit, only a response proves the edit.
      if (callError && !hasVisibleChange(before, after)) throw unknownOutcome(callError);
      await this.#log(
        site.id,
        'user.updated',
        `Changed the user ${displayNameOf(after)}.`,
        actor,
        describeUserEdit(before, after),
      );
      return { profile: after, warnings: alteredTextWarnings(after, patch) };
    });
  }

  /** Throws `svc_site_user_not_found` and `svc_connected_administrator`. */
  async delete(site: SiteWithUrlKey, userId: number, actor: string): Promise<void> {
    const { child, calls } = this.#deps;
    return calls.run(site.id, async (link) => {
      const user = await this.#profile(link, userId);
      await this.#refuseConnected(link, userId);
      const callError = await this.#send(() => child.deleteUser(link, userId));
      const left = await this.#readBack(callError, () => child.userProfile(link, userId));
      if (left !== null) throw callError instanceof ConflictError ? callError : unchangedError('delete the user');
      await this.#log(
        site.id,
        'user.deleted',
        `Deleted the user ${displayNameOf(user)}.`,
        actor,
        describeUserDeletion(user),
      );
    });
  }

  async #create(link: ChildLink, siteId: number, user: NewUser, change: UserChangeContext): Promise<UserOnSite> {
    const { child } = this.#deps;
    const { actor, resumed, lease } = change;
    const { username, email, password = generatePassword(), sendPassword = false } = user;
    const find = async (): Promise<ChildUser | undefined> =>
      findByLogin(await child.searchUsers(link, { search: username, columns: ['user_login'] }), username);
    const there = await find();
    if (there && !(resumed && findByEmail([there], email))) throw emailTaken();
    const create = () => child.createUser(link, newChildUser(user, password), sendPassword);
    const callError = there ? null : await this.#send(create);
    if (callError instanceof ConflictError) await this.#refuseTaken(link, email, null);
    if (callError instanceof ConflictError) throw callError;
    const made = there ?? (await this.#readBack(callError, find));
    if (!made) throw unchangedError('create the user');
    await this.#log(
      siteId,
      'user.created',
      `Created the user ${username} with the role ${truncate(made.role, 64)}.`,
      actor,
      {
        name: username,
        key: made.id,
        after: omitEmptyValues({ role: made.role }),
      },
      lease,
    );
    const asked = user.role ?? 'subscriber';
    if (made.role !== asked) throw otherRole(made, asked);
    const warnings = alteredNameWarnings(made, user);
    return { id: made.id, role: made.role, ...(warnings.length > 0 && { warnings }) };
  }

  /** Returns the error if WordPress refused the change or the outcome is unknown. Throws any other error. */
  async #send(call: () => Promise<void>): Promise<DomainError | null> {
    const { callError, mayHaveRun } = await sendChange(call);
    if (callError && !mayHaveRun && callError.code !== 'svc_site_user_refused') throw callError;
    return callError;
  }

  /**
   * Reads the result of a change. Throws `svc_outcome_unknown` if the change was interrupted and the read fails too.
   */
  async #readBack<T>(callError: DomainError | null, read: () => Promise<T>): Promise<T> {
    const look = await attemptCall(read);
    if (look.error === null) return look.value;
    throw callError && !(callError instanceof ConflictError) ? unknownOutcome(look.error) : look.error;
  }

  async #profile(link: ChildLink, userId: number): Promise<ChildUserProfile> {
    const profile = await this.#deps.child.userProfile(link, userId);
    if (!profile) throw new NotFoundError('svc_site_user_not_found', 'The site has no user with this ID.');
    return profile;
  }

  /**
   * Throws `svc_connected_administrator` for the administrator that the site is connected with: without that user, this
   * service would lose access to the site.
   */
  async #refuseConnected(link: ChildLink, userId: number): Promise<void> {
    const matches = await this.#deps.child.searchUsers(link, { search: link.admin, columns: ['user_login'] });
    const admin = findByLogin(matches, link.admin);
    if (!admin) throw new ChildBadAnswerError('The site did not return the administrator that it is connected with.');
    if (admin.id === userId)
      throw new ConflictError(
        'svc_connected_administrator',
        'The site is connected with this administrator. Reconnect it with another administrator first.',
      );
  }

  /**
   * Throws if another user has the e-mail address. WordPress translates its error messages, so the users are searched
   * instead.
   */
  async #refuseTaken(link: ChildLink, email: string | undefined, userId: number | null): Promise<void> {
    if (email === undefined) return;
    const matches = await this.#deps.child.searchUsers(link, { search: email, columns: ['user_email'] });
    const holder = findByEmail(matches, email);
    if (holder && holder.id !== userId) throw emailTaken();
  }

  #log(
    siteId: number,
    type: string,
    description: string,
    actor: string,
    thing: ChangedObject,
    lease?: Lease,
  ): Promise<void> {
    const { knex, changeLog } = this.#deps;
    return inTransaction(knex, async ({ trx }) => {
      await lease?.lock(trx);
      await changeLog.append(trx, { siteId, type, description, actor, thing });
    });
  }
}

/**
 * No caller sees this password. The site mails it if `sendPassword` is set; otherwise the user sets a new one on the
 * login page of the site.
 */
const generatePassword = (): string => randomBytes(24).toString('base64url');

const displayNameOf = ({ id, displayName }: ChildUserProfile): string =>
  `${truncate(displayName, 100)} (${id})`.trimStart();

const hasVisibleChange = (before: ChildUserProfile, after: ChildUserProfile): boolean =>
  JSON.stringify(before) !== JSON.stringify(after);

const emailTaken = (): ConflictError =>
  new ConflictError('svc_already_exists', 'The site already has a user with this name or e-mail address.');

function otherRole({ id, role }: ChildUser, asked: string): ConflictError {
  const made = role ? `the role ${truncate(role, 64)}` : 'no role';
  return new ConflictError(
    'svc_site_user_refused',
    `The site does not have the role ${asked}. The user was created with ${made} and the ID ${id}.`,
    { reason: 'role_unknown' },
  );
}

const unchangedError = (what: string): ChildBadAnswerError =>
  new ChildBadAnswerError(`The site did not ${what}.`, { outcome: 'answered' });

const unknownOutcome = (cause?: unknown): OutcomeUnknownError =>
  new OutcomeUnknownError(
    'svc_outcome_unknown',
    'The connection was lost after the call was sent. Check the user on the site before you repeat the call.',
    {},
    { cause },
  );
