import {
  parseBase64Record,
  splitCommaList,
  hasField,
  recordField,
  textField,
  isTruthy,
  type PhpFormFields,
} from '../protocol/form.ts';
import { frameReply, type Reply } from '../protocol/reply.ts';
import { newUser, rolesOf } from '../state/generate-content.ts';
import type { SiteState, User } from '../state/site-state.ts';
import { unixSecondsOf, type Call } from './call.ts';
import { userEntry } from './content-views.ts';
import { editedUrl, storedDescription, storedName, storedUrl } from './user-texts.ts';
import { findUser } from '../state/connection.ts';

/**
 * Simulates `get_all_users`. A user with two requested roles is listed twice. If the requested role is empty, all users
 * are listed, each with an empty role (protocol 4.6).
 */
export function getAllUsers({ state, fields }: Call): Reply {
  return frameReply(inRoles(state, fields).map(([user, role]) => ({ ...userEntry(state, user, true), role })));
}

function inRoles(state: SiteState, fields: PhpFormFields): [User, string][] {
  if (!hasField(fields, 'role')) return [];
  return textField(fields, 'role')
    .split(',')
    .flatMap((role) =>
      sortedUsers(state)
        .filter((user) => role === '' || rolesOf(user).includes(role))
        .map((user): [User, string] => [user, role]),
    );
}

export function searchUsers({ state, fields }: Call): Reply {
  const filtered = textField(fields, 'role') !== '';
  const ofRoles = new Set(filtered ? inRoles(state, fields).map(([user]) => user) : state.users);
  const columns = splitCommaList(textField(fields, 'search_columns'));
  const search = textField(fields, 'search').trim();
  const pattern = search === '' ? /^/ : wildcard(search);
  const userIds = new Set(
    columns.flatMap((name) =>
      sortedUsers(state).filter((user) => ofRoles.has(user) && pattern.test(columnsOf(user)[name] ?? '')),
    ),
  );
  return frameReply([...userIds].map((user) => userEntry(state, user, true)));
}

const columnsOf = (user: User): Record<string, string> => ({
  user_login: user.login,
  display_name: user.displayName,
  user_email: user.email,
});

function wildcard(search: string): RegExp {
  const source = search
    .split('*')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${source}$`, 'i');
}

function sortedUsers(state: SiteState): User[] {
  return [...state.users].sort((left, right) => (left.login < right.login ? -1 : 1));
}

export function userAction(call: Call): Reply {
  const { state, fields } = call;
  const action = textField(fields, 'action');
  const user = accountsOf(state).find((item) => item.id === Number(textField(fields, 'id')));
  const userData = usersData(user);
  switch (action) {
    case 'edit':
      return user === undefined
        ? frameReply({ status: 'FAIL', ...userData })
        : frameReply({ user_data: editableUser(user), status: 'SUCCESS', ...userData });
    case 'update_user': {
      const mistake = updateUser(call, user);
      if (mistake !== undefined) return frameReply({ error: mistake, ...userData });
      const users = isTruthy(fields['optimize'])
        ? { users: sortedUsers(state).map((item) => userEntry(state, item, false)) }
        : {};
      return frameReply({ status: 'SUCCESS', ...users, ...userData });
    }
    case 'changeRole': {
      const role = textField(fields, 'extra');
      if (user) setRole(state, user, role);
      return frameReply({ status: 'SUCCESS', ...usersData(user, { roles: role, old_roles: null }) });
    }
    case 'update_password':
      if (user) setPassword(call, user, textField(fields, 'user_pass'));
      break;
    case 'delete':
      if (user) removeUser(call, user);
      break;
    default:
      return frameReply({ status: 'FAIL', ...userData });
  }
  return frameReply({ status: 'SUCCESS', ...userData });
}

function usersData(user: User | undefined, more?: Record<string, unknown>): Record<string, unknown> {
  const data = user && { user_id: String(user.id), display_name: user.displayName, roles: rolesOf(user).join(',') };
  return { other_data: { users_data: data || more ? { ...data, ...more } : [] } };
}

function setRole(state: SiteState, user: User, role: string): void {
  user.role = state.roles.includes(role) ? role : '';
  user.furtherRoles = [];
}

function editableUser(user: User): Record<string, unknown> {
  const { firstName: first, lastName: last } = user;
  const display: Record<string, string> = { display_nickname: user.nickname };
  if (first !== '') display['display_firstname'] = first;
  if (last !== '') display['display_lastname'] = last;
  if (first !== '' && last !== '') {
    display['display_firstlast'] = `${first} ${last}`;
    display['display_lastfirst'] = `${last} ${first}`;
  }
  return {
    role: user.role || false,
    first_name: first,
    last_name: last,
    nickname: user.nickname,
    public_display: display,
    display_name: user.displayName,
    user_email: user.email,
    user_url: editedUrl(user.url),
    description: user.description,
  };
}

/**
 * Edits a user. Ignores fields with the value `donotupdate` and, except for the role, empty fields. Returns an error
 * text with double escaping, as WordPress does.
 */
function updateUser(call: Call, user: User | undefined): string | undefined {
  const { state } = call;
  const extra = recordField(call.fields, 'extra');
  const value = (name: string): string | undefined => {
    const fieldText = textField(extra, name);
    return fieldText === '' || fieldText === 'donotupdate' ? undefined : fieldText;
  };
  const role =
    hasField(extra, 'role') && textField(extra, 'role') !== 'donotupdate' ? textField(extra, 'role') : undefined;
  if (role && !state.roles.includes(role)) return 'You can&#8217;t give users that role.';
  const email = value('email') ?? user?.email ?? '';
  if (email === '') return wordpressErrorText('Please enter an email address.');
  if (!/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email)) return wordpressErrorText('The email address isn&#8217;t correct.');
  if (findUserByEmail(state, email) !== user && findUserByEmail(state, email))
    return wordpressErrorText('This email is already registered, please choose another one.');
  const password = value('pass1');
  if (password !== value('pass2')) return wordpressErrorText('Please enter the same password in both password fields.');
  if (user === undefined) return undefined;
  const name = (field: string, before: string, empty = ''): string => {
    const fieldText = value(field);
    return fieldText === undefined ? before : storedName(fieldText) || empty;
  };
  user.email = email;
  user.firstName = name('first_name', user.firstName);
  user.lastName = name('last_name', user.lastName);
  user.nickname = name('nickname', user.nickname, user.login);
  user.displayName = name('display_name', user.displayName, user.login);
  user.url = storedUrl(value('url') ?? user.url);
  const description = value('description');
  if (description !== undefined) user.description = storedDescription(description);
  if (role !== undefined && (user !== call.user || role === 'administrator')) setRole(state, user, role);
  if (password !== undefined) setPassword(call, user, password);
  return undefined;
}

const wordpressErrorText = (what: string): string => ` &lt;strong&gt;ERROR&lt;/strong&gt;: ${what}`;

const accountsOf = ({ users, networkUsers }: SiteState): User[] => [...users, ...(networkUsers ?? [])];

const findUserByEmail = (state: SiteState, email: string): User | undefined =>
  accountsOf(state).find((user) => user.email.toLowerCase() === email.toLowerCase());

function setPassword(call: Call, user: User, password: string): void {
  user.password = password;
  user.lastPasswordChange = unixSecondsOf(call);
}

/**
 * Deletes a user and assigns the posts to the caller. If callers delete themselves, their posts keep the deleted
 * author's ID.
 */
function removeUser({ state, user: asking }: Call, user: User): void {
  if (state.networkUsers && state.users.includes(user))
    state.networkUsers.push({ ...user, role: '', furtherRoles: [] });
  state.users = state.users.filter((item) => item !== user);
  for (const post of state.posts.values()) if (post.authorId === user.id && asking) post.authorId = asking.id;
}

export function newUserFunction(call: Call): Reply {
  const { state, fields } = call;
  const record = parseBase64Record(textField(fields, 'new_user'));
  const login = textField(record, 'user_login');
  const email = textField(record, 'user_email');
  if (login === '') return frameReply({ error: 'Cannot create a user with an empty login name.' });
  if (findUser(state, login) !== undefined) return frameReply({ error: 'Sorry, that username already exists!' });
  if (email !== '' && findUserByEmail(state, email))
    return frameReply({ error: 'Sorry, that email address is already used!' });
  const asked = textField(record, 'role');
  const first = storedName(textField(record, 'first_name'));
  const last = storedName(textField(record, 'last_name'));
  const user = newUser({
    id: state.nextId.user,
    login,
    email,
    role: state.roles.includes(asked) ? asked : 'subscriber',
    registered: unixSecondsOf(call),
    password: textField(record, 'user_pass'),
    firstName: first,
    lastName: last,
    url: storedUrl(textField(record, 'user_url')),
    displayName: `${first} ${last}`.replace(/ +/g, ' ').trim() || login,
  });
  state.nextId.user += 1;
  state.users.push(user);
  const data = { user_id: user.id, display_name: user.displayName, roles: user.role };
  return frameReply({ added: true, other_data: { new_user_data: data } });
}

export function newAdminPassword(call: Call): Reply {
  const { user, fields } = call;
  if (user === undefined) return frameReply({ error: 'This is not valid user.' });
  setPassword(call, user, Buffer.from(textField(fields, 'new_password'), 'base64').toString('utf8'));
  const data = { display_name: user.displayName, user_id: user.id, roles: user.role };
  return frameReply({ added: true, other_data: { update_admin_password: data } });
}
