import { randomBytes } from 'node:crypto';
import type { Caller } from '../../shared/caller.ts';
import type { IdempotencyStore, IdempotencyClaim } from '../../shared/idempotency-store.ts';
import { digestOf } from '../../shared/digest.ts';
import { isLimited } from '../../shared/site-scope.ts';
import type { McpDeps } from './mcp-deps.ts';
import { outputChunkAt, type OutputChunk } from './output-pages.ts';

const MAX_STORED_CHARACTERS = 4 * 1024 * 1024;

export interface OutputChunkWithCursor extends OutputChunk {
  /** Null on the last page, or if the response was not stored. */
  cursor: string | null;
}

/**
 * Returns long responses in pages. The whole response is stored encrypted in the store for idempotent calls. So any
 * process can return the next page, the call runs only once, and the pages are consistent.
 */
export class LongOutputs {
  readonly #store: IdempotencyStore;
  readonly #maxCharacters: number;
  readonly #scopeKey: McpDeps['scopeKey'];

  constructor({
    idempotencyStore,
    outputLimit,
    scopeKey,
  }: Pick<McpDeps, 'idempotencyStore' | 'outputLimit' | 'scopeKey'>) {
    this.#store = idempotencyStore;
    this.#maxCharacters = outputLimit;
    this.#scopeKey = scopeKey;
  }

  async firstPage(caller: Caller, answer: unknown): Promise<OutputChunkWithCursor> {
    const page = outputChunkAt(answer, 0, this.#maxCharacters);
    if (page.next === null || JSON.stringify(answer).length > MAX_STORED_CHARACTERS) return { ...page, cursor: null };
    const id = randomBytes(12).toString('base64url');
    const claim = await this.#claim(caller, id);
    if (claim.kind !== 'mine') return { ...page, cursor: null };
    await this.#store.settle(claim.id, { status: 200, body: answer });
    return { ...page, cursor: pageCursorOf(id, page.next) };
  }

  /**
   * Returns null if nothing is stored for the cursor, if it belongs to another caller, or if the sites of a limited
   * caller have changed.
   */
  async nextPage(caller: Caller, cursor: string): Promise<OutputChunkWithCursor | null> {
    const [, id, from] = /^([\w-]{16})\.(\d{1,9})$/.exec(cursor) ?? [];
    if (id === undefined) return null;
    const claim = await this.#claim(caller, id);
    // For an unknown ID, `#claim` creates an entry. `settle` ends it, so that it does not count as a running call.
    if (claim.kind === 'mine') await this.#store.settle(claim.id, null);
    if (claim.kind !== 'answered') return null;
    const page = outputChunkAt(claim.answer.body, Number(from), this.#maxCharacters);
    return { ...page, cursor: page.next === null ? null : pageCursorOf(id, page.next) };
  }

  async #claim({ credential, sites }: Caller, id: string): Promise<IdempotencyClaim> {
    const fingerprint = isLimited(sites) ? digestOf(`${id} ${await this.#scopeKey(sites)}`) : id;
    return this.#store.claim({ owner: credential, key: `mcp output ${id}`, fingerprint, isRepeatable: false });
  }
}

const pageCursorOf = (id: string, from: number): string => `${id}.${from}`;
