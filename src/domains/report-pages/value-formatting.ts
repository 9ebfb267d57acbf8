import type { ReportValue } from '../pro-reports/index.ts';
import type { Cell, FigureTone } from './page-content.ts';
import type { ReportFormats } from './report-formats.ts';
import type { FieldFormat } from './segment-layouts.ts';
import { cleanText, readableWord } from './texts.ts';

const NUMERIC: ReadonlySet<FieldFormat> = new Set(['number', 'score', 'percent', 'minutes', 'seconds', 'ms']);
/** Maximum length of badges and times, because a site can send text of any length in these fields. */
const LONGEST_SHORT = 40;

export const isNumeric = (kind: FieldFormat): boolean => NUMERIC.has(kind);

const TONES: readonly (readonly [FigureTone, RegExp])[] = [
  [
    'bad',
    /^(deleted|down|expired|critical|high|mismatch|untrusted|blacklisted|issues|unreachable|no.tls|spam|failed)$/,
  ],
  [
    'warn',
    /^(expiring|medium|warnings?|pending|trashed|deactivated|unapproved|disconnected|suspended|paused|unknown)$/,
  ],
  ['good', /^(updated|installed|up|valid|active|clear|trusted|no.issues|success|connected|approved|restored|ok)$/],
];

export const badgeToneOf = (word: string): FigureTone =>
  TONES.find(([, words]) => words.test(word.toLowerCase().replaceAll('_', ' ')))?.[0] ?? 'plain';

/** Returns the color of a score, by the thresholds of Lighthouse. */
export const scoreTone = (score: number): FigureTone => (score >= 90 ? 'good' : score >= 50 ? 'warn' : 'bad');

export const translatedWord = (word: string, formats: ReportFormats): string =>
  formats.language.textOf(`words.${word.toLowerCase().replace(/[ -]/g, '_')}`) ?? readableWord(word);

export function formatReportValue(value: ReportValue | undefined, kind: FieldFormat, formats: ReportFormats): string {
  if (value === null || value === undefined) return '';
  if (kind === 'spans' && Array.isArray(value)) return formatSpans(value, formats);
  if (Array.isArray(value)) return cleanText(formats.language.list(value));
  if (typeof value === 'boolean') return formats.text(value ? 'value.yes' : 'value.no');
  if (typeof value === 'number') return numberText(value, kind, formats);
  if (kind === 'badge' || kind === 'word') return translatedWord(value, formats);
  if (kind === 'date' || kind === 'day') {
    const day = kind === 'date' ? value.slice(0, 10) : value;
    return /^\d{4}-\d{2}-\d{2}$/.test(day) ? formats.day(day) : cleanText(value);
  }
  if (kind === 'moment') {
    const moment = Date.parse(value);
    return Number.isNaN(moment) ? cleanText(value) : formats.dateTime(moment);
  }
  return cleanText(value);
}

const MOST_SPANS = 5;

/** Formats spans such as `2026-09-10T10:00:00Z/2026-09-10T14:00:00Z`. */
export function formatSpans(spans: readonly string[], formats: ReportFormats): string {
  const texts = spans.slice(0, MOST_SPANS).map((span) => {
    const [from = 0, until = 0] = span.split('/').map(Date.parse);
    const isOneDay = formats.dayOf(from) === formats.dayOf(until);
    return `${formats.dateTime(from)} – ${isOneDay ? formats.time(until) : formats.dateTime(until)}`;
  });
  const more = spans.length - texts.length;
  const items = texts.join('; ');
  return more > 0 ? formats.text('list.cut', { items, count: more }) : items;
}

function expiryText(daysLeft: number, formats: ReportFormats): string {
  const days = Math.abs(daysLeft);
  return daysLeft < 0 ? formats.text('value.expiry_ago', { days }) : formats.text('value.expiry_ahead', { days });
}

function numberText(value: number, kind: FieldFormat, formats: ReportFormats): string {
  switch (kind) {
    case 'percent':
      return formats.percent(value);
    case 'minutes':
      return formats.duration(value, 'short');
    case 'seconds':
      return formats.duration(value / 60, 'short');
    case 'ms':
      return formats.milliseconds(value);
    case 'expiry':
      return expiryText(value, formats);
    case 'score':
      return formats.text('value.score', { score: value });
    default:
      return formats.number(value, 2);
  }
}

const SHORT: ReadonlySet<FieldFormat> = new Set(['badge', 'word', 'moment', 'day', 'date']);

export function formatCell(value: ReportValue | undefined, kind: FieldFormat, formats: ReportFormats): Cell {
  if (kind === 'score' && typeof value === 'number')
    return { text: formats.number(value), tone: scoreTone(value), numeric: true, short: true };
  const text = formatReportValue(value, kind, formats);
  const tone = kind === 'badge' && text !== '' ? badgeToneOf(String(value)) : null;
  const isOurs = isNumeric(kind) || (SHORT.has(kind) && text.length < LONGEST_SHORT);
  return { text, tone, numeric: isNumeric(kind), short: isOurs };
}
