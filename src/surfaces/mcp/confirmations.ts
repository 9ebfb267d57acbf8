import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Caller } from '../../shared/caller.ts';
import { MINUTE, type Clock } from '../../shared/clock.ts';
import type { IdempotencyStore } from '../../shared/idempotency-store.ts';

/** Time for which a confirmation token is valid. */
export const CONFIRM_WITHIN = 5 * MINUTE;

export interface ConfirmationParts {
  answers: IdempotencyStore;
  clock: Clock;
  /** Returns a keyed hash. All processes of the service use the same key. */
  sign: (text: string) => string;
}

/** Reason for which a token is rejected. */
export type Fault = 'unknown' | 'expired' | 'used';

/**
 * Tokens that confirm a destructive call. A token is valid once, until it expires, and only for the caller, the ability
 * and the arguments of its preview. It is signed and not stored before its use. The use is recorded in the database, so
 * every process detects a second one.
 */
export class Confirmations {
  readonly #parts: ConfirmationParts;

  constructor(deps: ConfirmationParts) {
    this.#parts = deps;
  }

  token(caller: Caller, ability: string, input: object): string {
    const expires = (this.#parts.clock.now() + CONFIRM_WITHIN).toString(36);
    const nonce = randomBytes(12).toString('base64url');
    return [expires, nonce, this.#proof(caller, ability, input, expires, nonce)].join('.');
  }

  /** Uses a token. Returns the reason if it is rejected, or null. */
  async spend(token: string, caller: Caller, ability: string, input: object): Promise<Fault | null> {
    const [expires = '', nonce = '', proof = ''] = token.split('.');
    const expected = Buffer.from(this.#proof(caller, ability, input, expires, nonce));
    const actual = Buffer.from(proof);
    if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return 'unknown';
    if (this.#parts.clock.now() > Number.parseInt(expires, 36)) return 'expired';
    const { answers } = this.#parts;
    const key = `mcp confirmation ${nonce}`;
    const claim = await answers.claim({ owner: caller.credential, key, fingerprint: proof, isRepeatable: false });
    if (claim.kind !== 'mine') return 'used';
    await answers.settle(claim.id, null);
    return null;
  }

  #proof(caller: Caller, ability: string, input: object, expires: string, nonce: string): string {
    const said = [caller.userId, caller.credential, ability, expires, nonce, canonical(input)];
    return this.#parts.sign(`mcp confirmation\n${said.join('\n')}`);
  }
}

/** Serializes arguments with sorted keys, so that equal arguments give the same text. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join(',')}}`;
}
