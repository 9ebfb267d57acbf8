import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Caller } from '../../shared/caller.ts';
import { MINUTE, type Clock } from '../../shared/clock.ts';
import type { AnswerStore } from '../../shared/repeated-calls.ts';

/** How long what was previewed may be confirmed. */
export const CONFIRM_WITHIN = 5 * MINUTE;

export interface ConfirmationParts {
  answers: AnswerStore;
  clock: Clock;
  /** A keyed hash, the same in every process of the service. */
  sign: (text: string) => string;
}

/** Why a token does not count. */
export type Fault = 'unknown' | 'expired' | 'used';

/**
 * Tokens that confirm one call: by the caller that they were given to, of the ability and with the arguments that were
 * previewed, once, and soon. A token carries its own proof, and spending it leaves a row that all processes see.
 */
export class Confirmations {
  readonly #parts: ConfirmationParts;

  constructor(parts: ConfirmationParts) {
    this.#parts = parts;
  }

  token(caller: Caller, ability: string, input: object): string {
    const expires = (this.#parts.clock.now() + CONFIRM_WITHIN).toString(36);
    const nonce = randomBytes(12).toString('base64url');
    return [expires, nonce, this.#proof(caller, ability, input, expires, nonce)].join('.');
  }

  /** Spends a token; what is wrong with it, if anything. */
  async spend(token: string, caller: Caller, ability: string, input: object): Promise<Fault | null> {
    const [expires = '', nonce = '', proof = ''] = token.split('.');
    const expected = Buffer.from(this.#proof(caller, ability, input, expires, nonce));
    const actual = Buffer.from(proof);
    if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return 'unknown';
    if (this.#parts.clock.now() > Number.parseInt(expires, 36)) return 'expired';
    const { answers } = this.#parts;
    const key = `mcp confirmation ${nonce}`;
    const claim = await answers.claim({ owner: caller.credential, key, fingerprint: proof, harmless: false });
    if (claim.kind !== 'mine') return 'used';
    await answers.settle(claim.id, null);
    return null;
  }

  #proof(caller: Caller, ability: string, input: object, expires: string, nonce: string): string {
    const said = [caller.userId, caller.credential, ability, expires, nonce, canonical(input)];
    return this.#parts.sign(`mcp confirmation\n${said.join('\n')}`);
  }
}

/** The same text for the same arguments, in whatever order they come. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join(',')}}`;
}
