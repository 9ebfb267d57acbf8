import { randomBytes } from 'node:crypto';
import type { Caller } from '../../shared/caller.ts';
import type { AnswerStore, Claim } from '../../shared/repeated-calls.ts';
import { pageOf, type Page } from './pages.ts';

/** An answer that is longer is not kept: who needs it all asks for less at a time. */
const MOST_KEPT = 4 * 1024 * 1024;

export interface ShownPage extends Page {
  /** Goes on where the page ends; null where it is the last, or what follows cannot be asked for. */
  cursor: string | null;
}

/**
 * Answers that are too long to be shown at once. The whole is kept, sealed, among the answers of the caller, so that
 * any process goes on with it, nothing is done twice, and pages fit each other.
 */
export class LongOutputs {
  readonly #answers: AnswerStore;
  readonly #most: number;

  constructor(answers: AnswerStore, mostCharacters: number) {
    this.#answers = answers;
    this.#most = mostCharacters;
  }

  /** The first page; the rest is kept where there is one. */
  async begin(caller: Caller, answer: unknown): Promise<ShownPage> {
    const page = pageOf(answer, 0, this.#most);
    if (page.next === null || JSON.stringify(answer).length > MOST_KEPT) return { ...page, cursor: null };
    const id = randomBytes(12).toString('base64url');
    const claim = await this.#claim(caller, id);
    if (claim.kind !== 'mine') return { ...page, cursor: null };
    await this.#answers.settle(claim.id, { status: 200, body: answer });
    return { ...page, cursor: cursorOf(id, page.next) };
  }

  /** The page that a cursor names; null where nothing is kept for it, or it was given to somebody else. */
  async goOn(caller: Caller, cursor: string): Promise<ShownPage | null> {
    const [, id, from] = /^([\w-]{16})\.(\d{1,9})$/.exec(cursor) ?? [];
    if (id === undefined) return null;
    const claim = await this.#claim(caller, id);
    // Looking for it has taken its place.
    if (claim.kind === 'mine') await this.#answers.settle(claim.id, null);
    if (claim.kind !== 'answered') return null;
    const page = pageOf(claim.answer.body, Number(from), this.#most);
    return { ...page, cursor: page.next === null ? null : cursorOf(id, page.next) };
  }

  #claim({ credential }: Caller, id: string): Promise<Claim> {
    return this.#answers.claim({ owner: credential, key: `mcp output ${id}`, fingerprint: id, harmless: false });
  }
}

const cursorOf = (id: string, from: number): string => `${id}.${from}`;
