import { expiryInWords } from '../../shared/calendar.ts';
import type { ReportValue } from '../pro-reports/index.ts';
import type { Formats } from '../settings/index.ts';
import type { Cell, FigureTone } from './page-content.ts';
import type { FieldFormat } from './segment-layouts.ts';
import { cleanText, fieldNameToLabel, minutesText } from './texts.ts';

const NUMERIC: ReadonlySet<FieldFormat> = new Set(['number', 'score', 'percent', 'minutes', 'seconds', 'ms']);
/** Limit for badges and times, because a site can send text of any length in these fields. */
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

const badgeToneOf = (word: string): FigureTone =>
  TONES.find(([, words]) => words.test(word.toLowerCase().replaceAll('_', ' ')))?.[0] ?? 'plain';

/** Returns the color of a score, by the thresholds of Lighthouse. */
export const scoreTone = (score: number): FigureTone => (score >= 90 ? 'good' : score >= 50 ? 'warn' : 'bad');

export function formatReportValue(value: ReportValue | undefined, kind: FieldFormat, formats: Formats): string {
  if (value === null || value === undefined) return '';
  if (kind === 'spans' && Array.isArray(value)) return spansText(value, formats);
  if (Array.isArray(value)) return cleanText(value.join(', '));
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return numberText(value, kind, formats);
  if (kind === 'badge') return fieldNameToLabel(value);
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

function spansText(spans: readonly string[], formats: Formats): string {
  const texts = spans.slice(0, MOST_SPANS).map((span) => {
    const [from = 0, until = 0] = span.split('/').map(Date.parse);
    const isOneDay = formats.dayOf(from) === formats.dayOf(until);
    return `${formats.dateTime(from)} – ${isOneDay ? formats.time(until) : formats.dateTime(until)}`;
  });
  const more = spans.length - texts.length;
  return [...texts, ...(more > 0 ? [`${formats.number(more)} more`] : [])].join('; ');
}

function numberText(value: number, kind: FieldFormat, formats: Formats): string {
  switch (kind) {
    case 'percent':
      return percentText(value, formats);
    case 'minutes':
      return minutesText(formats, value);
    case 'seconds':
      return minutesText(formats, value / 60);
    case 'ms':
      return `${formats.number(Math.round(value))}\u00a0ms`;
    case 'expiry':
      return expiryInWords(value);
    case 'score':
      return `${formats.number(value)} of 100`;
    default:
      return formats.number(value, 2);
  }
}

/** Formats a percentage. Does not round up to 100 %, because a site with a downtime of a minute was not always up. */
export function percentText(value: number, formats: Formats): string {
  const shown = value >= 100 ? 100 : Math.min(value, 99.999);
  return `${formats.number(Math.floor(shown * 1000) / 1000, shown > 99.9 && shown < 100 ? 3 : 2)}\u00a0%`;
}

const SHORT: ReadonlySet<FieldFormat> = new Set(['badge', 'moment', 'day', 'date']);

export function formatCell(value: ReportValue | undefined, kind: FieldFormat, formats: Formats): Cell {
  if (kind === 'score' && typeof value === 'number')
    return { text: formats.number(value), tone: scoreTone(value), numeric: true, short: true };
  const text = formatReportValue(value, kind, formats);
  const tone = kind === 'badge' && text !== '' ? badgeToneOf(String(value)) : null;
  const isOurs = isNumeric(kind) || (SHORT.has(kind) && text.length < LONGEST_SHORT);
  return { text, tone, numeric: isNumeric(kind), short: isOurs };
}
