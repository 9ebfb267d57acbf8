import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { ChildLink, UserCalls } from '../../connector/child-site.ts';
import type { Lease } from '../../db/lease.ts';
import { ChildBadAnswerError } from '../../shared/child-call-errors.ts';
import { ConflictError, NotFoundError } from '../../shared/errors.ts';
import {
  changeDone,
  changeFailed,
  type ChildChanges,
  type Judgement,
  type SiteWithUrlKey,
  type SiteJobResult,
  type SiteCalls,
  type VerifiedChange,
} from '../sites/index.ts';
import {
  toNewChildUser,
  NO_ROLE,
  refuseInvalidUser,
  findByEmail,
  findByLogin,
  type ChildUser,
  type ChildUserProfile,
  type SiteUserCreationResult,
  type NewUser,
  type CreatedUserOnSite,
  type UserPatch,
} from './child-user.ts';
import { UserCreationStore } from './user-creation-store.ts';
import { judgeUserCreation, judgeUserDeletion, judgeUserEdit, unknownOutcome, type EditedUser } from './proven-user.ts';

export interface ChildUserServiceDeps {
  knex: Knex;
  child: UserCalls;
  calls: SiteCalls;
  childChanges: ChildChanges;
}

export interface UserQuery {
  roles?: readonly string[] | undefined;
  search?: string | undefined;
}

/**
 * `resumed` is true if an earlier attempt was interrupted; `oneOfMany` is true if the job has other sites; `lease` is
 * that of the job item.
 */
export interface UserChangeContext {
  itemId: number;
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
   * Returns each user once. If roles are named, the child plugin returns a user once per role. Only a call that names
   * no roles returns users without a role.
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
   * Creates a user that was checked by `findUserFaults`. If a resumed call finds a user that an earlier attempt has
   * sent, that attempt has created it. Throws `svc_already_exists` and `svc_site_user_refused`.
   */
  create(siteId: number, user: NewUser, call: UserChangeContext): Promise<SiteUserCreationResult> {
    const create = async (link: ChildLink, { id, url }: SiteWithUrlKey): Promise<SiteUserCreationResult> => ({
      id,
      url,
      user: await this.#create(link, id, user, call),
    });
    return this.#deps.calls.run(siteId, create, call);
  }

  /**
   * Sets the password of the administrator that the site is connected with. Throws `svc_outcome_unknown` if an earlier
   * attempt was interrupted, because a site cannot tell whether that attempt set the password.
   */
  async setAdminPassword(siteId: number, password: string, change: UserChangeContext): Promise<SiteJobResult> {
    const { calls, child, childChanges } = this.#deps;
    const { actor, resumed, lease } = change;
    const set = async (link: ChildLink, { id, url }: SiteWithUrlKey): Promise<SiteJobResult> => {
      if (resumed) throw unknownOutcome();
      const description = `Changed the password of the user ${link.admin}.`;
      const thing = { name: link.admin, key: link.admin };
      const judge = ({ callError, mayHaveRun }: VerifiedChange<void, never>): Judgement<SiteJobResult> =>
        callError
          ? changeFailed(mayHaveRun ? unknownOutcome(callError) : callError)
          : changeDone({ id, url }, [{ type: 'user.password_changed', description, thing }]);
      const send = () => child.setAdminPassword(link, password);
      return childChanges.carryOut({ siteId: id, actor, lease }, { send, read: null, judge });
    };
    return calls.run(siteId, set, change);
  }

  /**
   * Throws `svc_site_user_not_found`, `svc_connected_administrator`, `svc_already_exists` and `svc_site_user_refused`.
   */
  async edit(site: SiteWithUrlKey, userId: number, patch: UserPatch, actor: string): Promise<EditedUser> {
    refuseInvalidUser(patch);
    const { child, calls, childChanges } = this.#deps;
    return calls.run(site.id, async (link) => {
      const before = await this.#profile(link, userId);
      if (patch.role !== undefined && patch.role !== 'administrator') await this.#refuseConnected(link, userId);
      const update = () => child.updateUser(link, userId, patch);
      return childChanges.carryOut(
        { siteId: site.id, actor },
        {
          send: () => this.#sendUnlessTaken(link, patch.email, userId, update),
          read: () => this.#profile(link, userId),
          judge: (change) => judgeUserEdit(before, patch, change),
        },
      );
    });
  }

  /** Throws `svc_site_user_not_found` and `svc_connected_administrator`. */
  async delete(site: SiteWithUrlKey, userId: number, actor: string): Promise<void> {
    const { child, calls, childChanges } = this.#deps;
    return calls.run(site.id, async (link) => {
      const user = await this.#profile(link, userId);
      await this.#refuseConnected(link, userId);
      return childChanges.carryOut(
        { siteId: site.id, actor },
        {
          // A refusal is no failure yet: on a multisite, the user may still have lost the membership of this site.
          send: () => child.deleteUser(link, userId).then(() => null, returnRefusal),
          read: async () => ({ left: await this.#memberProfile(link, userId) }),
          judge: (change) => judgeUserDeletion(user, change),
        },
      );
    });
  }

  async #create(link: ChildLink, siteId: number, user: NewUser, call: UserChangeContext): Promise<CreatedUserOnSite> {
    const { knex, child, childChanges } = this.#deps;
    const { itemId, actor, resumed, lease } = call;
    const { username, email, password = generatePassword(), sendPassword = false } = user;
    const creation = { siteId, username, itemId };
    const creations = new UserCreationStore(knex);
    const find = async (): Promise<{ made: ChildUser | undefined }> => {
      const matches = await child.searchUsers(link, { search: username, columns: ['user_login'] });
      return { made: findByLogin(matches, username) };
    };
    const judge = (verified: VerifiedChange<void, { made: ChildUser | undefined }>) =>
      judgeUserCreation(user, verified);
    const context = { siteId, actor, lease };
    const { made: there } = await find();
    if (there) {
      const isSame = resumed && findByEmail([there], email) !== undefined;
      const loggedBehind = isSame ? await creations.logPosition(creation) : null;
      if (loggedBehind === null) throw emailTaken();
      await creations.begin(creation, loggedBehind);
      return childChanges.lookAgain({ ...context, loggedBehind }, { read: async () => ({ made: there }), judge });
    }
    await creations.begin(creation, await childChanges.logPosition());
    const create = () => child.createUser(link, toNewChildUser(user, password), sendPassword);
    const send = () => this.#sendUnlessTaken(link, email, null, create);
    return childChanges.carryOut(context, { send, read: find, judge });
  }

  async #sendUnlessTaken(
    link: ChildLink,
    email: string | undefined,
    userId: number | null,
    call: () => Promise<void>,
  ): Promise<void> {
    const refusal = await call().then(() => null, returnRefusal);
    if (!refusal) return;
    await this.#refuseTaken(link, email, userId);
    throw refusal;
  }

  async #profile(link: ChildLink, userId: number): Promise<ChildUserProfile> {
    const profile = await this.#memberProfile(link, userId);
    if (!profile) throw new NotFoundError('svc_site_user_not_found', 'The site has no user with this ID.');
    return profile;
  }

  /**
   * Returns the profile of a user of this site, or null. On a multisite, the child plugin also returns profiles of
   * users of the network who are not members of this site. They have no role here, and searches do not find them.
   */
  async #memberProfile(link: ChildLink, userId: number): Promise<ChildUserProfile | null> {
    const { child } = this.#deps;
    const profile = await child.userProfile(link, userId);
    if (!profile || profile.roles.length > 0) return profile;
    const members = await child.searchUsers(
      link,
      profile.email === ''
        ? { search: '', columns: ['user_login'] }
        : { search: profile.email, columns: ['user_email'] },
    );
    return members.some(({ id }) => id === userId) ? profile : null;
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
   * Throws `svc_already_exists` if another user has the e-mail address. WordPress translates its error messages, so the
   * users are searched instead.
   */
  async #refuseTaken(link: ChildLink, email: string | undefined, userId: number | null): Promise<void> {
    if (email === undefined) return;
    const matches = await this.#deps.child.searchUsers(link, { search: email, columns: ['user_email'] });
    const holder = findByEmail(matches, email);
    if (holder && holder.id !== userId) throw emailTaken();
  }
}

/**
 * Generates a password that no caller sees. The site mails it if `sendPassword` is set; otherwise the user sets a new
 * one on the login page of the site.
 */
const generatePassword = (): string => randomBytes(24).toString('base64url');

const emailTaken = (): ConflictError =>
  new ConflictError('svc_already_exists', 'The site already has a user with this name or e-mail address.');

function returnRefusal(error: unknown): ConflictError {
  if (error instanceof ConflictError) return error;
  throw error;
}
