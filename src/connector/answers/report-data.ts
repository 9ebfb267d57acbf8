import {
  type ReportCounter,
  type ReportData,
  type ReportPeriod,
  type ReportRecords,
  type ReportSection,
  type ScanResult,
  type ShopData,
} from '../child-site.ts';
import {
  asObject,
  readCount,
  readField,
  readItems,
  readNumber,
  readPlainText,
  readText,
  type JsonRecord,
} from './json-values.ts';

/**
 * Parts of the tokens that stand for a section and its fields in report calls (protocol 4.10), such as
 * `[section.backups.created]` and `[backup.created.type]`. `connector` names the writer of the records.
 */
interface SectionTokens {
  connector: string;
  section: string;
  prefix: string;
  fields: readonly string[];
}

const sectionTokens = (source: ReportSection, action: string, fields: readonly string[]): SectionTokens => {
  const section = `${source}.${action}`;
  return { connector: `mainwp_${source}`, section, prefix: section, fields };
};

export const SECTION_TOKENS: Readonly<Record<ReportSection, SectionTokens>> = {
  backups: { ...sectionTokens('backups', 'created', ['type']), prefix: 'backup.created' },
  maintenance: sectionTokens('maintenance', 'process', ['details', 'result']),
  sucuri: sectionTokens('sucuri', 'checks', ['status', 'webtrust']),
  wordfence: sectionTokens('wordfence', 'scan', ['result', 'details']),
  ithemes: sectionTokens('ithemes', 'scan', ['result', 'details']),
};

export const COUNTER_TOKENS: Readonly<Record<ReportCounter, string>> = {
  wordfence_blocked: '[wordfence.blocked.count]',
  ithemes_blocked: '[ithemes.blocked.count]',
  ithemes_lockouts: '[ithemes.lockout.count]',
};

const MAX_RECORDS = 10_000;
const TEXT_MAX = 1_000;

interface ReportDataRow {
  at: number;
  of: (name: string) => string;
}

export function decodeReportRecords(
  value: unknown,
  section: ReportSection,
  { from, until }: ReportPeriod,
): Partial<ReportRecords> | null {
  const list = readItems(readField(asObject(readField(asObject(value), 'sections_data')), 'body'), 1)?.[0];
  const rows = readItems(list, MAX_RECORDS)
    ?.flatMap((row) => readReportRow(asObject(row), SECTION_TOKENS[section]) ?? [])
    .filter(({ at }) => at >= from && at < until)
    .sort((a, b) => b.at - a.at);
  return rows ? toReportRecords(section, rows) : null;
}

function toReportRecords(section: ReportSection, rows: ReportDataRow[]): Partial<ReportRecords> {
  switch (section) {
    case 'backups':
      return { backups: dropRowsOfSameSecond(rows).map(({ at, of }) => ({ at, type: of('type') })) };
    case 'maintenance':
      return { maintenance: rows.map(({ at, of }) => ({ at, details: of('details'), result: of('result') })) };
    case 'sucuri':
      return { sucuri: rows.map(({ at, of }) => ({ at, status: of('status'), webtrust: of('webtrust') })) };
    case 'wordfence':
      return { wordfence: rows.map(toScanRecord) };
    case 'ithemes':
      return { ithemes: rows.map(toScanRecord) };
  }
}

function readReportRow(row: JsonRecord | null, { prefix }: SectionTokens): ReportDataRow | null {
  const of = (name: string): string => readPlainText(readField(row, `[${prefix}.${name}]`), TEXT_MAX);
  const at = parseUtcTime(of('utime'));
  return at === null ? null : { at, of };
}

function parseUtcTime(utime: string): number | null {
  const at = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(utime) ? Date.parse(`${utime.replace(' ', 'T')}Z`) : NaN;
  return Number.isNaN(at) ? null : at;
}

/** Keeps one backup per second, like the child's own counter: some plugins record a backup twice. Needs sorted rows. */
const dropRowsOfSameSecond = (rows: ReportDataRow[]): ReportDataRow[] =>
  rows.filter(({ at }, index) => at !== rows[index - 1]?.at);

/**
 * Results of a Wordfence scan, by the text that the child sends. The child writes these texts itself and never
 * translates them.
 */
const RESULTS: Record<string, ScanResult> = { 'No issues detected': 'no_issues', 'Issues Detected': 'issues' };
const SOME_ISSUES = /You have (\d{1,9}) new issues?/;
const NO_ISSUES = /Congratulations, no new/;

function toScanRecord({ at, of }: ReportDataRow): ReportRecords['wordfence'][number] {
  const details = of('details');
  const issueCount = SOME_ISSUES.exec(details)?.[1];
  const issues = issueCount !== undefined ? Number(issueCount) : NO_ISSUES.test(details) ? 0 : null;
  const word = of('result');
  const said = Object.hasOwn(RESULTS, word) ? RESULTS[word] : undefined;
  const meant = issues === null ? null : issues > 0 ? 'issues' : 'no_issues';
  return { at, result: said ?? meant, details, issues };
}

const NO_COUNTERS: Record<ReportCounter, number> = { wordfence_blocked: 0, ithemes_blocked: 0, ithemes_lockouts: 0 };

export function decodeReportCounters(
  value: unknown,
  counters: readonly ReportCounter[],
): Record<ReportCounter, number> | null {
  const tokens = asObject(readField(asObject(readField(asObject(value), 'other_tokens_data')), 'body'));
  if (!tokens) return null;
  const counted = counters.map((name): [ReportCounter, number] => [
    name,
    readCount(readField(tokens, COUNTER_TOKENS[name])),
  ]);
  return { ...NO_COUNTERS, ...Object.fromEntries(counted) };
}

export const emptyReportData = (): ReportData => ({
  backups: [],
  maintenance: [],
  sucuri: [],
  wordfence: [],
  ithemes: [],
  counters: { ...NO_COUNTERS },
});

const NAME_MAX = 255;
/** Maximum amount. A JavaScript number of this size is still exact to the cent. */
const SALES_MAX = 1e12;

/** Decodes `woo_com_status` (protocol 4.11). */
export function decodeShop(value: unknown): ShopData | null {
  const data = asObject(readField(asObject(value), 'data'));
  if (!data) return null;
  // The child sends null as the sum of no orders.
  const sales = readNumber(readField(data, 'sales')) ?? 0;
  const formatted = readField(data, 'formated_sales');
  return {
    sales: Math.max(-SALES_MAX, Math.min(sales, SALES_MAX)),
    salesText: typeof formatted === 'string' ? priceIn(formatted) : '',
    topSeller: bestSellerOf(asObject(readField(data, 'top_seller'))),
    awaitingProcessing: readCount(readField(data, 'awaiting')),
    onHold: readCount(readField(data, 'onhold')),
    lowStock: readCount(readField(data, 'lowstock')),
    outOfStock: readCount(readField(data, 'outstock')),
  };
}

const priceIn = (html: string): string => readPlainText(html.slice(0, 2_000).replace(/<[^<>]*>/g, ''), 64);

function bestSellerOf(seller: JsonRecord | null): ShopData['topSeller'] {
  const name = readPlainText(readField(seller, 'name'), NAME_MAX) || readText(readField(seller, 'product_id'), 20);
  return name === '' ? null : { name, quantity: readCount(readField(seller, 'qty')) };
}
