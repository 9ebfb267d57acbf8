import type { Knex } from 'knex';
import { lockForUpdate } from './dialect.ts';

/** Subjects whose lists keep their totals; a write that changes what such a list shows bumps its subject. */
export const REVISION_SUBJECTS = ['sites', 'clients', 'tags', 'updates', 'abandoned'] as const;
export type RevisionSubject = (typeof REVISION_SUBJECTS)[number];

/** Last statement of a transaction that changed visible content: the row is hot, and is held for the shortest time so. */
export async function bumpRevision(trx: Knex, ...subjects: RevisionSubject[]): Promise<void> {
  await trx('revisions').whereIn('name', subjects).increment('value', 1);
}

/** First statement of a transaction that others of its like must wait for. */
export async function lockRevision(trx: Knex, subject: RevisionSubject): Promise<void> {
  await lockForUpdate(trx, trx('revisions').where({ name: subject }).select('value'));
}

export async function readRevision(db: Knex, subject: RevisionSubject): Promise<number> {
  const row = await db<{ name: string; value: number }>('revisions').where({ name: subject }).first('value');
  return Number(row?.value ?? 0);
}

/** What `KeptTotals.beside` adds to the rows of a list. */
export interface WithRevision {
  list_revision: number | string;
}

/**
 * Exact totals that are kept, not counted: a total is computed once per revision of its subject and filter, by one caller
 * while the others wait for it, and is good in every process because the revision is read with each request.
 */
export class KeptTotals<T = number> {
  readonly #knex: Knex;
  readonly #subject: RevisionSubject;
  #revision = -1;
  #totals = new Map<string, Promise<T>>();
  static readonly MAX_FILTERS = 500;

  constructor(knex: Knex, subject: RevisionSubject) {
    this.#knex = knex;
    this.#subject = subject;
  }

  /** The total for a filter. `filter` must tell apart everything that `compute` depends on. */
  async get(filter: string, compute: () => Promise<T>): Promise<T> {
    return this.at(await readRevision(this.#knex, this.#subject), filter, compute);
  }

  /** A column that brings the revision along with the rows of a list: a round trip less than asking for it. */
  beside(): Knex.Raw {
    return this.#knex.raw('(select revisions.value from revisions where revisions.name = ?) as list_revision', [
      this.#subject,
    ]);
  }

  /** The same where the revision is known already. */
  at(known: number | string, filter: string, compute: () => Promise<T>): Promise<T> {
    const revision = Number(known);
    if (revision !== this.#revision) {
      this.#revision = revision;
      this.#totals = new Map();
    }
    const totals = this.#totals;
    const kept = totals.get(filter);
    if (kept) return kept;
    if (totals.size >= KeptTotals.MAX_FILTERS) totals.clear();
    const fresh = compute();
    totals.set(filter, fresh);
    // A failed count is not kept.
    fresh.catch(() => totals.delete(filter));
    return fresh;
  }
}
