import type { Caller } from '../shared/caller.ts';
import type { CredentialCheck } from './ports.ts';

/**
 * Caches callers by their `Authorization` header, so that the header of a busy caller is not decoded and hashed at each
 * call. `CredentialCheck` decides at each call whether a caller is still allowed.
 */
export class RecentCallers {
  static readonly MAX = 1_000;
  readonly #check: CredentialCheck;
  readonly #callers = new Map<string, Caller>();

  constructor(check: CredentialCheck) {
    this.#check = check;
  }

  find(authorization: string | undefined): Caller | null {
    const caller = authorization === undefined ? undefined : this.#callers.get(authorization);
    if (!caller) return null;
    if (this.#check.isStillAllowed(caller)) return caller;
    this.#callers.delete(authorization as string);
    return null;
  }

  add(authorization: string | undefined, caller: Caller | undefined): void {
    if (authorization === undefined || !caller) return;
    if (this.#callers.size >= RecentCallers.MAX) this.#callers.clear();
    this.#callers.set(authorization, caller);
  }
}
