import { SECOND } from '../../shared/clock.ts';
import type { Formats } from '../settings/index.ts';
import type { ReportItem, ReportValue, SegmentReport } from './report.ts';
import type { Segment, SegmentTokenNaming } from './segment.ts';

export type TokenTexts = Record<string, string>;

export interface SegmentTokens {
  sections: TokenTexts[][];
  others: TokenTexts;
}

type DateFormats = Pick<Formats, 'date' | 'day' | 'time' | 'dateTime'>;

/** Fields whose tokens contain the action of the item, such as `[plugin.updated.date]`. */
const OF_ACTION = ['date', 'author', 'slug'];
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export function segmentTokensOf(
  report: SegmentReport,
  { actions, tokens }: Segment,
  writer: DateFormats,
): SegmentTokens {
  const sections = new Map<string, TokenTexts[]>();
  for (const item of report.items) {
    const section = String(item['action'] ?? item['kind'] ?? '');
    const row = itemTokensOf(item, tokens, writer);
    const rows = sections.get(section);
    if (rows) rows.push(row);
    else sections.set(section, [row]);
  }
  const place = (section: string): number => actions.indexOf(section);
  const ordered = [...sections].sort(([left], [right]) => place(left) - place(right));
  return { sections: ordered.map(([, rows]) => rows), others: countAndSummaryTokensOf(report, tokens, writer) };
}

function itemTokensOf(item: ReportItem, spelling: SegmentTokenNaming, writer: DateFormats): TokenTexts {
  const { action } = item;
  const row: TokenTexts = {};
  for (const [field, value] of Object.entries(item)) {
    const isOfAction = typeof action === 'string' && OF_ACTION.includes(field);
    const front = isOfAction ? `${spelling.kind}.${action}` : spelling.kind;
    Object.assign(row, tokenTextsOf(`${front}.${tokenWord(field, spelling)}`, value, writer, field === 'date'));
  }
  return row;
}

function countAndSummaryTokensOf(
  { counts, summary }: SegmentReport,
  spelling: SegmentTokenNaming,
  writer: DateFormats,
): TokenTexts {
  const numbers = Object.entries(counts);
  const facts = Object.entries(summary);
  if (facts.length === 0 && numbers.every(([, count]) => count === 0)) return {};
  const texts: TokenTexts = {};
  for (const [name, count] of numbers)
    texts[`[${spelling.kind}.${name === 'count' ? 'count' : `${tokenWord(name, spelling)}.count`}]`] = String(count);
  for (const [name, value] of facts) {
    const shown = spelling.dates?.includes(name) && typeof value === 'string' ? dateOf(value) : value;
    Object.assign(texts, tokenTextsOf(`${spelling.kind}.${tokenWord(name, spelling)}`, shown, writer, false));
  }
  return texts;
}

const dateOf = (iso: string): string => iso.slice(0, 10);

const tokenWord = (field: string, { fields = {} }: SegmentTokenNaming): string =>
  Object.hasOwn(fields, field) ? (fields[field] ?? field) : field.replaceAll('_', '.');

/** Returns the texts of a token. A `date` field becomes three tokens: `date`, `time`, and `utime` with both in UTC. */
function tokenTextsOf(token: string, value: ReportValue, writer: DateFormats, isMoment: boolean): TokenTexts {
  if (!isMoment || typeof value !== 'string' || !TIME.test(value))
    return { [`[${token}]`]: formatTokenValue(value, writer) };
  const at = Date.parse(value);
  const front = token.replace(/\.date$/, '');
  return {
    [`[${front}.date]`]: writer.date(at),
    [`[${front}.time]`]: writer.time(at),
    [`[${front}.utime]`]: new Date(at - (at % SECOND)).toISOString().slice(0, 19).replace('T', ' '),
  };
}

function formatTokenValue(value: ReportValue, writer: DateFormats): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value !== 'string') return String(value);
  if (TIME.test(value)) return writer.dateTime(Date.parse(value));
  return DAY.test(value) ? writer.day(value) : value;
}
