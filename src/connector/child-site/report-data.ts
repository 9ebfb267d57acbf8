import type { ChildLink } from './target.ts';

/** Records that are available only from the reports plugin of a site. */
const REPORT_SECTIONS = ['backups', 'maintenance', 'sucuri', 'wordfence', 'ithemes'] as const;
export type ReportSection = (typeof REPORT_SECTIONS)[number];

const REPORT_COUNTERS = ['wordfence_blocked', 'ithemes_blocked', 'ithemes_lockouts'] as const;
export type ReportCounter = (typeof REPORT_COUNTERS)[number];

/**
 * Period of whole days. `startDate` and `endDate` are both inclusive. `from` is the beginning of the period and `until`
 * the first moment after it, in milliseconds since 1970.
 */
export interface ReportPeriod {
  startDate: string;
  endDate: string;
  from: number;
  until: number;
}

export interface ReportQuery {
  days: ReportPeriod;
  sections: readonly ReportSection[];
  counters: readonly ReportCounter[];
}

interface Reported {
  at: number;
}

export interface ReportedBackup extends Reported {
  type: string;
}

export interface ReportedMaintenance extends Reported {
  details: string;
  result: string;
}

export interface ReportedSucuriCheck extends Reported {
  status: string;
  webtrust: string;
}

export interface ReportedScan extends Reported {
  result: ScanResult | null;
  details: string;
  issues: number | null;
}

export type ScanResult = 'no_issues' | 'issues';

export interface ReportRecords {
  backups: ReportedBackup[];
  maintenance: ReportedMaintenance[];
  sucuri: ReportedSucuriCheck[];
  wordfence: ReportedScan[];
  ithemes: ReportedScan[];
}

/**
 * Lists are newest first. A list is empty if nothing happened or if its section was not requested. Texts are in the
 * site's language. The texts of a Sucuri check are empty if it failed.
 */
export interface ReportData extends ReportRecords {
  counters: Record<ReportCounter, number>;
}

export interface BestSeller {
  name: string;
  quantity: number;
}

/** Sales and best seller are those of the period. The other values are current. */
export interface ShopData {
  sales: number;
  salesText: string;
  topSeller: BestSeller | null;
  awaitingProcessing: number;
  onHold: number;
  lowStock: number;
  outOfStock: number;
}

export interface ReportCalls {
  /**
   * Sends one call per section and one for the counters. Returns null if the reports plugin is not active. Records are
   * exactly those between `from` and `until`, whatever the time zone of the site. Counters cover whole days in UTC.
   */
  reportData(link: ChildLink, query: ReportQuery): Promise<ReportData | null>;
  /** Returns null if there is no shop. The days are in the shop's time zone. */
  shopData(link: ChildLink, days: Pick<ReportPeriod, 'startDate' | 'endDate'>): Promise<ShopData | null>;
}
