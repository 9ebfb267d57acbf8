import { base64Record, commaList, has, record, text, truthy, unslash } from '../protocol/form.ts';
import { answer, type Reply } from '../protocol/reply.ts';
import { newUser } from '../state/generate-content.ts';
import type { SiteState, User } from '../state/types.ts';
import { seconds, type Call } from './call.ts';
import { userEntry } from './content-views.ts';
import { findUser } from '../state/connection.ts';

/** Users (protocol 4.6). */

const ROLES = new Set(['administrator', 'editor', 'author', 'contributor', 'subscriber']);

export function getAllUsers({ state, fields }: Call): Reply {
  const roles = commaList(text(fields, 'role'));
  const users = sorted(state).filter((user) => roles.includes(user.role));
  return answer(users.map((user) => userEntry(state, user, true)));
}

export function searchUsers({ state, fields }: Call): Reply {
  const roles = commaList(text(fields, 'role'));
  const columns = commaList(text(fields, 'search_columns'));
  const pattern = wildcard(text(fields, 'search'));
  const users = sorted(state).filter((user) => {
    const values: Record<string, string> = {
      user_login: user.login,
      display_name: user.displayName,
      user_email: user.email,
    };
    const found = (columns.length === 0 ? Object.keys(values) : columns).some((name) =>
      pattern.test(values[name] ?? ''),
    );
    return found && (roles.length === 0 || roles.includes(user.role));
  });
  return answer(users.map((user) => userEntry(state, user, true)));
}

/** `*` at either end stands for anything; without it the whole value is meant. */
function wildcard(search: string): RegExp {
  const source = search
    .split('*')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${source}$`, 'i');
}

function sorted(state: SiteState): User[] {
  return [...state.users].sort((left, right) => (left.login < right.login ? -1 : 1));
}

export function userAction(call: Call): Reply {
  const { state, fields } = call;
  const action = text(fields, 'action');
  const user = state.users.find((item) => item.id === Number(text(fields, 'id')));
  if (user === undefined) return answer({ status: 'FAIL', other_data: { users_data: [] } });
  let roleBefore: Record<string, unknown> = {};
  switch (action) {
    case 'edit':
      return answer({ user_data: editableUser(user), status: 'SUCCESS', ...usersData(user) });
    case 'update_user': {
      const mistake = updateUser(call, user);
      if (mistake !== undefined) return answer({ error: mistake, ...usersData(user) });
      const users = truthy(fields['optimize'])
        ? { users: sorted(state).map((item) => userEntry(state, item, false)) }
        : {};
      return answer({ status: 'SUCCESS', ...users, ...usersData(user) });
    }
    case 'changeRole':
      user.role = text(fields, 'extra');
      roleBefore = { old_roles: null };
      break;
    case 'update_password':
      setPassword(call, user, text(fields, 'user_pass'));
      break;
    case 'delete':
      removeUser(call, user);
      break;
    default:
      return answer({ status: 'FAIL', ...usersData(user) });
  }
  return answer({ status: 'SUCCESS', ...usersData(user, roleBefore) });
}

function usersData(user: User, more: Record<string, unknown> = {}): Record<string, unknown> {
  const data = { user_id: String(user.id), display_name: user.displayName, roles: user.role, ...more };
  return { other_data: { users_data: data } };
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
    role: user.role,
    first_name: first,
    last_name: last,
    nickname: user.nickname,
    public_display: display,
    display_name: user.displayName,
    user_email: user.email,
    user_url: user.url,
    description: user.description,
  };
}

/** Empty values (the role excepted) and `donotupdate` are passed over. A mistake comes doubly escaped, as WordPress leaves it. */
function updateUser(call: Call, user: User): string | undefined {
  const extra = record(call.fields, 'extra');
  const value = (name: string): string | undefined => {
    const given = text(extra, name);
    return given === '' || given === 'donotupdate' ? undefined : given;
  };
  const email = value('email');
  if (email !== undefined && !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email)) {
    return ' &lt;strong&gt;ERROR&lt;/strong&gt;: The email address isn&#8217;t correct.';
  }
  const password = value('pass1');
  if (password !== value('pass2')) {
    return ' &lt;strong&gt;ERROR&lt;/strong&gt;: Passwords don&#8217;t match. Please enter the same password in both password fields.';
  }
  user.email = email ?? user.email;
  user.firstName = value('first_name') ?? user.firstName;
  user.lastName = value('last_name') ?? user.lastName;
  user.nickname = value('nickname') ?? user.nickname;
  user.displayName = value('display_name') ?? user.displayName;
  user.url = value('url') ?? user.url;
  user.description = value('description') ?? user.description;
  if (has(extra, 'role') && text(extra, 'role') !== 'donotupdate') user.role = text(extra, 'role');
  if (password !== undefined) setPassword(call, user, password);
  return undefined;
}

function setPassword(call: Call, user: User, password: string): void {
  user.password = password;
  user.lastPasswordChange = seconds(call);
}

/** The posts of a deleted user pass to the connected administrator. */
function removeUser({ state }: Call, user: User): void {
  const heir = findUser(state, state.connection.connectedAdmin)?.id ?? 1;
  state.users = state.users.filter((item) => item !== user);
  for (const post of state.posts.values()) if (post.authorId === user.id) post.authorId = heir;
}

export function newUserFunction(call: Call): Reply {
  const { state, fields } = call;
  const given = base64Record(text(fields, 'new_user'));
  const login = text(given, 'user_login');
  const email = text(given, 'user_email');
  if (login === '') return answer({ error: 'Cannot create a user with an empty login name.' });
  if (findUser(state, login) !== undefined) return answer({ error: 'Sorry, that username already exists!' });
  if (email !== '' && state.users.some((user) => user.email.toLowerCase() === email.toLowerCase())) {
    return answer({ error: 'Sorry, that email address is already used!' });
  }
  const asked = text(given, 'role');
  // WordPress takes one level of backslashes off what it inserts (protocol 1.4).
  const first = unslash(text(given, 'first_name'));
  const last = unslash(text(given, 'last_name'));
  const user = newUser({
    id: state.nextId.user,
    login,
    email,
    role: ROLES.has(asked) ? asked : 'subscriber',
    registered: seconds(call),
    password: text(given, 'user_pass'),
    firstName: first,
    lastName: last,
    url: text(given, 'user_url'),
    displayName: `${first} ${last}`.trim() || login,
  });
  state.nextId.user += 1;
  state.users.push(user);
  const data = { user_id: user.id, display_name: user.displayName, roles: user.role };
  return answer({ added: true, other_data: { new_user_data: data } });
}

/** Changes the password of the user who is logged in. */
export function newAdminPassword(call: Call): Reply {
  const { user, fields } = call;
  if (user === undefined) return answer({ error: 'This is not valid user.' });
  setPassword(call, user, Buffer.from(text(fields, 'new_password'), 'base64').toString('utf8'));
  const data = { display_name: user.displayName, user_id: user.id, roles: user.role };
  return answer({ added: true, other_data: { update_admin_password: data } });
}
