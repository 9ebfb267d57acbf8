import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Caller } from '../../shared/caller.ts';
import { MINUTE, type Clock } from '../../shared/clock.ts';
import type { IdempotencyStore } from '../../shared/idempotency-store.ts';

export const CONFIRMATION_TTL_MS = 5 * MINUTE;

export interface ConfirmationDeps {
  idempotencyStore: IdempotencyStore;
  clock: Clock;
  /** Returns a keyed hash. All processes of the service use the same key. */
  sign: (text: string) => string;
}

export type TokenRejection = 'unknown' | 'expired' | 'used';

export interface ConfirmedCall {
  caller: Caller;
  operation: string;
  input: object;
}

/**
 * Tokens that confirm a destructive call. A token is valid once, until it expires, and only for the caller, the
 * operation and the arguments of its preview. It is signed, so it is not stored until it is used. The use is recorded
 * in the database, so every process detects a second use.
 */
export class Confirmations {
  readonly #deps: ConfirmationDeps;

  constructor(deps: ConfirmationDeps) {
    this.#deps = deps;
  }

  createToken(call: ConfirmedCall): string {
    const expires = (this.#deps.clock.now() + CONFIRMATION_TTL_MS).toString(36);
    const nonce = randomBytes(12).toString('base64url');
    return [expires, nonce, this.#signature(call, expires, nonce)].join('.');
  }

  /**
   * Returns null if the token confirms the call. A repeat with the same idempotency key is confirmed again: it gets the
   * stored response and runs nothing.
   */
  async redeem(
    token: string,
    { idempotencyKey, ...call }: ConfirmedCall & { idempotencyKey: string | undefined },
  ): Promise<TokenRejection | null> {
    const [expires = '', nonce = '', proof = ''] = token.split('.');
    const expected = Buffer.from(this.#signature(call, expires, nonce));
    const actual = Buffer.from(proof);
    if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return 'unknown';
    if (this.#deps.clock.now() > Number.parseInt(expires, 36)) return 'expired';
    const { idempotencyStore: answers } = this.#deps;
    const claim = await answers.claim({
      owner: call.caller.credential,
      key: `mcp confirmation ${nonce}`,
      fingerprint: `${proof}\n${idempotencyKey ?? ''}`,
      isRepeatable: false,
    });
    if (claim.kind === 'secret' && idempotencyKey !== undefined) return null;
    if (claim.kind !== 'mine') return 'used';
    await answers.settle(claim.id, null);
    return null;
  }

  #signature({ caller, operation, input }: ConfirmedCall, expires: string, nonce: string): string {
    const said = [caller.userId, caller.credential, operation, expires, nonce, canonicalJson(input)];
    return this.#deps.sign(`mcp confirmation\n${said.join('\n')}`);
  }
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([name, each]) => `${JSON.stringify(name)}:${canonicalJson(each)}`).join(',')}}`;
}
