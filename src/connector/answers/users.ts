import type { ChildUser, ChildUserProfile } from '../child-site.ts';
import { decodeHtmlEntities } from './html-entities.ts';
import {
  asObject,
  readCount,
  readField,
  readItems,
  readMultilineText,
  readNumber,
  readPlainText,
  readText,
  type JsonRecord,
} from './json-values.ts';

const MAX_USERS = 10_000;
const NAME_MAX = 250;
const EMAIL_MAX = 254;
const ROLE_MAX = 64;
const MAX_ROLES = 50;
const DESCRIPTION_MAX = 20_000;
/** Control characters except tabs and line breaks, and marks that change the direction of a text. */
// oxlint-disable-next-line no-control-regex
const INVISIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export function decodeUsers(value: unknown): ChildUser[] | null {
  const items = readItems(value, MAX_USERS);
  return items?.flatMap((item) => readChildUser(asObject(item)) ?? []) ?? null;
}

function readChildUser(item: JsonRecord | null): ChildUser | null {
  const id = readNumber(readField(item, 'id'));
  const login = readText(readField(item, 'login'), 60);
  if (id === null || !Number.isSafeInteger(id) || id < 1 || login === '') return null;
  return {
    id,
    login,
    displayName: readPlainText(readField(item, 'display_name'), NAME_MAX),
    email: readText(readField(item, 'email'), EMAIL_MAX),
    role: readText(readField(item, 'role'), ROLE_MAX),
    posts: readCount(readField(item, 'post_count')),
    registeredAt: parseRegistrationTime(readField(item, 'registered')),
  };
}

function parseRegistrationTime(value: unknown): number | null {
  if (typeof value !== 'string' || !/^[12]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(value)) return null;
  const time = Date.parse(`${value.replace(' ', 'T')}Z`);
  return Number.isNaN(time) ? null : time;
}

export function decodeUserProfile(answer: JsonRecord, id: number): ChildUserProfile | null {
  const data = asObject(readField(answer, 'user_data'));
  // An existing user may have an empty address. Only a missing field means that there is no such user.
  if (!data || readField(data, 'user_email') === undefined) return null;
  const name = (key: string): string => readPlainText(readField(data, key), NAME_MAX);
  return {
    id,
    email: readText(readField(data, 'user_email'), EMAIL_MAX),
    roles: readRoles(
      readField(asObject(readField(asObject(readField(answer, 'other_data')), 'users_data')), 'roles'),
      data,
    ),
    firstName: name('first_name'),
    lastName: name('last_name'),
    nickname: name('nickname'),
    displayName: name('display_name'),
    url: readPlainText(readField(data, 'user_url'), 500),
    description: decodeHtmlEntities(readMultilineText(readField(data, 'description'), DESCRIPTION_MAX)).replace(
      INVISIBLE,
      '',
    ),
  };
}

/** Returns all roles. The profile contains only the first editable one, and older child plugins send only that one. */
const readRoles = (all: unknown, data: JsonRecord): string[] =>
  (typeof all === 'string' ? all : readText(readField(data, 'role'), ROLE_MAX))
    .split(',', MAX_ROLES)
    .map((role) => readText(role, ROLE_MAX))
    .filter((role) => role !== '');
