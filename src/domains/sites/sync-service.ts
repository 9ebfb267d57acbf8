import type { Knex } from 'knex';
import type {
  ChildLink,
  ChildLogEntry,
  ChildPlugin,
  ChildStats,
  SyncCalls,
  SyncRequest,
} from '../../connector/child-site.ts';
import { writersAtOnce } from '../../db/dialect.ts';
import { bumpRevision, type RevisionSubject } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import { digestOf } from '../../shared/digest.ts';
import { DomainError } from '../../shared/errors.ts';
import { Limiter } from '../../shared/limiter.ts';
import { pageLimit, readOn, type Reading } from './changes-reading.ts';
import { isOlder, OLDEST_CHILD_VERSION, refuseIfOutdated } from './site.ts';
import { SiteRepository, type SyncMarks } from './site-repository.ts';
import { wantedOf, type WantedSections } from './wanted-sections.ts';
import type { SiteStatePatch, SslProbe, SyncLog, SyncSection } from './sync-section.ts';

export interface SyncParts {
  knex: Knex;
  clock: Clock;
  child: SyncCalls;
  sections: () => readonly SyncSection[];
  log: SyncLog;
  probeSsl: SslProbe;
  abandonedAfterDays: () => number;
  /** What syncs ask for and store. */
  wanted: () => WantedSections;
  /** By what a site with these plugins makes its backups, as the child calls it. */
  backupMethodOf: (plugins: readonly ChildPlugin[]) => string | null;
  /** What a site is asked for whose method is not known. */
  likeliestBackupMethod: string;
}

interface Fresh {
  section: SyncSection;
  value: unknown;
  hash: string;
}

/** Beside the hashes of the sections, that of all that they read: a report like the last one is not taken apart. */
const WHOLE = '*';
/** Entries of the changes log that come with a sync, and the further calls that it may make when more wait. */
const CHANGES_A_SYNC = 200;
const MAX_PAGES = 5;

/** A hash that is missing alone does not say so: who drops it has a section written again that is there. */
const isFirst = ({ name }: SyncSection, { isSynced, hashes }: SyncMarks): boolean =>
  !isSynced && hashes[name] === undefined;

const hashOf = (value: unknown): string => digestOf(JSON.stringify(value));

/**
 * Takes over what a child reports. Every section is hashed; a sync that brings nothing new is one small update, and one
 * that does writes the sections that differ, in one short transaction a site.
 */
export class SyncService {
  readonly #parts: SyncParts;
  readonly #writing: Limiter;

  constructor(parts: SyncParts) {
    this.#parts = parts;
    this.#writing = new Limiter(writersAtOnce(parts.knex));
  }

  /**
   * Asks the child for all that is wanted and stores it as the state of now. The marks are read unless they came with
   * the link.
   */
  async pull(site: { id: number; url: string; urlKey: string }, link: ChildLink, known?: SyncMarks): Promise<void> {
    const { child, probeSsl } = this.#parts;
    const marks = known ?? (await this.#marks(site.id));
    const sections = this.#parts.wanted();
    const request = { ...this.#requestFor(marks), sections };
    if (!sections.has('child_site_actions_data')) request.changesLimit = 0;
    const [stats, ssl] = await Promise.all([child.stats(link, request), probeSsl(site.url)]);
    const report = await this.#withBackup(link, stats, request.backupMethod);
    await this.#writing.run(() => this.store(site, report, { complete: true, ssl, marks }));
    await this.#readOn(site.id, link, readingAfter(stats, marks));
  }

  /** Takes over the report of a registration, for which nobody could ask. */
  async take(site: { id: number; urlKey: string }, link: ChildLink, report: ChildStats): Promise<void> {
    const marks = await this.#marks(site.id);
    await this.store(site, await this.#withBackup(link, report, marks.backupMethod), { complete: true, marks });
  }

  /**
   * Which plugin makes the backups of a site is learnt from its report; the site is asked for the last one by its name,
   * unless it was asked for it with the report, or will be with the next.
   */
  async #withBackup(link: ChildLink, report: ChildStats, asked?: string | null): Promise<ChildStats> {
    const { child, backupMethodOf } = this.#parts;
    const method = report.plugins ? backupMethodOf(report.plugins) : null;
    if (method === null || method === asked) return report;
    try {
      const lastBackupAt = await child.lastBackup(link, method);
      return lastBackupAt === null ? report : { ...report, lastBackupAt };
    } catch (error) {
      // The next sync asks by this name.
      if (error instanceof DomainError) return report;
      throw error;
    }
  }

  /**
   * Reads the changes log on, page by page, each stored with the position after it. What is left after some pages, or
   * when a page cannot be had, comes with the next sync.
   */
  async #readOn(siteId: number, link: ChildLink, first: Reading): Promise<void> {
    const { child } = this.#parts;
    let reading = first;
    for (let page = 0; page < MAX_PAGES && !reading.done; page++) {
      try {
        const logPage = await child.changes(link, reading, pageLimit(reading));
        const next = readOn(reading, logPage);
        await this.#writing.run(() => this.#storePage(siteId, logPage.entries, next.since));
        reading = next;
      } catch (error) {
        if (error instanceof DomainError) return;
        throw error;
      }
    }
  }

  #storePage(siteId: number, entries: ChildLogEntry[], changesRead: number): Promise<void> {
    const { knex, clock, log } = this.#parts;
    return inTransaction(knex, async ({ trx }) => {
      const repository = new SiteRepository(trx, clock.now());
      await repository.lockSyncMarks(siteId);
      await repository.patchState(siteId, await log.store(trx, siteId, entries, changesRead));
    });
  }

  /**
   * Stores a report. `complete` marks a sync that went through: it sets the time of the last one and clears its error;
   * the report inside an action's answer does neither.
   */
  async store(
    site: { id: number; urlKey: string },
    report: ChildStats,
    { complete, ssl = null, marks }: { complete: boolean; ssl?: Awaited<ReturnType<SslProbe>>; marks?: SyncMarks },
  ): Promise<void> {
    const { knex, clock, log, wanted } = this.#parts;
    const stats = complete ? wantedOf(report, wanted()) : report;
    const now = clock.now();
    const outdated = isOlder(stats.childVersion, OLDEST_CHILD_VERSION);
    const state: SiteStatePatch = {
      ...(complete && !outdated
        ? { last_sync_at: now, sync_error_code: null, sync_error_message: null, sync_error_at: null }
        : {}),
      ...(ssl ? { ssl_valid: Number(ssl.valid), ssl_expires_at: ssl.expiresAt, ssl_checked_at: now } : {}),
    };
    // Marks from before the call do for this: what they call unchanged was so then, and a newer report is not undone.
    const known = marks ?? (await this.#marks(site.id));
    const whole = this.#wholeOf(stats);
    const fresh = known.hashes[WHOLE] === whole ? [] : this.#read(stats);
    if (fresh.length === 0 && !stats.logs?.length) await new SiteRepository(knex, now).patchState(site.id, state);
    else
      await inTransaction(knex, async ({ trx }) => {
        const repository = new SiteRepository(trx, now);
        // Two reports of one site may be stored at once; each compares with, and writes over, what the other has
        // committed.
        const stored = await repository.lockSyncMarks(site.id);
        const { hashes } = stored;
        const changed = fresh.filter(({ section, hash }) => hashes[section.name] !== hash);
        const { logs = [] } = stats;
        const read = logs.length > 0 ? readingAfter(stats, known).since : 0;
        const patch = { ...state, ...(await log.store(trx, site.id, logs, read)) };
        for (const { section, value, hash } of changed) {
          Object.assign(patch, await section.write(trx, site, value, { now, isFirst: isFirst(section, stored) }));
          hashes[section.name] = hash;
        }
        if (fresh.length > 0) hashes[WHOLE] = whole;
        await repository.patchState(site.id, { ...patch, section_hashes: JSON.stringify(hashes) });
        const subjects = new Set<RevisionSubject>(changed.flatMap(({ section }) => section.subjects));
        if (subjects.size > 0) await bumpRevision(trx, ...subjects);
      });
    refuseIfOutdated(stats.childVersion);
  }

  /** Stores one section of which the site was asked by itself; nothing when it is as it was. */
  storeSection<T>(site: { id: number; urlKey: string }, section: SyncSection<T>, value: T): Promise<void> {
    const { knex, clock } = this.#parts;
    const now = clock.now();
    return inTransaction(knex, async ({ trx }) => {
      const repository = new SiteRepository(trx, now);
      const stored = await repository.lockSyncMarks(site.id);
      const { hashes } = stored;
      const hash = hashOf(value);
      if (hashes[section.name] === hash) return;
      const patch = await section.write(trx, site, value, { now, isFirst: isFirst(section, stored) });
      const section_hashes = JSON.stringify({ ...hashes, [section.name]: hash, [WHOLE]: undefined });
      await repository.patchState(site.id, { ...patch, section_hashes });
      if (section.subjects.length > 0) await bumpRevision(trx, ...section.subjects);
    });
  }

  /** A section that is new to us reads what no hash tells of. */
  #wholeOf({ logs: _logs, moreChanges: _more, ...read }: ChildStats): string {
    return hashOf([this.#parts.sections().map(({ name }) => name), read]);
  }

  /** What the report holds for each section that it has a part for. */
  #read(stats: ChildStats): Fresh[] {
    return this.#parts.sections().flatMap((section) => {
      const value = section.read(stats);
      return value === undefined ? [] : [{ section, value, hash: hashOf(value) }];
    });
  }

  /** What the child is asked for: what is new since the last report that was stored. */
  async request(siteId: number): Promise<SyncRequest> {
    return this.#requestFor(await this.#marks(siteId));
  }

  #marks(siteId: number): Promise<SyncMarks> {
    const { knex, clock } = this.#parts;
    return new SiteRepository(knex, clock.now()).syncMarks(siteId);
  }

  #requestFor({ actionsCursor, changesCursor, backupMethod }: SyncMarks): SyncRequest {
    return {
      backupMethod: backupMethod ?? this.#parts.likeliestBackupMethod,
      abandonedAfterDays: this.#parts.abandonedAfterDays(),
      actionsSince: actionsCursor,
      changesSince: changesCursor,
      changesLimit: CHANGES_A_SYNC,
    };
  }
}

/** Where the changes log is to be read on after a report that was asked for from these marks on. */
function readingAfter({ logs = [], moreChanges }: ChildStats, { changesCursor }: SyncMarks): Reading {
  const entries = logs.filter(({ source }) => source === 'child_changes');
  return readOn({ since: changesCursor, until: null }, { entries, full: moreChanges });
}
