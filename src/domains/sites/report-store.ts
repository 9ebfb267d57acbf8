import type { Knex } from 'knex';
import type { ChildStats, SyncReport } from '../../connector/child-site.ts';
import { bumpRevision, type RevisionSubject } from '../../db/revisions.ts';
import { SharedTransactions } from '../../db/shared-transactions.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/logger.ts';
import { keepEnabledSections, type EnabledSections } from './enabled-sections.ts';
import { inRounds } from './in-rounds.ts';
import {
  hashOf,
  LOG,
  ReportWriter,
  wasNeverStored,
  type ReportingSite,
  type ReportWriterDeps,
  type ReportWriting,
} from './report-writer.ts';
import { failedSectionsError, withoutFailingSections, withSectionError, type FailedSections } from './section-error.ts';
import { isOlderVersion, OLDEST_CHILD_VERSION, refuseOutdatedChild } from './site.ts';
import { SiteRepository, WHOLE_REPORT, type SyncCheckpoint } from './site-repository.ts';
import { NO_SYNC_ERROR, storeSyncError } from './sync-error.ts';
import { SyncReportSequence } from './sync-report-sequence.ts';
import type { ReportedLog, SiteStatePatch, SslProbe, SyncSection } from './sync-section.ts';

export interface ReportStoreDeps extends ReportWriterDeps {
  knex: Knex;
  clock: Clock;
  logger: Logger;
  wanted: () => EnabledSections;
  /** Returns how many reports are being requested, and will be stored soon. */
  expected: () => number;
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

type LogPage = Omit<ReportedLog, 'stored'>;

/** Number of rows in a usual report, or of entries that take as long. */
const ROWS_OF_A_REPORT = 60;

/** Returns the size of a report for `SharedTransactions`. A report that is not read is a small update. */
function sizeOfReport({ reported, read }: ReportWriting): number {
  if (reported === null) return 1;
  const { plugins = [], themes = [], updatesByType, logs = [] } = read();
  const rows = plugins.length + themes.length + (updatesByType?.items.length ?? 0) + logs.length;
  return Math.max(1, rows / ROWS_OF_A_REPORT);
}

/**
 * Stores the reports of child sites. Every section has a hash. A report without changes is one small update. Otherwise
 * only the sections that differ are written. Reports that arrive at the same time share a transaction, and each section
 * writes the values of all of their sites together. A section that cannot be stored keeps its old value and is named in
 * the sync error of the site; the other sections are stored.
 */
export class ReportStore {
  readonly #deps: ReportStoreDeps;
  readonly #writer: ReportWriter;
  readonly #reports: SharedTransactions<ReportWriting>;
  readonly #logPages: SharedTransactions<LogPage>;

  constructor(deps: ReportStoreDeps) {
    this.#deps = deps;
    this.#writer = new ReportWriter(deps);
    const { knex, expected } = deps;
    const reports = { work: this.#writer.write.bind(this.#writer), sizeOf: sizeOfReport };
    this.#reports = new SharedTransactions(knex, reports, { expected });
    const sizeOf = ({ entries }: LogPage): number => Math.max(1, entries.length / ROWS_OF_A_REPORT);
    this.#logPages = new SharedTransactions(knex, { work: this.#writeLogPages.bind(this), sizeOf });
  }

  checkpoint(siteId: number): Promise<SyncCheckpoint> {
    const { knex, clock } = this.#deps;
    return new SiteRepository(knex, clock.now()).syncCheckpoint(siteId);
  }

  /**
   * Stores a report. `complete` is true for a whole sync, which sets the sync time and clears the sync error unless the
   * child plugin is outdated. It is false for a report inside the response to an action.
   */
  async store(site: ReportingSite, report: ChildStats, options: StoreOptions): Promise<void> {
    const { complete } = options;
    const stats = complete ? keepEnabledSections(report, this.#deps.wanted()) : report;
    const isOutdated = isOlderVersion(stats.childVersion, OLDEST_CHILD_VERSION);
    const writing = {
      ...(await this.#writingOf(site, options, complete && !isOutdated)),
      read: () => stats,
    };
    await this.#storeWriting({ ...writing, reported: this.#writer.read(stats, writing.failed) });
    refuseOutdatedChild(stats.childVersion, site.id);
  }

  /** Stores a report that is equal to the last one. It is read only if the stored state has changed since. */
  async storeKnown(site: ReportingSite, report: SyncReport, options: StoreOptions): Promise<void> {
    const wanted = this.#deps.wanted();
    const read = (): ChildStats => keepEnabledSections(report.read(), wanted);
    const writing = await this.#writingOf(site, options, true);
    await this.#storeWriting({ ...writing, read, reported: null });
  }

  storeSection<T>(site: ReportingSite, section: SyncSection<T>, value: T, number?: number): Promise<void> {
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
      const patches = await section.write(trx, [{ site, value, now, isFirst: wasNeverStored(section, stored) }]);
      const section_hashes = JSON.stringify({ ...hashes, [section.name]: hash, [WHOLE_REPORT]: undefined });
      await repository.patchState(site.id, { ...patches?.get(site.id), ...numbers, section_hashes });
      if (section.subjects.length > 0) await bumpRevision(trx, ...section.subjects);
    });
  }

  /** Stores a page of the changes log. Throws `SectionError` if its entries cannot be stored. */
  storeLogPage(page: LogPage): Promise<void> {
    return this.#logPages.run(page);
  }

  /** Stores that a part of the report could not be stored. */
  async storeFailure(siteId: number, failed: FailedSections, number: number | undefined): Promise<void> {
    await storeSyncError(this.#deps, siteId, failedSectionsError(failed), number);
    this.#logFailure(siteId, failed);
  }

  #logFailure(siteId: number, failed: FailedSections): void {
    for (const [section, err] of failed)
      this.#deps.logger.error({ err, site_id: siteId, section }, 'a section of a report could not be stored');
  }

  async #writeLogPages(trx: Knex.Transaction, pages: readonly LogPage[]): Promise<RevisionSubject[]> {
    const { clock, log } = this.#deps;
    const repository = new SiteRepository(trx, clock.now());
    for (const round of inRounds(pages, ({ siteId }) => siteId)) {
      const checkpoints = await repository.lockSyncCheckpoints(round.map(({ siteId }) => siteId));
      const logs = round.map((page) => ({ ...page, stored: checkpoints.get(page.siteId) as SyncCheckpoint }));
      const patches = await withSectionError(LOG, () => log.store(trx, logs));
      for (const [siteId, patch] of patches) await repository.patchState(siteId, patch);
    }
    return [];
  }

  async #writingOf(
    site: ReportingSite,
    { complete, ssl = null, marks, number, reportHash = null }: StoreOptions,
    isSuccess: boolean,
  ): Promise<Omit<ReportWriting, 'read' | 'reported'>> {
    const now = this.#deps.clock.now();
    const state: SiteStatePatch = {
      ...(isSuccess && { last_sync_at: now }),
      ...(ssl ? { ssl_valid: Number(ssl.valid), ssl_expires_at: ssl.expiresAt, ssl_checked_at: now } : {}),
    };
    const known = marks ?? (await this.checkpoint(site.id));
    return {
      ...{ site, complete, state, number, known, now, failed: new Map() },
      reportHash: isSuccess ? reportHash : null,
      success: { ...state, ...(isSuccess && NO_SYNC_ERROR) },
    };
  }

  async #storeWriting(writing: ReportWriting): Promise<void> {
    const { site, complete, failed } = writing;
    await withoutFailingSections(failed, () => (complete ? this.#reports.run(writing) : this.#reports.alone(writing)));
    this.#logFailure(site.id, failed);
  }
}
