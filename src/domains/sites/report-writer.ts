import type { Knex } from 'knex';
import type { ChildStats } from '../../connector/child-site.ts';
import type { RevisionSubject } from '../../db/revisions.ts';
import type { NewSectionValue, ReportHook } from '../../platform/part.ts';
import { digestOf } from '../../shared/digest.ts';
import { mapInTurns } from '../../shared/event-loop.ts';
import { changesLogPositionAfter } from './changes-log-position.ts';
import { inRounds } from './in-rounds.ts';
import { failedSectionsError, isDatabaseError, withSectionError, type FailedSections } from './section-error.ts';
import { SiteRepository, WHOLE_REPORT, type SyncCheckpoint } from './site-repository.ts';
import { SYNC_ERROR, syncErrorColumns } from './sync-error.ts';
import { SyncReportSequence } from './sync-report-sequence.ts';
import type { ReportedLog, ReportedLogStore, SiteStatePatch, SyncSection } from './sync-section.ts';

export interface ReportWriterDeps {
  sections: () => readonly SyncSection[];
  onReport: () => readonly ReportHook[];
  log: ReportedLogStore;
}

export interface ReportingSite {
  id: number;
  urlKey: string;
}

export interface SectionReading {
  section: SyncSection;
  value: unknown;
  hash: string;
}

export interface ReportWriting {
  site: ReportingSite;
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

/** A report and the stored checkpoint of its site. The row of the site is locked, so both stay comparable. */
interface ComparedReport {
  writing: ReportWriting;
  stats: ChildStats;
  stored: SyncCheckpoint;
  order: SyncReportSequence;
  /** False if a section was left out, because it failed or because a later report has stored it. */
  isWhole: boolean;
  latest: readonly SectionReading[];
  changed: readonly SectionReading[];
  patch: SiteStatePatch;
}

/** Name of the changes log among the sections that can fail. */
export const LOG = 'changes';

/**
 * True if a section has never been stored. A missing hash alone is no proof: a hash can be removed to force a new
 * write.
 */
export const wasNeverStored = ({ name }: SyncSection, { isSynced, hashes }: SyncCheckpoint): boolean =>
  !isSynced && hashes[name] === undefined;

export const hashOf = (value: unknown): string => digestOf(JSON.stringify(value));

/** Writes the reports of some sites in a transaction. Each section writes the values of all of the sites together. */
export class ReportWriter {
  readonly #deps: ReportWriterDeps;

  constructor(deps: ReportWriterDeps) {
    this.#deps = deps;
  }

  /** Reads the values of all sections from a report. Adds sections that cannot be read to `failed`, with the cause. */
  read(stats: ChildStats, failed: FailedSections): SectionReading[] {
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

  /** Stores reports, also several of one site. Returns the revision subjects that have changed. */
  async write(trx: Knex.Transaction, writings: readonly ReportWriting[]): Promise<Set<RevisionSubject>> {
    const subjects = new Set<RevisionSubject>();
    // In the order of IDs, as all other work locks them. Otherwise, two transactions could wait for each other.
    if (writings.length > 1) await new SiteRepository(trx, 0).lockStates(writings.map(({ site }) => site.id));
    const unconfirmed: ReportWriting[] = [];
    for (const writing of writings)
      if (writing.reported !== null || !(await this.#confirm(trx, writing))) unconfirmed.push(writing);
    // A second report of a site is compared with the result of the first one.
    for (const round of inRounds(unconfirmed, ({ site }) => site.id)) await this.#writeReports(trx, round, subjects);
    return subjects;
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

  /** Stores reports of different sites. Adds the revision subjects that have changed to `subjects`. */
  async #writeReports(
    trx: Knex.Transaction,
    writings: readonly ReportWriting[],
    subjects: Set<RevisionSubject>,
  ): Promise<void> {
    const { sections } = this.#deps;
    const repository = new SiteRepository(trx, 0);
    // Two reports of one site may be stored concurrently. Because of the lock, the second one is compared with the
    // committed result of the first.
    const checkpoints = await repository.lockSyncCheckpoints(writings.map(({ site }) => site.id));
    const withoutRows = await this.#sitesWithoutRows(trx, writings, checkpoints);
    const reports = await mapInTurns(writings, (writing) => this.#compare(writing, checkpoints, withoutRows));
    await this.#storeLogs(trx, reports);
    for (const section of sections()) {
      const values = reports.flatMap((report) => newValueOf(section, report));
      if (values.length === 0) continue;
      const patches = await withSectionError(section.name, () => section.write(trx, values));
      for (const { patch, writing } of reports) Object.assign(patch, patches?.get(writing.site.id));
      for (const subject of section.subjects) subjects.add(subject);
    }
    for (const report of reports) await repository.patchState(report.writing.site.id, patchOf(report));
  }

  #compare(
    writing: ReportWriting,
    checkpoints: ReadonlyMap<number, SyncCheckpoint>,
    withoutRows: ReadonlyMap<string, ReadonlySet<number>>,
  ): ComparedReport {
    const { site, failed, number, state, success } = writing;
    const stored = checkpoints.get(site.id) as SyncCheckpoint;
    const stats = writing.read();
    const reported = (writing.reported ??= this.read(stats, failed));
    const order = new SyncReportSequence(stored, number);
    const latest = reported.filter(({ section }) => order.isLatest(section.name) && !failed.has(section.name));
    const changed = latest.filter(
      ({ section: { name }, hash }) => stored.hashes[name] !== hash || withoutRows.get(name)?.has(site.id),
    );
    const patch = order.isLatest(SYNC_ERROR) ? { ...success } : { ...state };
    const isWhole = failed.size === 0 && latest.length === reported.length;
    return { writing, stats, stored, order, latest, changed, patch, isWhole };
  }

  /** Returns the sites that have lost the rows of an unchanged section, by the name of the section. */
  async #sitesWithoutRows(
    trx: Knex.Transaction,
    writings: readonly ReportWriting[],
    checkpoints: ReadonlyMap<number, SyncCheckpoint>,
  ): Promise<Map<string, Set<number>>> {
    const lost = new Map<string, Set<number>>();
    for (const { name, table } of this.#deps.sections()) {
      if (table === undefined) continue;
      const unchanged = writings.filter(({ site, failed, reported }) => {
        const hash = checkpoints.get(site.id)?.hashes[name];
        const isReported = reported?.some((reading) => reading.section.name === name && reading.hash === hash);
        return !failed.has(name) && hash !== undefined && (isReported ?? true);
      });
      if (unchanged.length === 0) continue;
      const ids = unchanged.map(({ site }) => site.id);
      const having = await withSectionError(name, () => new SiteRepository(trx, 0).sitesWithRows(ids, table));
      lost.set(name, new Set(ids.filter((id) => !having.has(id))));
    }
    return lost;
  }

  async #storeLogs(trx: Knex.Transaction, reports: readonly ComparedReport[]): Promise<void> {
    const { log, onReport } = this.#deps;
    const accepted = reports.filter(({ writing }) => !writing.failed.has(LOG));
    const later = accepted.filter(({ writing, stored }) => writing.complete && stored.isSynced);
    const statsBySite = new Map(later.map(({ writing, stats }) => [writing.site.id, stats]));
    await withSectionError(LOG, async () => {
      if (later.length > 0) for (const hook of onReport()) await hook.run(trx, statsBySite);
      const patches = await log.store(trx, accepted.map(reportedLogOf));
      for (const { patch, writing } of accepted) Object.assign(patch, patches.get(writing.site.id));
    });
  }
}

function reportedLogOf({ writing, stats, stored }: ComparedReport): ReportedLog {
  const { logs: entries = [] } = stats;
  const changesRead = entries.length > 0 ? changesLogPositionAfter(stats, writing.known.changesCursor).since : 0;
  return { siteId: writing.site.id, entries, changesRead, stored };
}

function newValueOf(section: SyncSection, { writing, stored, changed }: ComparedReport): NewSectionValue<unknown>[] {
  const { site, now } = writing;
  const isFirst = wasNeverStored(section, stored);
  return changed.flatMap((reading) =>
    reading.section === section ? [{ site, value: reading.value, now, isFirst }] : [],
  );
}

/** Returns all columns of the site to store after its sections were stored. */
function patchOf({ writing, stored, order, latest, changed, isWhole, patch }: ComparedReport): SiteStatePatch {
  const { complete, failed, reportHash, now } = writing;
  const hashes = { ...stored.hashes, ...Object.fromEntries(changed.map(({ section, hash }) => [section.name, hash])) };
  // The hash of a whole report is stored only as long as all sections come from this report. Without the hash, the next
  // report is read even if it is unchanged.
  if (changed.length > 0 || !isWhole) delete hashes[WHOLE_REPORT];
  if (reportHash !== null && isWhole) hashes[WHOLE_REPORT] = reportHash;
  const hasFailed = failed.size > 0 && order.isLatest(SYNC_ERROR);
  return {
    ...patch,
    ...(changed.length > 0 && { state_changed_at: now }),
    ...(hasFailed && syncErrorColumns(failedSectionsError(failed), now)),
    ...(complete ? order.afterWhole() : order.after(latest.map(({ section }) => section.name))),
    section_hashes: JSON.stringify(hashes),
  };
}
