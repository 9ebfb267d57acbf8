import type { ChildLink } from './target.ts';

/** What the reports plugin of a site keeps records of, and nothing else tells of. */
const REPORT_SECTIONS = ['backups', 'maintenance', 'sucuri', 'wordfence', 'ithemes'] as const;
export type ReportSection = (typeof REPORT_SECTIONS)[number];

/** What security plugins counted, each for itself. */
const REPORT_COUNTERS = ['wordfence_blocked', 'ithemes_blocked', 'ithemes_lockouts'] as const;
export type ReportCounter = (typeof REPORT_COUNTERS)[number];

/** Both days inclusive; they begin at `from` and end before `until`, in milliseconds since 1970. */
export interface ReportDays {
  startDate: string;
  endDate: string;
  from: number;
  until: number;
}

export interface ReportQuery {
  days: ReportDays;
  sections: readonly ReportSection[];
  counters: readonly ReportCounter[];
}

interface Reported {
  /** Milliseconds since 1970. */
  at: number;
}

/** Where it went and how large it is, the child does not hand on. */
export interface ReportedBackup extends Reported {
  /** What was backed up, in the words of the plugin that did it. */
  type: string;
}

export interface ReportedMaintenance extends Reported {
  /** The tasks, in the language of the site. */
  details: string;
  result: string;
}

/** Texts are those of the site's language; empty for a check that failed. */
export interface ReportedCheck extends Reported {
  status: string;
  webtrust: string;
}

export interface ReportedScan extends Reported {
  result: ScanResult | null;
  details: string;
  /** How many new ones were found, where `details` says it. */
  issues: number | null;
}

export type ScanResult = 'no_issues' | 'issues';

export interface ReportRecords {
  backups: ReportedBackup[];
  maintenance: ReportedMaintenance[];
  sucuri: ReportedCheck[];
  wordfence: ReportedScan[];
  ithemes: ReportedScan[];
}

/** Lists are empty where nothing happened or nothing was asked, and are newest first. */
export interface ReportData extends ReportRecords {
  counters: Record<ReportCounter, number>;
}

export interface BestSeller {
  name: string;
  quantity: number;
}

/** Sales and best seller are of the days, the rest is as it is now. */
export interface ShopData {
  sales: number;
  /** The same with its currency, as the shop writes it. */
  salesText: string;
  topSeller: BestSeller | null;
  awaitingProcessing: number;
  onHold: number;
  lowStock: number;
  outOfStock: number;
}

export interface ReportCalls {
  /**
   * A call for each section, and one for the counters. Null where the plugin that keeps the records is not active.
   * Records are exactly those of `from` to `until`, whatever zone the site is in; counters are of whole days in UTC.
   */
  reportData(link: ChildLink, query: ReportQuery): Promise<ReportData | null>;
  /** Null where there is no shop. The days are those of the shop's zone. */
  shopData(link: ChildLink, days: Pick<ReportDays, 'startDate' | 'endDate'>): Promise<ShopData | null>;
}
