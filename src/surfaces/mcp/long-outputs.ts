import { randomBytes } from 'node:crypto';
import type { Caller } from '../../shared/caller.ts';
import type { IdempotencyStore, IdempotencyClaim } from '../../shared/idempotency-store.ts';
import { digestOf } from '../../shared/digest.ts';
import { isLimited } from '../../shared/site-scope.ts';
import type { McpDeps } from './mcp-deps.ts';
import { outputPagesOf, type OutputPage } from './output-pages.ts';

const MAX_STORED_CHARACTERS = 4 * 1024 * 1024;
/** Number of pages that are stored together. Each page decrypts the pages that are stored with it. */
const PAGES_A_BLOCK = 10;

export interface OutputChunkWithCursor {
  text: string;
  /** JSON value of the page. If the JSON text of the response was split, it is the text of the page. */
  value: unknown;
  range: string | null;
  isLast: boolean;
  /** Null on the last page, or if the response was not stored. */
  cursor: string | null;
}

interface StoredPages {
  pages: OutputPage[];
  /** Number of pages of the whole response. */
  total: number;
}

/**
 * Returns long responses in pages. The pages are stored encrypted in the store for idempotent calls. So any process can
 * return the next page, the call runs only once, and the pages are consistent.
 */
export class LongOutputs {
  readonly #answers: IdempotencyStore;
  readonly #maxCharacters: number;
  readonly #scopeKey: McpDeps['scopeKey'];

  constructor({
    idempotencyStore,
    outputLimit,
    scopeKey,
  }: Pick<McpDeps, 'idempotencyStore' | 'outputLimit' | 'scopeKey'>) {
    this.#answers = idempotencyStore;
    this.#maxCharacters = outputLimit;
    this.#scopeKey = scopeKey;
  }

  async firstPage(caller: Caller, answer: unknown): Promise<OutputChunkWithCursor> {
    const pages = await outputPagesOf(answer, this.#maxCharacters);
    const [first] = pages;
    if (!first) throw new Error('a response has at least one page');
    const isLong = pages.length > 1;
    const id = isLong ? await this.#store(caller, pages) : null;
    return { ...contentOf(first), isLast: !isLong, cursor: id === null ? null : pageCursorOf(id, 1) };
  }

  /** Returns null if the pages are too long to be stored. */
  async #store(caller: Caller, pages: readonly OutputPage[]): Promise<string | null> {
    if (pages.reduce((sum, { text }) => sum + text.length, 0) > MAX_STORED_CHARACTERS) return null;
    const id = randomBytes(12).toString('base64url');
    for (let block = 0; block * PAGES_A_BLOCK < pages.length; block++) {
      const claim = await this.#claim(caller, blockKeyOf(id, block));
      if (claim.kind !== 'mine') return null;
      const first = block * PAGES_A_BLOCK;
      const body: StoredPages = { pages: pages.slice(first, first + PAGES_A_BLOCK), total: pages.length };
      await this.#answers.settle(claim.id, { status: 200, body });
    }
    return id;
  }

  /**
   * Returns null if nothing is stored for the cursor, if it belongs to another caller, or if a limited caller can now
   * access other sites than before.
   */
  async nextPage(caller: Caller, cursor: string): Promise<OutputChunkWithCursor | null> {
    const [, id, place] = /^([\w-]{16})\.(\d{1,9})$/.exec(cursor) ?? [];
    if (id === undefined) return null;
    const index = Number(place);
    const claim = await this.#claim(caller, blockKeyOf(id, Math.floor(index / PAGES_A_BLOCK)));
    // For an unknown ID, `#claim` creates an entry. `settle` ends it, so that it does not count as a running call.
    if (claim.kind === 'mine') await this.#answers.settle(claim.id, null);
    if (claim.kind !== 'answered') return null;
    const { pages, total } = claim.answer.body as StoredPages;
    const page = pages[index % PAGES_A_BLOCK];
    if (!page) return null;
    const isLast = index + 1 >= total;
    return { ...contentOf(page), isLast, cursor: isLast ? null : pageCursorOf(id, index + 1) };
  }

  async #claim({ credential, sites }: Caller, id: string): Promise<IdempotencyClaim> {
    const fingerprint = isLimited(sites) ? digestOf(`${id} ${await this.#scopeKey(sites)}`) : id;
    return this.#answers.claim({ owner: credential, key: `mcp output ${id}`, fingerprint, isRepeatable: false });
  }
}

const contentOf = ({ text, isJson, range }: OutputPage) => ({
  text,
  value: isJson ? (JSON.parse(text) as unknown) : text,
  range,
});

const blockKeyOf = (id: string, block: number): string => `${id} ${block}`;

const pageCursorOf = (id: string, index: number): string => `${id}.${index}`;
