import type { Knex } from 'knex';
import type {
  ChildLink,
  ChildLogEntry,
  ChildPlugin,
  ChildStats,
  SyncCalls,
  SyncReport,
  SyncRequest,
} from '../../connector/child-site.ts';
import type { ReportHook } from '../../platform/part.ts';
import { isTransient } from '../../db/dialect.ts';
import { bumpRevision, type RevisionSubject } from '../../db/revisions.ts';
import { SharedTransactions } from '../../db/shared-transactions.ts';
import { inTransaction } from '../../db/transaction.ts';
import { toUnavailableError } from '../../db/database-unavailable.ts';
import { DAY, type Clock } from '../../shared/clock.ts';
import { digestOf } from '../../shared/digest.ts';
import { DatabaseUnavailableError, DomainError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import { pageLimit, nextPosition, type ChangesLogPosition } from './changes-log-position.ts';
import { NO_SYNC_ERROR, storeSyncError, SYNC_ERROR, syncErrorColumns, type SyncError } from './sync-error.ts';
import { SyncReportSequence } from './sync-report-sequence.ts';
import { isOlderVersion, OLDEST_CHILD_VERSION, refuseOutdatedChild } from './site.ts';
import { SiteRepository, WHOLE_REPORT, type SyncCheckpoint } from './site-repository.ts';
import { keepEnabledSections, type EnabledSections } from './enabled-sections.ts';
import type { SiteStatePatch, SslProbe, ReportedLogStore, SyncSection } from './sync-section.ts';

export interface SyncDeps {
  knex: Knex;
  clock: Clock;
  logger: Logger;
  child: SyncCalls;
  sections: () => readonly SyncSection[];
  onReport: () => readonly ReportHook[];
  log: ReportedLogStore;
  probeSsl: SslProbe;
  abandonedAfterDays: () => number;
  wanted: () => EnabledSections;
  backupMethodOf: (plugins: readonly ChildPlugin[]) => string | null;
  likeliestBackupMethod: string;
}

export interface StoreOptions {
  complete: boolean;
  ssl?: Awaited<ReturnType<SslProbe>>;
  /** Checkpoint from before the call. Default: read now. */
  marks?: SyncCheckpoint;
  /** Number of the turn in which the site sent the report. Default: the report counts as the latest one. */
  number?: number | undefined;
  /** Hash of the whole report. Default: none is stored. */
  reportHash?: string | null;
}

interface SectionReading {
  section: SyncSection;
  value: unknown;
  hash: string;
}

interface ReportWriting {
  site: { id: number; urlKey: string };
  read: () => ChildStats;
  complete: boolean;
  /** Hash of the whole report, or null if an equal report must be read. */
  reportHash: string | null;
  state: SiteStatePatch;
  /** State for the newest report. A complete report of a child plugin that is not outdated clears the sync error. */
  success: SiteStatePatch;
  number: number | undefined;
  known: SyncCheckpoint;
  failed: FailedSections;
  /** Null if the report is equal to the last one and was not read yet. */
  reported: SectionReading[] | null;
  now: number;
}

const LOG = 'changes';
const CHANGES_A_SYNC = 200;
const MAX_PAGES = 5;

/**
 * True if a section has never been stored. A missing hash alone is no proof: a hash can be removed to force a new
 * write.
 */
const wasNeverStored = ({ name }: SyncSection, { isSynced, hashes }: SyncCheckpoint): boolean =>
  !isSynced && hashes[name] === undefined;

const hashOf = (value: unknown): string => digestOf(JSON.stringify(value));

/**
 * Ends a transaction because of one section of the report, so that the transaction can run again without this section.
 */
class SectionError extends Error {
  readonly section: string;

  constructor(section: string, cause: unknown) {
    super(`The section ${section} could not be stored.`, { cause });
    this.section = section;
  }
}

type FailedSections = Map<string, unknown>;

/** True if another attempt may succeed. Such an error says nothing about the section. */
const isDatabaseError = (error: unknown): boolean =>
  isTransient(error) || toUnavailableError(error) instanceof DatabaseUnavailableError;

async function withSectionError<T>(section: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isDatabaseError(error) ? error : new SectionError(section, error);
  }
}

function failedSectionsError(failed: FailedSections): SyncError {
  const names = [...failed.keys()].join(', ');
  const message = `The site was reached, but these parts of its report could not be stored: ${names}.`;
  return { code: 'svc_internal_error', message };
}

/**
 * Stores the reports of child sites. Every section has a hash. A report without changes is one small update. Otherwise
 * only the sections that differ are written. Syncs that end at the same time share a transaction. A section that cannot
 * be stored keeps its old value and is named in the sync error of the site; the other sections are stored.
 */
export class SyncService {
  readonly #deps: SyncDeps;
  readonly #transactions: SharedTransactions;
  #calling = 0;

  constructor(deps: SyncDeps) {
    this.#deps = deps;
    this.#transactions = new SharedTransactions(deps.knex, { expected: () => this.#calling });
  }

  async pull(
    site: { id: number; url: string; urlKey: string },
    link: ChildLink,
    known?: SyncCheckpoint,
  ): Promise<void> {
    const { child, probeSsl } = this.#deps;
    const marks = known ?? (await this.#checkpoint(site.id));
    const sections = this.#deps.wanted();
    const request = { ...this.#requestFor(marks), sections };
    if (!sections.has('child_site_actions_data')) request.changesLimit = 0;
    const isKnown = (digest: string): boolean => marks.hashes[WHOLE_REPORT] === this.#reportHash(digest, request);
    const { report, stats, ssl, number } = await this.#callSite(async () => {
      const [answer, probed] = await Promise.all([child.report(link, request, isKnown), probeSsl(site.url)]);
      // Read the number now, because the next call begins another turn.
      const ofTurn = link.turn?.number;
      const read = answer.isKnown ? null : await this.#withBackup(link, answer.read(), request.backupMethod);
      return { report: answer, stats: read, ssl: probed, number: ofTurn };
    });
    // The settings may have changed during the call. What is stored then is less than what this request has brought.
    const reportHash = this.#reportHash(report.digest, { ...request, sections: this.#deps.wanted() });
    const options = { complete: true, ssl, marks, number, reportHash };
    if (!stats) return this.#storeKnown(site, report, options);
    await this.store(site, stats, this.#isRepeatable(stats, request) ? options : { ...options, reportHash: null });
    await this.#readChangesLog(site.id, link, changesLogPositionAfter(stats, marks.changesCursor));
  }

  /** True if an equal report to an equal request would bring nothing new, because it needs no other call. */
  #isRepeatable(report: ChildStats, { backupMethod }: SyncRequest): boolean {
    return !report.moreChanges && this.#otherBackupMethod(report, backupMethod) === null;
  }

  async #callSite<T>(call: () => Promise<T>): Promise<T> {
    this.#calling += 1;
    try {
      return await call();
    } finally {
      this.#calling -= 1;
    }
  }

  async storeRegistration(
    site: { id: number; urlKey: string },
    link: ChildLink,
    report: ChildStats,
    number: number | undefined,
  ): Promise<void> {
    const marks = await this.#checkpoint(site.id);
    const whole = await this.#withBackup(link, report, marks.backupMethod);
    await this.store(site, whole, { complete: true, marks, number });
  }

  /**
   * Calls the site for the time of its last backup and adds it to the report. Omits the call if `asked` is the backup
   * plugin that the report shows: then the request for this report has asked for the time, or the next sync will.
   */
  async #withBackup(link: ChildLink, report: ChildStats, asked?: string | null): Promise<ChildStats> {
    const method = this.#otherBackupMethod(report, asked);
    if (method === null) return report;
    try {
      const lastBackupAt = await this.#deps.child.lastBackup(link, method);
      return lastBackupAt === null ? report : { ...report, lastBackupAt };
    } catch (error) {
      if (error instanceof DomainError) return report;
      throw error;
    }
  }

  /** Returns the backup plugin that the report shows, or null if there is none or if it is `asked`. */
  #otherBackupMethod({ plugins }: ChildStats, asked?: string | null): string | null {
    const method = plugins ? this.#deps.backupMethodOf(plugins) : null;
    return method === asked ? null : method;
  }

  /**
   * Reads the changes log page by page, and stores each page together with the position after it. After `MAX_PAGES`
   * pages or an error, the next sync reads the rest.
   */
  async #readChangesLog(siteId: number, link: ChildLink, first: ChangesLogPosition): Promise<void> {
    const { child } = this.#deps;
    let reading = first;
    for (let page = 0; page < MAX_PAGES && !reading.done; page++) {
      try {
        const logPage = await child.changes(link, reading, pageLimit(reading));
        const next = nextPosition(reading, logPage);
        await this.#storePage(siteId, logPage.entries, next.since);
        reading = next;
      } catch (error) {
        if (error instanceof DomainError) return;
        if (!(error instanceof SectionError)) throw error;
        return this.#recordFailure(siteId, new Map([[error.section, error.cause]]), link.turn?.number);
      }
    }
  }

  async #recordFailure(siteId: number, failed: FailedSections, number: number | undefined): Promise<void> {
    await storeSyncError(this.#deps, siteId, failedSectionsError(failed), number);
    this.#logFailure(siteId, failed);
  }

  #logFailure(siteId: number, failed: FailedSections): void {
    for (const [section, err] of failed)
      this.#deps.logger.error({ err, site_id: siteId, section }, 'a section of a report could not be stored');
  }

  #storePage(siteId: number, entries: ChildLogEntry[], changesRead: number): Promise<void> {
    const { clock, log } = this.#deps;
    return this.#transactions.run(async (trx) => {
      const repository = new SiteRepository(trx, clock.now());
      await repository.lockSyncCheckpoint(siteId);
      const patch = await withSectionError(LOG, () => log.store(trx, siteId, entries, changesRead));
      await repository.patchState(siteId, patch);
      return [];
    });
  }

  /**
   * Stores a report. `complete` is true for a whole sync, which sets the sync time and clears the sync error unless the
   * child plugin is outdated. It is false for a report inside the response to an action.
   */
  async store(site: { id: number; urlKey: string }, report: ChildStats, options: StoreOptions): Promise<void> {
    const { complete } = options;
    const stats = complete ? keepEnabledSections(report, this.#deps.wanted()) : report;
    const isOutdated = isOlderVersion(stats.childVersion, OLDEST_CHILD_VERSION);
    const writing = {
      ...(await this.#writingOf(site, options, complete && !isOutdated)),
      read: () => stats,
    };
    await this.#storeWriting({ ...writing, reported: this.#read(stats, writing.failed) });
    refuseOutdatedChild(stats.childVersion, site.id);
  }

  /** Stores a report that is equal to the last one. It is read only if the stored state has changed since. */
  async #storeKnown(site: { id: number; urlKey: string }, report: SyncReport, options: StoreOptions): Promise<void> {
    const wanted = this.#deps.wanted();
    const read = (): ChildStats => keepEnabledSections(report.read(), wanted);
    const writing = await this.#writingOf(site, options, true);
    await this.#storeWriting({ ...writing, read, reported: null });
  }

  async #writingOf(
    site: { id: number; urlKey: string },
    { complete, ssl = null, marks, number, reportHash = null }: StoreOptions,
    isSuccess: boolean,
  ): Promise<Omit<ReportWriting, 'read' | 'reported'>> {
    const now = this.#deps.clock.now();
    const state: SiteStatePatch = {
      ...(isSuccess && { last_sync_at: now }),
      ...(ssl ? { ssl_valid: Number(ssl.valid), ssl_expires_at: ssl.expiresAt, ssl_checked_at: now } : {}),
    };
    const known = marks ?? (await this.#checkpoint(site.id));
    return {
      ...{ site, complete, state, number, known, now, failed: new Map() },
      reportHash: isSuccess ? reportHash : null,
      success: { ...state, ...(isSuccess && NO_SYNC_ERROR) },
    };
  }

  async #storeWriting(writing: ReportWriting): Promise<void> {
    const transactions = this.#transactions;
    const { site, complete, failed } = writing;
    await this.#withoutFailing(failed, () =>
      complete
        ? transactions.run((trx) => this.#write(trx, writing))
        : transactions.alone((trx) => this.#write(trx, writing)),
    );
    this.#logFailure(site.id, failed);
  }

  async #write(trx: Knex.Transaction, writing: ReportWriting): Promise<Set<RevisionSubject>> {
    const { log, onReport } = this.#deps;
    const { site, complete, reportHash, state, success, number, known, failed, now } = writing;
    const subjects = new Set<RevisionSubject>();
    if (writing.reported === null && (await this.#confirm(trx, writing))) return subjects;
    const stats = writing.read();
    const { logs = [] } = stats;
    const reported = (writing.reported ??= this.#read(stats, failed));
    const repository = new SiteRepository(trx, now);
    // Two reports of one site may be stored concurrently. Because of the lock, the second one is compared with the
    // committed result of the first.
    const stored = await repository.lockSyncCheckpoint(site.id);
    const order = new SyncReportSequence(stored, number);
    const { hashes } = stored;
    const latest = reported.filter(({ section }) => order.isLatest(section.name) && !failed.has(section.name));
    const changed: SectionReading[] = [];
    for (const reading of latest) {
      const { section, hash } = reading;
      if (hashes[section.name] !== hash || (await this.#hasLostRows(trx, site.id, section))) changed.push(reading);
    }
    const read = logs.length > 0 ? changesLogPositionAfter(stats, known.changesCursor).since : 0;
    const isNewestOutcome = order.isLatest(SYNC_ERROR);
    const patch: SiteStatePatch = isNewestOutcome ? { ...success } : { ...state };
    const storeLog = async (): Promise<SiteStatePatch> => {
      if (complete && stored.isSynced) for (const hook of onReport()) await hook.run(trx, site.id, stats);
      return log.store(trx, site.id, logs, read);
    };
    if (!failed.has(LOG)) Object.assign(patch, await withSectionError(LOG, storeLog));
    for (const { section, value, hash } of changed) {
      const context = { now, isFirst: wasNeverStored(section, stored) };
      Object.assign(patch, await withSectionError(section.name, () => section.write(trx, site, value, context)));
      hashes[section.name] = hash;
      for (const subject of section.subjects) subjects.add(subject);
    }
    if (changed.length > 0) patch.state_changed_at = now;
    if (failed.size > 0 && isNewestOutcome) Object.assign(patch, syncErrorColumns(failedSectionsError(failed), now));
    // The hash of a whole report is stored only as long as all sections come from this report. Without the hash, the
    // next report is read even if it is unchanged.
    const isWhole = failed.size === 0 && latest.length === reported.length;
    if (changed.length > 0 || !isWhole) delete hashes[WHOLE_REPORT];
    if (reportHash !== null && isWhole) hashes[WHOLE_REPORT] = reportHash;
    const numbers = complete ? order.afterWhole() : order.after(latest.map(({ section }) => section.name));
    await repository.patchState(site.id, { ...patch, ...numbers, section_hashes: JSON.stringify(hashes) });
    return subjects;
  }

  /** Repeats `work` until it succeeds. `work` skips the sections in `failed`, so the other sections are stored. */
  async #withoutFailing(failed: FailedSections, work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof SectionError)) throw error;
        failed.set(error.section, error.cause);
      }
    }
  }

  async #confirm(trx: Knex.Transaction, { site, known, number, success, now }: ReportWriting): Promise<boolean> {
    const { sections, onReport } = this.#deps;
    const own = number ?? known.reportNumber + 1;
    if (own < known.reportNumber) return false;
    const tables = sections().flatMap(({ name, table }) => (table && known.hashes[name] !== undefined ? [table] : []));
    try {
      const waiting = onReport().map((hook) => hook.waiting());
      const report = { number: own, state: success, tables, waiting };
      return await new SiteRepository(trx, now).confirmReport(site.id, known.reportNumber, report);
    } catch (error) {
      if (isDatabaseError(error)) throw error;
      // One of the tables cannot be read. Storing the whole report finds out to which section the table belongs.
      return false;
    }
  }

  #hasLostRows(trx: Knex.Transaction, siteId: number, { name, table }: SyncSection): Promise<boolean> {
    if (table === undefined) return Promise.resolve(false);
    return withSectionError(name, async () => !(await new SiteRepository(trx, 0).hasRows(siteId, table)));
  }

  storeSection<T>(
    site: { id: number; urlKey: string },
    section: SyncSection<T>,
    value: T,
    number?: number,
  ): Promise<void> {
    const { knex, clock } = this.#deps;
    const now = clock.now();
    return inTransaction(knex, async ({ trx }) => {
      const repository = new SiteRepository(trx, now);
      const stored = await repository.lockSyncCheckpoint(site.id);
      const order = new SyncReportSequence(stored, number);
      if (!order.isLatest(section.name)) return;
      const { hashes } = stored;
      const hash = hashOf(value);
      const numbers = order.after([section.name]);
      if (hashes[section.name] === hash) return repository.patchState(site.id, numbers);
      const patch = await section.write(trx, site, value, { now, isFirst: wasNeverStored(section, stored) });
      const section_hashes = JSON.stringify({ ...hashes, [section.name]: hash, [WHOLE_REPORT]: undefined });
      await repository.patchState(site.id, { ...patch, ...numbers, section_hashes });
      if (section.subjects.length > 0) await bumpRevision(trx, ...section.subjects);
    });
  }

  /**
   * Returns a hash of everything that decides what a sync stores: the report, the request, the names of the sections
   * and the oldest accepted version of the child plugin. If the last sync had the same hash, nothing has to be stored.
   * Reports with log entries can be equal too, because a site sends the last entries of its changes log each time. The
   * day is part of the hash, so that a later release, which may read more of the same report, reads it within a day.
   */
  #reportHash(digest: string, { sections = new Set(), ...request }: SyncRequest): string {
    const day = Math.floor(this.#deps.clock.now() / DAY);
    const names = this.#deps.sections().map(({ name }) => name);
    return hashOf([digest, day, OLDEST_CHILD_VERSION, names, [...sections], request]);
  }

  #read(stats: ChildStats, failed: FailedSections): SectionReading[] {
    return this.#deps.sections().flatMap((section) => {
      try {
        const value = section.read(stats);
        return value === undefined ? [] : [{ section, value, hash: hashOf(value) }];
      } catch (error) {
        failed.set(section.name, error);
        return [];
      }
    });
  }

  async request(siteId: number): Promise<SyncRequest> {
    return this.#requestFor(await this.#checkpoint(siteId));
  }

  #checkpoint(siteId: number): Promise<SyncCheckpoint> {
    const { knex, clock } = this.#deps;
    return new SiteRepository(knex, clock.now()).syncCheckpoint(siteId);
  }

  #requestFor({ actionsCursor, changesCursor, backupMethod }: SyncCheckpoint): SyncRequest {
    return {
      backupMethod: backupMethod ?? this.#deps.likeliestBackupMethod,
      abandonedAfterDays: this.#deps.abandonedAfterDays(),
      actionsSince: actionsCursor,
      changesSince: changesCursor,
      changesLimit: CHANGES_A_SYNC,
    };
  }
}

function changesLogPositionAfter({ logs = [], moreChanges }: ChildStats, since: number): ChangesLogPosition {
  const entries = logs.filter(({ source }) => source === 'child_changes');
  return nextPosition({ since, until: null }, { entries, full: moreChanges });
}
