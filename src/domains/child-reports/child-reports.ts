import type {
  ChildLink,
  ReportCalls,
  ReportCounter,
  ReportData,
  ReportDays,
  ReportedBackup,
  ReportedCheck,
  ReportedMaintenance,
  ReportedScan,
  ReportSection,
  ShopData,
} from '../../connector/child-site.ts';
import { SECOND } from '../../shared/clock.ts';
import { ChildUnreachableError } from '../../shared/errors.ts';
import type { SiteCalls } from '../sites/index.ts';

/** Topics that only plugins of the site know of, by the names that reports give them. */
export const CHILD_REPORT_SECTIONS = ['backups', 'maintenance', 'scanner1', 'scanner2', 'securityplugin1'] as const;
export type ChildReportSection = (typeof CHILD_REPORT_SECTIONS)[number];

/** Items newest first, each with `at` in milliseconds since 1970; their texts come from the site. */
interface Records<Item, Count extends string> {
  items: Item[];
  counts: Record<Count, number>;
}

export interface ChildReport {
  /** False: the site has no active plugin that keeps these records, and everything is empty. */
  available: boolean;
  backups: Records<ReportedBackup, 'created'>;
  maintenance: Records<ReportedMaintenance, 'process'>;
  /** Of Sucuri. */
  scanner1: Records<CheckedSite, 'checks'>;
  /** Of Wordfence; what it blocked is counted by whole days in UTC. */
  scanner2: Records<ReportedScan, 'scan' | 'blocked'>;
  /** Of iThemes Security; blocks and lockouts are counted by whole days in UTC. */
  securityplugin1: Records<ReportedScan, 'scan' | 'blocked' | 'lockouts'>;
}

export interface CheckedSite {
  at: number;
  /**
   * `clear`, `warnings`, `blacklisted` or `blacklisted, warnings`. The site's own words where it is in another
   * language; null after a check that failed.
   */
  status: string | null;
  /** `trusted` or `blacklisted`; else as `status`. */
  webtrust: string | null;
}

export interface ChildReportParts {
  child: ReportCalls;
  calls: SiteCalls;
  /** For all calls that one report makes to a site; 60 s by default. */
  deadlineMs?: number | undefined;
}

export interface AskOptions {
  /** The site is one of many: one that is known not to answer is not waited for. */
  oneOfMany?: boolean;
  /** Ends the calls. */
  signal?: AbortSignal | undefined;
}

const DEADLINE = 60 * SECOND;

const ASKED_AS: Record<ChildReportSection, { section: ReportSection; counters: readonly ReportCounter[] }> = {
  backups: { section: 'backups', counters: [] },
  maintenance: { section: 'maintenance', counters: [] },
  scanner1: { section: 'sucuri', counters: [] },
  scanner2: { section: 'wordfence', counters: ['wordfence_blocked'] },
  securityplugin1: { section: 'ithemes', counters: ['ithemes_blocked', 'ithemes_lockouts'] },
};

/**
 * What the plugins of a site recorded about it. All that a report wants is asked for together: a call for each section,
 * and one for the counters, all within one deadline. Nothing of it is stored. What goes wrong is thrown as of any call
 * to a site.
 */
export class ChildReports {
  readonly #parts: ChildReportParts;

  constructor(parts: ChildReportParts) {
    this.#parts = parts;
  }

  /** The records of `days`, exactly from `from` to `until`; a section that is not named is empty. */
  async of(
    siteId: number,
    days: ReportDays,
    sections: readonly ChildReportSection[],
    options: AskOptions = {},
  ): Promise<ChildReport> {
    const asked = [...new Set(sections)].map((name) => ASKED_AS[name]);
    const query = {
      days,
      sections: asked.map(({ section }) => section),
      counters: asked.flatMap(({ counters }) => counters),
    };
    const data = await this.#ask(siteId, options, (link) => this.#parts.child.reportData(link, query));
    return reportOf(data);
  }

  /** The state of the WooCommerce shop, with the sales of `days` of its own zone; null where there is none. */
  shop(
    siteId: number,
    days: Pick<ReportDays, 'startDate' | 'endDate'>,
    options: AskOptions = {},
  ): Promise<ShopData | null> {
    return this.#ask(siteId, options, (link) => this.#parts.child.shopData(link, days));
  }

  async #ask<T>(siteId: number, options: AskOptions, ask: (link: ChildLink) => Promise<T>): Promise<T> {
    const { calls, deadlineMs = DEADLINE } = this.#parts;
    const over = AbortSignal.timeout(deadlineMs);
    const signal = options.signal ? AbortSignal.any([options.signal, over]) : over;
    try {
      return await calls.run(siteId, ask, { reads: true, oneOfMany: options.oneOfMany ?? false, signal });
    } catch (error) {
      if (!over.aborted || options.signal?.aborted) throw error;
      const seconds = Math.ceil(deadlineMs / SECOND);
      const message = `The site did not give its report data within ${seconds} seconds.`;
      throw new ChildUnreachableError('http', message, { outcome: 'open' }, { cause: error });
    }
  }
}

function reportOf(data: ReportData | null): ChildReport {
  const { backups = [], maintenance = [], sucuri = [], wordfence = [], ithemes = [] } = data ?? {};
  const { wordfence_blocked = 0, ithemes_blocked = 0, ithemes_lockouts = 0 } = data?.counters ?? {};
  return {
    available: data !== null,
    backups: { items: backups, counts: { created: backups.length } },
    maintenance: { items: maintenance, counts: { process: maintenance.length } },
    scanner1: { items: sucuri.map(checkOf), counts: { checks: sucuri.length } },
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

const checkOf = ({ at, status, webtrust }: ReportedCheck): CheckedSite => ({
  at,
  status: inOurWords(status),
  webtrust: inOurWords(webtrust),
});

function inOurWords(words: string): string | null {
  const parts = words.split(', ').map((word) => (Object.hasOwn(STATUSES, word) ? STATUSES[word] : word));
  return parts.join(', ') || null;
}
