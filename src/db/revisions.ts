import type { Knex } from 'knex';
import { lockForUpdate, prepared } from './dialect.ts';

/**
 * Subjects of which something is kept in memory, of most what their lists computed; a write that changes what they show
 * bumps its subject.
 */
export const REVISION_SUBJECTS = ['sites', 'clients', 'tags', 'updates', 'abandoned', 'settings'] as const;
export type RevisionSubject = (typeof REVISION_SUBJECTS)[number];

/**
 * Last statement of a transaction that changed visible content: the row is hot, and is held for the shortest time so.
 */
export async function bumpRevision(trx: Knex, ...subjects: RevisionSubject[]): Promise<void> {
  await trx('revisions').whereIn('name', subjects).increment('value', 1);
}

/** First statement of a transaction that others of its like must wait for. */
export async function lockRevision(trx: Knex, subject: RevisionSubject): Promise<void> {
  await lockForUpdate(trx, trx('revisions').where({ name: subject }).select('value'));
}

export async function readRevision(db: Knex, subject: RevisionSubject): Promise<number> {
  const row = await prepared(db<{ name: string; value: number }>('revisions').where({ name: subject })).first('value');
  return Number(row?.value ?? 0);
}

/** A column that brings the revision along with rows: a round trip less than asking for it. */
export function revisionColumn(db: Knex, subject: RevisionSubject, name: string): Knex.Raw {
  return db.raw('(select revisions.value from revisions where revisions.name = ?) as ??', [subject, name]);
}

/**
 * One look at the revision of a subject at a time; who comes during one shares the next, which begins after all of them
 * have come.
 */
export class RevisionLook {
  readonly #knex: Knex;
  readonly #subject: RevisionSubject;
  #looking: Promise<number> | null = null;
  #upcoming: Promise<number> | null = null;

  constructor(knex: Knex, subject: RevisionSubject) {
    this.#knex = knex;
    this.#subject = subject;
  }

  now(): Promise<number> {
    const begin = (): Promise<number> => {
      this.#upcoming = null;
      const look = readRevision(this.#knex, this.#subject).finally(() => {
        if (this.#looking === look) this.#looking = null;
      });
      return (this.#looking = look);
    };
    const fail = (error: unknown): never => {
      this.#upcoming = null;
      throw error;
    };
    return this.#looking ? (this.#upcoming ??= this.#looking.then(begin, fail)) : begin();
  }
}

/** What `KeptByRevision.beside` adds to the rows of a list. */
export interface WithRevision {
  list_revision: number | string;
}

/**
 * What lists compute, kept instead of computed anew, an exact total above all: once per revision of its subject and
 * filter, by one caller while the others wait for it. It is good in every process, because the revision is read with
 * each request. What is kept is shared by its readers, who must not change it.
 */
export class KeptByRevision<T = number> {
  readonly #knex: Knex;
  readonly #subject: RevisionSubject;
  #revision = -1;
  #kept = new Map<string, Promise<T>>();
  readonly #most: number;
  readonly #look: RevisionLook;

  constructor(knex: Knex, subject: RevisionSubject, most = 500) {
    this.#knex = knex;
    this.#subject = subject;
    this.#most = most;
    this.#look = new RevisionLook(knex, subject);
  }

  /** What belongs to a filter. `filter` must tell apart everything that `compute` depends on. */
  async get(filter: string, compute: () => Promise<T>): Promise<T> {
    return this.at(await this.#look.now(), filter, compute);
  }

  /** The revision, along with the rows of a list. */
  beside(): Knex.Raw {
    return revisionColumn(this.#knex, this.#subject, 'list_revision');
  }

  /** The same where the revision is known already. */
  at(known: number | string, filter: string, compute: () => Promise<T>): Promise<T> {
    const revision = Number(known);
    if (revision !== this.#revision) {
      this.#revision = revision;
      this.#kept = new Map();
    }
    const all = this.#kept;
    const kept = all.get(filter);
    if (kept) return kept;
    if (all.size >= this.#most) all.clear();
    const fresh = compute();
    all.set(filter, fresh);
    // What failed is not kept.
    fresh.catch(() => all.delete(filter));
    return fresh;
  }
}
