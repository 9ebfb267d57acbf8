import type { Knex } from 'knex';
import type { ChildStats } from '../connector/child-site.ts';
import type { RevisionSubject } from '../db/revisions.ts';
import type { Scope } from '../db/transaction.ts';
import type { AnyJobKind } from '../queue/index.ts';

/**
 * One part of what a sync brings, kept by the domain that knows it. A section whose value equals the stored one, by
 * hash, is not written.
 */
export interface SyncSection<T = unknown, Patch extends object = object> {
  readonly name: string;
  /** Lists whose content a changed value changes. */
  readonly subjects: readonly RevisionSubject[];
  /** The value in a canonical form; undefined when the child did not send it, and what is stored stays. */
  read(stats: ChildStats): T | undefined;
  /** Replaces what is stored for this site; may add to the site's own state. */
  write(
    trx: Knex.Transaction,
    site: { id: number; urlKey: string },
    value: T,
    writing: SectionWriteContext,
  ): Promise<Patch | void>;
}

/** Of one section of one site. */
export interface SectionWriteContext {
  /** Milliseconds since 1970. */
  now: number;
  /** Nothing is stored of it, so that there is nothing to read. */
  isFirst: boolean;
}

/** Drops what a part keeps of a site, in the transaction that deletes the site. */
export type SiteDeletedHook = (trx: Knex.Transaction, siteId: number) => Promise<void>;

/** Settles what a part keeps of a client, in the transaction that deletes the client, while its record is there. */
export type ClientDeletedHook = (trx: Knex.Transaction, clientId: number) => Promise<void>;

/**
 * When a schedule runs: a cron pattern of five fields, or several with `|` between them, read in a time zone (an IANA
 * name, or UTC).
 */
export interface CronTiming {
  pattern: string;
  timeZone: string;
}

/** One run of a schedule, begun in the transaction that puts down that it has begun: it happens once, or not at all. */
export interface ScheduleRun {
  scope: Scope;
  /** When the run was due, in milliseconds since 1970; for a run that was asked for, now. */
  dueAt: number;
  /** Who the job says has asked for it. */
  requestedBy: string;
}

/** Work that begins by itself. */
export interface Schedule {
  /** As callers read it, in words joined by dashes. */
  readonly name: string;
  /** The module that it belongs to, while which is off it rests; none, unless given. */
  readonly module?: string;
  /** What a run does, as one sentence for callers. */
  readonly description: string;
  /** As the settings have it at this moment; null while it rests. */
  timing(): CronTiming | null;
  /** Queues the job of a run, and returns its id; null when there is nothing to do. */
  begin(run: ScheduleRun): Promise<string | null>;
}

/** What a part forgets with time; one job a day prunes all of it. */
export interface Retention {
  /** As callers read it, in words joined by dashes. */
  readonly name: string;
  /** Deletes some of what is too old, so few that nobody waits for it, and says how many; 0 when nothing is left. */
  prune(): Promise<number>;
}

/** A number that Prometheus is told, read when it asks. */
export interface Metric {
  name: string;
  help: string;
  read: () => number;
}

/** What a part brings to the service. All but its name may be left out. */
export interface PartDefinition<Own extends object> {
  /** The name of its folders. */
  name: string;
  /** What others may ask of it. */
  own: Own;
  /** Kinds of jobs. */
  jobs?: readonly AnyJobKind[];
  /** What it keeps of what a sync brings. */
  sections?: readonly SyncSection[];
  /** Runs in the transaction that deletes a site, and drops what the part keeps of it. */
  onSiteDeleted?: readonly SiteDeletedHook[];
  /** Runs in the transaction that deletes a client, before its record goes. */
  onClientDeleted?: readonly ClientDeletedHook[];
  /** Work that begins by itself. */
  schedules?: readonly Schedule[];
  retentions?: readonly Retention[];
  metrics?: readonly Metric[];
  /** Runs after the migrations and before any job. `alone` says that no other process works on the database. */
  start?: (options: { alone: boolean }) => Promise<void>;
  /** Begins nothing more from now on; before the jobs under way are waited for. */
  drain?: () => Promise<void> | void;
  /** Runs when no job is under way any more. */
  stop?: () => Promise<void> | void;
}

export type Part<Own extends object = object> = Required<PartDefinition<Own>>;

/** Services of a part, inferred from the function that makes it. */
export type OwnOf<Make extends (...needs: never[]) => Part> = ReturnType<Make>['own'];

/** A part with all that it leaves out filled in. */
export const definePart = <Own extends object>(brings: PartDefinition<Own>): Part<Own> => ({
  jobs: [],
  sections: [],
  onSiteDeleted: [],
  onClientDeleted: [],
  schedules: [],
  retentions: [],
  metrics: [],
  start: async () => undefined,
  drain: () => undefined,
  stop: () => undefined,
  ...brings,
});

type ListContribution =
  | 'jobs'
  | 'sections'
  | 'onSiteDeleted'
  | 'onClientDeleted'
  | 'schedules'
  | 'retentions'
  | 'metrics';

/** The parts of a service, in the order of their needs. */
export class Parts {
  readonly #parts: Part[] = [];

  /** Takes a part in, and hands out what others may ask of it. */
  add<Own extends object>(added: Part<Own>): Own {
    this.#parts.push(added);
    return added.own;
  }

  /** What all parts bring of one sort; those that are added later count as well. */
  all<Sort extends ListContribution>(sort: Sort): Part[Sort][number][] {
    return this.#parts.flatMap((each) => [...each[sort]]);
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
