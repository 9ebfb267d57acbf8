import type { ChildLink, ChildPlugin, ChildStats, SyncCalls, SyncRequest } from '../../connector/child-site.ts';
import { DAY } from '../../shared/clock.ts';
import { DomainError } from '../../shared/errors.ts';
import { changesLogPositionAfter, nextPosition, pageLimit, type ChangesLogPosition } from './changes-log-position.ts';
import { ReportStore, type ReportStoreDeps, type StoreOptions } from './report-store.ts';
import { hashOf, type ReportingSite } from './report-writer.ts';
import { SectionError } from './section-error.ts';
import { OLDEST_CHILD_VERSION } from './site.ts';
import { WHOLE_REPORT, type SyncCheckpoint } from './site-repository.ts';
import type { SslProbe, SyncSection } from './sync-section.ts';

export interface SyncDeps extends Omit<ReportStoreDeps, 'expected'> {
  child: SyncCalls;
  probeSsl: SslProbe;
  abandonedAfterDays: () => number;
  backupMethodOf: (plugins: readonly ChildPlugin[]) => string | null;
  likeliestBackupMethod: string;
}

const CHANGES_A_SYNC = 200;
const MAX_PAGES = 5;

/** Requests the reports of child sites, reads the log entries that did not fit into them, and stores both. */
export class SyncService {
  readonly #deps: SyncDeps;
  readonly #reports: ReportStore;
  #calling = 0;

  constructor(deps: SyncDeps) {
    this.#deps = deps;
    this.#reports = new ReportStore({ ...deps, expected: () => this.#calling });
  }

  async pull(
    site: { id: number; url: string; urlKey: string },
    link: ChildLink,
    known?: SyncCheckpoint,
  ): Promise<void> {
    const { child, probeSsl } = this.#deps;
    const marks = known ?? (await this.#reports.checkpoint(site.id));
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
    if (!stats) return this.#reports.storeKnown(site, report, options);
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
    const marks = await this.#reports.checkpoint(site.id);
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
        await this.#reports.storeLogPage({ siteId, entries: logPage.entries, changesRead: next.since });
        reading = next;
      } catch (error) {
        if (error instanceof DomainError) return;
        if (!(error instanceof SectionError)) throw error;
        return this.#reports.storeFailure(siteId, new Map([[error.section, error.cause]]), link.turn?.number);
      }
    }
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

  /** Stores a report, as `ReportStore.store`. */
  store(site: ReportingSite, report: ChildStats, options: StoreOptions): Promise<void> {
    return this.#reports.store(site, report, options);
  }

  /** Stores the value of one section that did not come with a report. */
  storeSection<T>(site: ReportingSite, section: SyncSection<T>, value: T, number?: number): Promise<void> {
    return this.#reports.storeSection(site, section, value, number);
  }

  async request(siteId: number): Promise<SyncRequest> {
    return this.#requestFor(await this.#reports.checkpoint(siteId));
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
