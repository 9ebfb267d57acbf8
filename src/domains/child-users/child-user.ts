import type { ChildUser, ChildUserPatch, ChildUserProfile, NewChildUser } from '../../connector/child-site.ts';
import type { FieldError } from '../../shared/errors.ts';
import { FieldErrors } from '../../shared/field-errors.ts';
import { parseUrl } from '../../shared/url.ts';
import type { SiteJobResult } from '../sites/index.ts';

export type { ChildUser, ChildUserProfile } from '../../connector/child-site.ts';

/** A user to create. Omitted fields are empty, except `password` (generated) and `role` (`subscriber`). */
export interface NewUser {
  username: string;
  email: string;
  password?: string | undefined;
  firstName?: string | undefined;
  lastName?: string | undefined;
  url?: string | undefined;
  role?: string | undefined;
  sendPassword?: boolean | undefined;
}

export type UserPatch = ChildUserPatch;

export interface CreatedUserOnSite {
  id: number;
  role: string;
  warnings?: string[];
}

export type SiteUserCreationResult = SiteJobResult & { user: CreatedUserOnSite };

export const NO_ROLE = 'none';

const ROLE = /^[A-Za-z0-9_-]{1,60}$/;

/** Allows only names that WordPress stores unchanged. */
const USERNAME = /^[\w.@-]+(?: [\w.@-]+)*$/;
const EMAIL = /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i;
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;
const MAX = { username: 60, email: 100, password: 128, url: 100 } as const;

/**
 * WordPress removes slashes and sanitizes some passwords before it hashes them, depending on how they are sent. Only
 * passwords that none of these steps changes are allowed.
 */
function passwordFault(password: string): string | null {
  if (password === '') return 'must not be empty';
  if (password.length > MAX.password) return `must have at most ${MAX.password} characters`;
  if (password.trim() !== password) return 'must not begin or end with a blank';
  if (CONTROL.test(password) || /['"\\<]|%[0-9a-f]{2}/i.test(password))
    return 'must not contain quotes, backslashes, <, line breaks or percent-encoded characters';
  return null;
}

function usernameFault(username: string): string | null {
  if (username.length > MAX.username) return `must have at most ${MAX.username} characters`;
  return USERNAME.test(username) ? null : 'must contain only letters from a to z, digits, single blanks and . _ - @';
}

const emailFault = (email: string): string | null =>
  email.length <= MAX.email && EMAIL.test(email) ? null : 'must be an e-mail address';

function urlFault(url: string): string | null {
  const parsed = parseUrl(url);
  const plain = parsed !== null && /^https?:$/.test(parsed.protocol) && !/[\s<>"'`\\]/.test(url);
  return plain && url.length <= MAX.url ? null : `must be an http or https URL of at most ${MAX.url} characters`;
}

/** Checks only the format, because the child plugin does not list the roles of a site. */
const roleFault = (role: string): string | null =>
  ROLE.test(role) && role !== NO_ROLE ? null : 'must be the slug of a role';

const FAULTS = { username: usernameFault, email: emailFault, password: passwordFault, url: urlFault, role: roleFault };

export function findUserFaults(fields: { [N in keyof typeof FAULTS]?: string | undefined }): FieldError[] {
  return Object.entries(FAULTS).flatMap(([path, faultOf]) => {
    const value = fields[path as keyof typeof FAULTS];
    const message = value === undefined ? null : faultOf(value);
    return message === null ? [] : [{ path, message }];
  });
}

export const refuseInvalidUser = (fields: Parameters<typeof findUserFaults>[0]): void =>
  new FieldErrors().add(...findUserFaults(fields)).throwIfAny();

export const toNewChildUser = (user: NewUser, password: string): NewChildUser => ({
  login: user.username,
  email: user.email,
  password,
  role: user.role ?? 'subscriber',
  firstName: user.firstName ?? '',
  lastName: user.lastName ?? '',
  url: user.url ?? '',
});

const equalsIgnoringCase = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

export const findByLogin = (users: readonly ChildUser[], login: string): ChildUser | undefined =>
  users.find((user) => equalsIgnoringCase(user.login, login));
export const findByEmail = (users: readonly ChildUser[], email: string): ChildUser | undefined =>
  users.find((user) => equalsIgnoringCase(user.email, email));

/** True if the profile has the requested values. WordPress stores these two fields unchanged or not at all. */
export const hasRequestedValues = (profile: ChildUserProfile, { email, role }: UserPatch): boolean =>
  (email === undefined || equalsIgnoringCase(profile.email, email)) &&
  (role === undefined || profile.roles.join() === role);

const TEXTS = {
  firstName: 'first name',
  lastName: 'last name',
  nickname: 'nickname',
  displayName: 'display name',
  description: 'description',
  url: 'URL',
} as const satisfies Partial<Record<keyof UserPatch, string>>;

/** Removes from a text what WordPress removes when it stores one, so that a sent and a stored text can be compared. */
const withoutMarkup = (text: string): string =>
  text
    .replace(/<[^>]*>|%[0-9a-f]{2}/gi, '')
    .replace(/\s+/g, ' ')
    .trim();

/** True if a text of the profile is not the requested one. URLs are not compared, because WordPress completes them. */
export const hasOtherTexts = (profile: ChildUserProfile, { url: _url, ...patch }: UserPatch): boolean =>
  Object.keys(TEXTS).some((field) => {
    const sent = patch[field as Exclude<keyof typeof TEXTS, 'url'>];
    return sent !== undefined && withoutMarkup(sent) !== withoutMarkup(profile[field as keyof typeof TEXTS]);
  });

export const alteredTextWarnings = (profile: ChildUserProfile, patch: UserPatch): string[] =>
  Object.entries(TEXTS).flatMap(([field, name]) => {
    const sent = patch[field as keyof typeof TEXTS];
    const isKept = sent === undefined || profile[field as keyof typeof TEXTS] === sent;
    return isKept ? [] : [`WordPress did not store the ${name} as it was sent.`];
  });

/**
 * Returns a warning if the names were not stored as sent. User lists show only the display name, which contains the
 * first and last name.
 */
export function alteredNameWarnings({ displayName }: ChildUser, { username, firstName, lastName }: NewUser): string[] {
  const expected = [firstName, lastName].filter(Boolean).join(' ') || username;
  return displayName === expected ? [] : ['WordPress did not store the first or last name as it was sent.'];
}
