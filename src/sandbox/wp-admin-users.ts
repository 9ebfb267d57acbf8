import { appendChange } from './operations/logs.ts';
import { newUser } from './state/generate-content.ts';
import type { SiteState, User } from './state/site-state.ts';

/**
 * This file simulates actions on users and settings in wp-admin, and their entries in the changes log (recorded from a
 * real site).
 */

const capitalizeRole = (role: string): string => role.charAt(0).toUpperCase() + role.slice(1);

const userDataForLog = (user: User, roles = user.role): Record<string, string> => ({
  username: user.login,
  firstname: user.firstName,
  lastname: user.lastName,
  userroles: roles,
});

/** Creates a user in wp-admin. The log first records the user without a role, then the role in a second entry. */
export function createUser(state: SiteState, login: string, role: string, by: string, now: number): void {
  const id = state.nextId.user;
  state.nextId.user += 1;
  const user = newUser({ id, login, email: `${login}@site.test`, role, registered: Math.floor(now) });
  state.users.push(user);
  const meta = { newuserid: String(user.id), newuserdata: userDataForLog(user, '') };
  appendChange(state, now, { typeId: 1610, context: 'user', action: 'created', login: by, meta });
  logRole(state, user, '', by, now);
}

export function changeRole(state: SiteState, user: User, role: string, by: string, now: number): void {
  const old = user.role;
  user.role = role;
  logRole(state, user, capitalizeRole(old), by, now);
}

function logRole(state: SiteState, user: User, oldrole: string, by: string, now: number): void {
  const meta = {
    changeuserid: String(user.id),
    changeusername: user.login,
    oldrole,
    newrole: capitalizeRole(user.role),
    firstname: user.firstName,
    lastname: user.lastName,
    changeuserdata: userDataForLog(user, capitalizeRole(user.role)),
    multisite_blog: '',
  };
  appendChange(state, now, { typeId: 1615, context: 'user', action: 'modified', login: by, meta });
}

export function changePassword(state: SiteState, user: User, password: string, by: string, now: number): void {
  user.password = password;
  const meta = { changeuserid: String(user.id), changeuserdata: userDataForLog(user, capitalizeRole(user.role)) };
  appendChange(state, now, { typeId: 1630, context: 'user', action: 'modified', login: by, meta });
}

export function deleteUser(state: SiteState, user: User, by: string, now: number): void {
  state.users = state.users.filter((item) => item !== user);
  const meta = { changeuserid: String(user.id), changeuserdata: userDataForLog(user) };
  appendChange(state, now, { typeId: 1645, context: 'user', action: 'deleted', login: by, meta });
}

export function changeSetting(
  state: SiteState,
  setting: { typeId: number; action: string; meta?: Record<string, string> },
  by: string,
  now: number,
): void {
  const { typeId, action, meta = {} } = setting;
  appendChange(state, now, { typeId, context: 'system-setting', action, login: by, meta });
}
