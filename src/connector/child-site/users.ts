import type { ChildLink } from './target.ts';

/** A user of the site, as its lists show one. */
export interface ChildUser {
  id: number;
  login: string;
  displayName: string;
  email: string;
  /** The first one; '' for a user without a role. */
  role: string;
  posts: number;
  /** Milliseconds since 1970; null when the child does not say. */
  registeredAt: number | null;
}

/** A user of the site, as its editor shows one. */
export interface ChildUserProfile {
  id: number;
  email: string;
  /** All of them, the first one first; none for a user without a role. */
  roles: string[];
  firstName: string;
  lastName: string;
  nickname: string;
  displayName: string;
  url: string;
  description: string;
}

export interface UserSearch {
  /** `*` at either end stands for anything; everybody is found by an empty one. */
  search: string;
  columns: readonly ('user_login' | 'display_name' | 'user_email')[];
  /** Only users who have any of these, be it as a further one. */
  roles?: readonly string[] | undefined;
}

export interface NewChildUser {
  login: string;
  email: string;
  /** Used once, never stored and never logged. */
  password: string;
  /** One that the site does not know becomes `subscriber`. */
  role: string;
  firstName: string;
  lastName: string;
  url: string;
}

/** What is undefined stays as it is; the child cannot empty a field. */
export interface ChildUserPatch {
  email?: string | undefined;
  password?: string | undefined;
  role?: string | undefined;
  firstName?: string | undefined;
  lastName?: string | undefined;
  nickname?: string | undefined;
  displayName?: string | undefined;
  url?: string | undefined;
  description?: string | undefined;
}

export interface UserCalls {
  /** Each once, in the order of the logins. */
  searchUsers(link: ChildLink, search: UserSearch): Promise<ChildUser[]>;
  /** Null when the site has no such user. */
  userProfile(link: ChildLink, id: number): Promise<ChildUserProfile | null>;
  /**
   * This one and the next three change a user. What WordPress refuses throws `svc_site_user_refused`; success is a
   * claim, not a proof.
   */
  createUser(link: ChildLink, user: NewChildUser, mailPassword: boolean): Promise<void>;
  updateUser(link: ChildLink, id: number, patch: ChildUserPatch): Promise<void>;
  /** Its posts pass to the administrator that we are connected as. */
  deleteUser(link: ChildLink, id: number): Promise<void>;
  /** The password of the administrator that we are connected as. */
  setAdminPassword(link: ChildLink, password: string): Promise<void>;
}
