import type { ChildLink } from './target.ts';

export interface ChildUser {
  id: number;
  login: string;
  displayName: string;
  email: string;
  /** First role; '' for a user without a role. */
  role: string;
  posts: number;
  registeredAt: number | null;
}

export interface ChildUserProfile {
  id: number;
  email: string;
  roles: string[];
  firstName: string;
  lastName: string;
  nickname: string;
  displayName: string;
  url: string;
  description: string;
}

export interface UserSearch {
  /** `*` at either end matches any text. An empty search finds all users. */
  search: string;
  columns: readonly ('user_login' | 'display_name' | 'user_email')[];
  /** Finds only users who have at least one of these roles, not necessarily as the first one. */
  roles?: readonly string[] | undefined;
}

export interface NewChildUser {
  login: string;
  email: string;
  /** Used once, never stored and never logged. */
  password: string;
  /** A role that the site does not know becomes `subscriber`. */
  role: string;
  firstName: string;
  lastName: string;
  url: string;
}

/** Undefined fields keep their values. The child cannot empty a field. */
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
  /** The child returns each user once, sorted by login. */
  searchUsers(link: ChildLink, search: UserSearch): Promise<ChildUser[]>;
  userProfile(link: ChildLink, id: number): Promise<ChildUserProfile | null>;
  /**
   * Creates a user. This method and the next three throw `svc_site_user_refused` if WordPress refuses the change. The
   * child's report of success is not verified.
   */
  createUser(link: ChildLink, user: NewChildUser, mailPassword: boolean): Promise<void>;
  updateUser(link: ChildLink, id: number, patch: ChildUserPatch): Promise<void>;
  /** Deletes a user. The connected administrator becomes the author of the user's posts. */
  deleteUser(link: ChildLink, id: number): Promise<void>;
  setAdminPassword(link: ChildLink, password: string): Promise<void>;
}
