import type { SiteState, User } from './types.ts';

/** By login name, without regard to case; an e-mail address does not work (protocol 3.2). */
export function findUser(state: SiteState, login: string): User | undefined {
  const wanted = login.toLowerCase();
  return state.users.find((user) => user.login.toLowerCase() === wanted);
}

/**
 * `disconnect` and `deactivate`: the connection and the fixes made through it go; tokens and unique id stay (protocol
 * 2.9).
 */
export function clearConnection(state: SiteState): void {
  for (const flag of Object.values(state.hardening)) flag.fixed = false;
  state.connection = { publicKey: null, server: '', connectedAdmin: '', signAlgo: 0 };
}
