import type {
  ChildLink,
  ReportCalls,
  ReportCounter,
  ReportData,
  ReportPeriod,
  ReportedBackup,
  ReportedSucuriCheck,
  ReportedMaintenance,
  ReportedScan,
  ReportSection,
  ShopData,
} from '../../connector/child-site.ts';
import { abortAfter } from '../../shared/abort-after.ts';
import { SECOND } from '../../shared/clock.ts';
import { ChildUnreachableError } from '../../shared/child-call-errors.ts';
import type { SiteCalls } from '../sites/index.ts';

export const CHILD_REPORT_SECTIONS = ['backups', 'maintenance', 'scanner1', 'scanner2', 'securityplugin1'] as const;
export type ChildReportSection = (typeof CHILD_REPORT_SECTIONS)[number];

/** Items are sorted newest first; `at` is in milliseconds since 1970. Texts come from the site and are untrusted. */
interface ItemsWithCounts<Item, Count extends string> {
  items: Item[];
  counts: Record<Count, number>;
}

export interface ChildReport {
  /** False if no active plugin of the site keeps records for reports. All sections are then empty. */
  available: boolean;
  backups: ItemsWithCounts<ReportedBackup, 'created'>;
  maintenance: ItemsWithCounts<ReportedMaintenance, 'process'>;
  scanner1: ItemsWithCounts<SucuriCheck, 'checks'>;
  /**
   * Records of Wordfence. `securityplugin1` has those of iThemes Security. Blocks and lockouts are counted by whole
   * days in UTC.
   */
  scanner2: ItemsWithCounts<ReportedScan, 'scan' | 'blocked'>;
  securityplugin1: ItemsWithCounts<ReportedScan, 'scan' | 'blocked' | 'lockouts'>;
}

export interface SucuriCheck {
  at: number;
  /**
   * `clear`, `warnings`, `blacklisted` or `blacklisted, warnings`. `webtrust` is `trusted` or `blacklisted`. If the
   * site uses another language, both have the texts of that language. Both are null if the check failed.
   */
  status: string | null;
  webtrust: string | null;
}

export interface ChildReportDeps {
  child: ReportCalls;
  calls: SiteCalls;
  deadlineMs?: number | undefined;
}

export interface ReportCallOptions {
  /** For a report about many sites. Default: the time limit begins at once. */
  deadline?: SiteDeadline | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Time limit for all calls of a report to one of its sites. It begins when the first of them has its turn, and ends at
 * the latest when `reportEnd` is aborted.
 */
export class SiteDeadline {
  readonly #ms: number;
  readonly #over = new AbortController();
  #hasBegun = false;

  constructor(ms: number, reportEnd?: AbortSignal) {
    this.#ms = ms;
    if (reportEnd?.aborted) this.#over.abort();
    reportEnd?.addEventListener('abort', () => this.#over.abort(), { once: true });
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    setTimeout(() => this.#over.abort(), this.#ms).unref();
  }
}

const DEADLINE = 60 * SECOND;

const CHILD_SECTIONS: Record<ChildReportSection, { section: ReportSection; counters: readonly ReportCounter[] }> = {
  backups: { section: 'backups', counters: [] },
  maintenance: { section: 'maintenance', counters: [] },
  scanner1: { section: 'sucuri', counters: [] },
  scanner2: { section: 'wordfence', counters: ['wordfence_blocked'] },
  securityplugin1: { section: 'ithemes', counters: ['ithemes_blocked', 'ithemes_lockouts'] },
};

/**
 * A report makes one call per section and one for the counters, all within one deadline. Throws the errors of any call
 * to a site.
 */
export class ChildReports {
  readonly #deps: Omit<ChildReportDeps, 'deadlineMs'>;
  readonly #deadlineMs: number;

  constructor({ deadlineMs = DEADLINE, ...deps }: ChildReportDeps) {
    this.#deps = deps;
    this.#deadlineMs = deadlineMs;
  }

  siteDeadline(reportEnd?: AbortSignal): SiteDeadline {
    return new SiteDeadline(this.#deadlineMs, reportEnd);
  }

  /**
   * Returns the time limit of a whole report about several sites. A caller waits for the report, and each site alone
   * may take as long, so the sites that are not read when it aborts are reported with an error.
   */
  endOfAwaitedReport(): AbortSignal {
    return abortAfter(this.#deadlineMs);
  }

  async of(
    siteId: number,
    days: ReportPeriod,
    sections: readonly ChildReportSection[],
    options: ReportCallOptions = {},
  ): Promise<ChildReport> {
    const asked = [...new Set(sections)].map((name) => CHILD_SECTIONS[name]);
    const query = {
      days,
      sections: asked.map(({ section }) => section),
      counters: asked.flatMap(({ counters }) => counters),
    };
    const data = await this.#ask(siteId, options, (link) => this.#deps.child.reportData(link, query));
    return toChildReport(data);
  }

  /** `days` are days in the zone of the shop. Returns null if the site has no shop. */
  shop(
    siteId: number,
    days: Pick<ReportPeriod, 'startDate' | 'endDate'>,
    options: ReportCallOptions = {},
  ): Promise<ShopData | null> {
    return this.#ask(siteId, options, (link) => this.#deps.child.shopData(link, days));
  }

  async #ask<T>(siteId: number, options: ReportCallOptions, ask: (link: ChildLink) => Promise<T>): Promise<T> {
    const deadline = options.deadline ?? this.siteDeadline();
    if (!options.deadline) deadline.begin();
    const over = deadline.signal;
    const signal = options.signal ? AbortSignal.any([options.signal, over]) : over;
    const askInTurn = (link: ChildLink): Promise<T> => ask({ ...link, onTurn: () => deadline.begin() });
    try {
      return await this.#deps.calls.run(siteId, askInTurn, { reads: true, oneOfMany: !!options.deadline, signal });
    } catch (error) {
      if (!over.aborted || options.signal?.aborted) throw error;
      const seconds = Math.ceil(this.#deadlineMs / SECOND);
      const message = `The site did not return its report data within ${seconds} seconds.`;
      throw new ChildUnreachableError('http', message, { outcome: 'open' }, { cause: error });
    }
  }
}

function toChildReport(data: ReportData | null): ChildReport {
  const { backups = [], maintenance = [], sucuri = [], wordfence = [], ithemes = [] } = data ?? {};
  const { wordfence_blocked = 0, ithemes_blocked = 0, ithemes_lockouts = 0 } = data?.counters ?? {};
  return {
    available: data !== null,
    backups: { items: backups, counts: { created: backups.length } },
    maintenance: { items: maintenance, counts: { process: maintenance.length } },
    scanner1: { items: sucuri.map(toSucuriCheck), counts: { checks: sucuri.length } },
    scanner2: { items: wordfence, counts: { scan: wordfence.length, blocked: wordfence_blocked } },
    securityplugin1: {
      items: ithemes,
      counts: { scan: ithemes.length, blocked: ithemes_blocked, lockouts: ithemes_lockouts },
    },
  };
}

const STATUSES: Record<string, string> = {
  'Verified Clear': 'clear',
  'Site Blacklisted': 'blacklisted',
  'Site With Warnings': 'warnings',
  Trusted: 'trusted',
};

const toSucuriCheck = ({ at, status, webtrust }: ReportedSucuriCheck): SucuriCheck => ({
  at,
  status: normalizeSucuriStatus(status),
  webtrust: normalizeSucuriStatus(webtrust),
});

function normalizeSucuriStatus(words: string): string | null {
  const parts = words.split(', ').map((word) => (Object.hasOwn(STATUSES, word) ? STATUSES[word] : word));
  return parts.join(', ') || null;
}
