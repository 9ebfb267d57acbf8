import type { Knex } from 'knex';
import { lockForUpdate } from './dialect.ts';
import { readPrepared, writePrepared } from './prepared.ts';

/**
 * Subjects of in-memory caches, mostly caches of list results. A write that changes visible content of a subject
 * increments its revision.
 */
export const REVISION_SUBJECTS = ['sites', 'clients', 'tags', 'updates', 'abandoned', 'settings', 'changes'] as const;
export type RevisionSubject = (typeof REVISION_SUBJECTS)[number];

/** Increments revisions. Call this last in a transaction: all writers lock the same row until they commit. */
export async function bumpRevision(trx: Knex, ...subjects: RevisionSubject[]): Promise<void> {
  const places = subjects.map(() => '?').join(', ');
  await writePrepared(trx, `update revisions set value = value + 1 where name in (${places})`, subjects);
}

/**
 * Locks the revision of a subject until the end of the transaction. Transactions that call this first run one after the
 * other.
 */
export async function lockRevision(trx: Knex, subject: RevisionSubject): Promise<void> {
  await lockForUpdate(trx, trx('revisions').where({ name: subject }).select('value'));
}

/** Returns the sum of the revisions. Revisions only grow, so an equal sum means that none has changed. */
export async function readRevision(db: Knex, ...subjects: RevisionSubject[]): Promise<number> {
  const places = subjects.map(() => '?').join(', ');
  const rows = await readPrepared<{ value: number | string }>(
    db,
    `select value from \`revisions\` where name in (${places})`,
    subjects,
  );
  return rows.reduce((sum, { value }) => sum + Number(value), 0);
}

export function revisionColumn(db: Knex, subject: RevisionSubject, name: string): Knex.Raw {
  return db.raw('(select revisions.value from revisions where revisions.name = ?) as ??', [subject, name]);
}

/**
 * Reads the revision of subjects with one query at a time. Callers that arrive during a query share the next one, so
 * that each caller gets the result of a query that began after its call.
 */
export class RevisionReader {
  readonly #knex: Knex;
  readonly #subjects: readonly RevisionSubject[];
  #reading: Promise<number> | null = null;
  #upcoming: Promise<number> | null = null;

  constructor(knex: Knex, ...subjects: RevisionSubject[]) {
    this.#knex = knex;
    this.#subjects = subjects;
  }

  read(): Promise<number> {
    const begin = (): Promise<number> => {
      this.#upcoming = null;
      const look = readRevision(this.#knex, ...this.#subjects).finally(() => {
        if (this.#reading === look) this.#reading = null;
      });
      return (this.#reading = look);
    };
    const fail = (error: unknown): never => {
      this.#upcoming = null;
      throw error;
    };
    return this.#reading ? (this.#upcoming ??= this.#reading.then(begin, fail)) : begin();
  }
}

export interface RevisionCacheOptions<T> {
  /** Maximum weight of all results. The oldest results are removed first. */
  most?: number;
  /** Returns the weight of a result, such as its number of items. Without it, each result weighs 1. */
  weigh?: (result: T) => number;
}

interface Kept<T> {
  result: Promise<T>;
  weight: number;
}

/**
 * Caches computed list results, mostly exact totals. The key of a result is the revision of the subjects and a filter.
 * One caller computes a result while the others wait for it. A change by another process makes the cache invalid too,
 * because the revision is read from the database with each request. Callers share the results and must not change them.
 */
export class RevisionCache<T = number> {
  #revision = -1;
  #results = new Map<string, Kept<T>>();
  #weight = 0;
  readonly #most: number;
  readonly #weigh: (result: T) => number;
  readonly #reader: RevisionReader;

  constructor(
    knex: Knex,
    subjects: RevisionSubject | RevisionSubject[],
    { most = 500, weigh = () => 1 }: RevisionCacheOptions<T> = {},
  ) {
    this.#most = most;
    this.#weigh = weigh;
    this.#reader = new RevisionReader(knex, ...(typeof subjects === 'string' ? [subjects] : subjects));
  }

  /** `filter` is the key of the cached result. It must contain everything that `compute` depends on. */
  async get(filter: string, compute: () => Promise<T>): Promise<T> {
    return this.getAt(await this.#reader.read(), filter, compute);
  }

  /** True if a result is cached, possibly one of an earlier revision. */
  has(filter: string): boolean {
    return this.#results.has(filter);
  }

  getAt(known: number | string, filter: string, compute: () => Promise<T>): Promise<T> {
    const revision = Number(known);
    if (revision !== this.#revision) {
      this.#revision = revision;
      this.#results = new Map();
      this.#weight = 0;
    }
    return this.#results.get(filter)?.result ?? this.#keep(filter, compute());
  }

  #keep(filter: string, result: Promise<T>): Promise<T> {
    // A result that is still computed weighs nothing.
    const fresh = { result, weight: 0 };
    this.#results.set(filter, fresh);
    const isKept = (): boolean => this.#results.get(filter) === fresh;
    result.then(
      (value) => {
        if (!isKept()) return;
        fresh.weight = this.#weigh(value);
        this.#weight += fresh.weight;
        this.#removeOldest();
      },
      () => {
        if (isKept()) this.#results.delete(filter);
      },
    );
    return result;
  }

  #removeOldest(): void {
    for (const [filter, { weight }] of this.#results) {
      if (this.#weight <= this.#most) return;
      this.#results.delete(filter);
      this.#weight -= weight;
    }
  }
}
