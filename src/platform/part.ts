import type { Knex } from 'knex';
import type { ChildStats } from '../connector/child-site.ts';
import type { RevisionSubject } from '../db/revisions.ts';
import type { TransactionScope } from '../db/transaction.ts';
import type { AnyJobKind } from '../queue/index.ts';
import type { Requester } from '../shared/requester.ts';
import type { DeletionCount } from '../shared/deletion-effects.ts';

/**
 * Section of the sync data, stored by the domain that owns it. It is written only if its hash differs from the hash of
 * the stored section.
 */
export interface SyncSection<T = unknown, Patch extends object = object> {
  readonly name: string;
  readonly subjects: readonly RevisionSubject[];
  /**
   * Table in which every site has rows. If a site has none, for example after a restore of some tables, the section is
   * stored again although its hash is unchanged.
   */
  readonly table?: string;
  /** Returns the value in a canonical form. Undefined if the child did not send it: the stored value then stays. */
  read(stats: ChildStats): T | undefined;
  /**
   * Replaces the stored values of some sites, where possible with the same statements for all of them. Each returned
   * patch, by site ID, is written to the row of the site in `site_states`.
   */
  write(trx: Knex.Transaction, values: readonly NewSectionValue<T>[]): Promise<ReadonlyMap<number, Patch> | void>;
}

/** Value of a section that differs from the stored value of the site. Each site has at most one in a call. */
export interface NewSectionValue<T> {
  site: { id: number; urlKey: string };
  value: T;
  now: number;
  /** True if the site has no stored value, so that it can be inserted without reading. */
  isFirst: boolean;
}

/** Runs when whole syncs of sites are stored, in the same transaction. Does not run for the first sync of a site. */
export interface ReportHook {
  run: (trx: Knex.Transaction, reports: ReadonlyMap<number, ChildStats>) => Promise<void>;
  /**
   * Returns the rows that wait for a report. While a site has such rows, a report is read even if it is equal to the
   * last one.
   */
  waiting: () => WaitingRows;
}

/** Rows of a site (`site_id`) that meet a condition in SQL with bound values. */
export interface WaitingRows {
  table: string;
  condition: string;
  bindings: readonly (string | number)[];
}

/** Deletes the part's data of a site, in the transaction that deletes the site, while its record still exists. */
export type SiteDeletedHook = (trx: Knex.Transaction, siteId: number) => Promise<void>;

/** Runs in the transaction that deletes the client, while its record still exists. */
export type ClientDeletedHook = (trx: Knex.Transaction, clientId: number) => Promise<void>;

export type ClientMailChangedHook = (trx: Knex.Transaction, clientId: number, by: Requester) => Promise<void>;

/** `pattern` is a cron pattern of five fields, or several joined by `|`. `timeZone` is an IANA name or `UTC`. */
export interface CronTiming {
  pattern: string;
  timeZone: string;
}

/** A run is recorded and its job is queued in one transaction, so that the run happens once or not at all. */
export interface ScheduleRun {
  scope: TransactionScope;
  /** In milliseconds since 1970. For a run on request, this is the current time. */
  dueAt: number;
  /** Start of the run before this one, in milliseconds since 1970; null if there was none. */
  lastRunAt: number | null;
  requestedBy: Requester;
  onRequest: boolean;
}

export interface Schedule {
  readonly name: string;
  /** The schedule is off while this module is off. Default: no module. */
  readonly module?: string;
  readonly description: string;
  /** Returns the timing from the current settings, or null if the schedule is off. */
  timing(): CronTiming | null;
  /** Queues the job of a run and returns its ID. Returns null if there is nothing to do. */
  begin(run: ScheduleRun): Promise<string | null>;
}

/** Deletes old rows. One job per day runs the retentions of all parts. */
export interface Retention {
  readonly name: string;
  /** Deletes a small batch, so that no query waits for long. Returns the number of rows, 0 if nothing is left. */
  prune(): Promise<number>;
}

export interface Metric {
  name: string;
  help: string;
  /** A counter never decreases while the process runs. Default: `gauge`. */
  kind?: 'gauge' | 'counter';
  read: () => number;
}

export interface PartDefinition<Own extends object> {
  name: string;
  own: Own;
  jobs?: readonly AnyJobKind[];
  sections?: readonly SyncSection[];
  onReport?: readonly ReportHook[];
  onSiteDeleted?: readonly SiteDeletedHook[];
  onClientDeleted?: readonly ClientDeletedHook[];
  /** Rows that a preview of a deletion counts. Hooks and foreign keys delete or change them. */
  deletionCounts?: readonly DeletionCount[];
  onClientMailChanged?: readonly ClientMailChangedHook[];
  schedules?: readonly Schedule[];
  retentions?: readonly Retention[];
  metrics?: readonly Metric[];
  /** Runs after the migrations and before any job. `alone` is true if no other process uses the database. */
  start?: (options: { alone: boolean }) => Promise<void>;
  /** Stops new work. Runs before the service waits for running jobs. */
  drain?: () => Promise<void> | void;
  /** Runs when no job is running any more. */
  stop?: () => Promise<void> | void;
}

export type Part<Own extends object = object> = Required<PartDefinition<Own>>;

export type OwnOf<Make extends (...needs: never[]) => Part> = ReturnType<Make>['own'];

export const definePart = <Own extends object>(brings: PartDefinition<Own>): Part<Own> => ({
  jobs: [],
  sections: [],
  onReport: [],
  onSiteDeleted: [],
  onClientDeleted: [],
  deletionCounts: [],
  onClientMailChanged: [],
  schedules: [],
  retentions: [],
  metrics: [],
  start: async () => undefined,
  drain: () => undefined,
  stop: () => undefined,
  ...brings,
});

type PartListName = Exclude<keyof PartDefinition<object>, 'name' | 'own' | 'start' | 'drain' | 'stop'>;

export class Parts {
  readonly #parts: Part[] = [];
  /** Cache of the joined lists of all parts, because a sync reads some of them for each site. */
  readonly #lists = new Map<PartListName, readonly unknown[]>();

  add<Own extends object>(added: Part<Own>): Own {
    this.#parts.push(added);
    this.#lists.clear();
    return added.own;
  }

  all<Sort extends PartListName>(sort: Sort): readonly Part[Sort][number][] {
    const known = this.#lists.get(sort) ?? this.#parts.flatMap((each): readonly unknown[] => each[sort]);
    this.#lists.set(sort, known);
    return known as Part[Sort][number][];
  }

  async start(options: { alone: boolean }): Promise<void> {
    for (const each of this.#parts) await each.start(options);
  }

  async drain(): Promise<void> {
    for (const each of this.#parts.toReversed()) await each.drain();
  }

  async stop(): Promise<void> {
    for (const each of this.#parts.toReversed()) await each.stop();
  }
}
