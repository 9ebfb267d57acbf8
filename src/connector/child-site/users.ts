import type { ChildLink } from './target.ts';

/** Roles that every WordPress has; a site may know more. */
export const USER_ROLES = ['administrator', 'editor', 'author', 'contributor', 'subscriber'] as const;
export type UserRole = (typeof USER_ROLES)[number];

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
  role: string;
  firstName: string;
  lastName: string;
  nickname: string;
  displayName: string;
  url: string;
  description: string;
}

export interface UserSearch {
  /** `*` at either end stands for anything. */
  search: string;
  columns: readonly ('user_login' | 'display_name' | 'user_email')[];
  roles?: readonly UserRole[] | undefined;
}

export interface NewChildUser {
  login: string;
  email: string;
  /** Used once, never stored and never logged. */
  password: string;
  role: UserRole;
  firstName: string;
  lastName: string;
  url: string;
}

/** What is undefined stays as it is; the child cannot empty a field. */
export interface ChildUserPatch {
  email?: string | undefined;
  password?: string | undefined;
  role?: UserRole | undefined;
  firstName?: string | undefined;
  lastName?: string | undefined;
  nickname?: string | undefined;
  displayName?: string | undefined;
  url?: string | undefined;
  description?: string | undefined;
}

export interface UserCalls {
  /** Users with any of these roles. */
  users(link: ChildLink, roles: readonly UserRole[]): Promise<ChildUser[]>;
  searchUsers(link: ChildLink, search: UserSearch): Promise<ChildUser[]>;
  /** Null when the site has no such user. */
  userProfile(link: ChildLink, id: number): Promise<ChildUserProfile | null>;
  /**
   * This one and the next three change a user. What WordPress refuses throws `svc_site_user_refused`; success is a claim, not a
   * proof.
   */
  createUser(link: ChildLink, user: NewChildUser, mailPassword: boolean): Promise<void>;
  updateUser(link: ChildLink, id: number, patch: ChildUserPatch): Promise<void>;
  /** Its posts pass to the administrator that we are connected as. */
  deleteUser(link: ChildLink, id: number): Promise<void>;
  /** The password of the administrator that we are connected as. */
  setAdminPassword(link: ChildLink, password: string): Promise<void>;
}
