import type { SiteState, User } from './site-state.ts';

/** Finds a user by login, ignoring case. An email address finds no user (protocol 3.2). */
export function findUser(state: SiteState, login: string): User | undefined {
  const wanted = login.toLowerCase();
  return state.users.find((user) => user.login.toLowerCase() === wanted);
}

/**
 * Removes the connection and the security fixes that were made through it, for `disconnect` and `deactivate`. Tokens
 * and the unique ID are kept (protocol 2.9).
 */
export function clearConnection(state: SiteState): void {
  for (const flag of Object.values(state.hardening)) flag.fixed = false;
  state.connection = { publicKey: null, server: '', connectedAdmin: '', signAlgo: 0 };
}
