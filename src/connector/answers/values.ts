import { parseUrl } from '../../shared/url.ts';
import { withoutEntities } from './entities.ts';

/**
 * Reading of values that a child sent. PHP's types are unreliable (protocol 0.6, 0.7) and the child may be hostile (6):
 * a value is coerced where its meaning is plain and dropped where it is not. Fields are read as own properties only,
 * and no name that a child chose ever becomes a property of an object of ours.
 */
export type Json = Record<string, unknown>;

/** A JSON object; lists and scalars are none. */
export function asObject(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
}

export function field(object: Json | null, name: string): unknown {
  return object !== null && Object.hasOwn(object, name) ? object[name] : undefined;
}

/**
 * Entries of a map, at most `max`. An empty map arrives as `[]`; a list that has items is taken as a map from their
 * positions. Undefined when it is neither: the part is then unknown, not empty.
 */
export function entriesOf(value: unknown, max: number): [string, unknown][] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value as Json).slice(0, max);
}

/** Items of a list, at most `max`; a map with numbered keys (a PHP list with holes) counts as one. */
export function itemsOf(value: unknown, max: number): unknown[] | undefined {
  if (Array.isArray(value)) return (value as unknown[]).slice(0, max);
  return entriesOf(value, max)?.map(([, item]) => item);
}

// oxlint-disable-next-line no-control-regex
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
// oxlint-disable-next-line no-control-regex
const LINE_BREAKS = /[\u0009-\u000d\u0085\u2028\u2029]+/g;

/** One line of plain characters: control characters, text-direction marks and broken characters gone, cut to `max`. */
export function cleanText(value: string, max: number): string {
  const oneLine = value
    .slice(0, max * 4 + 64)
    .replace(LINE_BREAKS, ' ')
    .replace(INVISIBLE, '')
    .trim();
  return oneLine.slice(0, max).replace(/\p{Surrogate}/gu, '');
}

/** Text of a scalar; '' for everything else. */
export function text(value: unknown, max: number): string {
  if (typeof value === 'string') return cleanText(value, max);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value).slice(0, max);
  return '';
}

/** Text exactly as it came, of any length that an answer can have: for what people write, and nothing else. */
export function exactText(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' && Number.isFinite(value) ? String(value) : '';
}

export function textOrNull(value: unknown, max: number): string | null {
  const result = text(value, max);
  return result === '' ? null : result;
}

/**
 * A text for people: entities that WordPress or a plugin put in are taken out again. It stays text and is never HTML.
 */
export function plainText(value: unknown, max: number): string {
  const raw = typeof value === 'string' ? withoutEntities(value.slice(0, max * 8 + 64)) : value;
  return text(raw, max);
}

/** A text of several lines, as it is but for half characters; it may be HTML. '' for everything but a string. */
export function longText(value: unknown, max: number): string {
  return typeof value === 'string' ? value.slice(0, max).replace(/\p{Surrogate}/gu, '') : '';
}

/** A number, also when it comes as a string; null otherwise. */
export function number(value: unknown): number | null {
  const result =
    typeof value === 'number'
      ? value
      : typeof value === 'string' && /^-?\d{1,17}(\.\d{1,20})?$/.test(value)
        ? Number(value)
        : NaN;
  return Number.isFinite(result) ? result : null;
}

export function count(value: unknown): number {
  return Math.min(Math.max(0, Math.trunc(number(value) ?? 0)), 1_000_000_000);
}

/** PHP's idea of a flag: true, 1, '1'. */
export function flag(value: unknown): boolean {
  return value === true || value === 1 || value === '1';
}

const SLUG_MAX = 255;
// oxlint-disable-next-line no-control-regex
const SLUG = /^[^|,\u0000-\u001f\u007f-\u009f]+$/;

/**
 * Plugin file, stylesheet or translation slug, taken exactly or not at all: it is sent back in `||` and `,` lists (6).
 */
export function slugOf(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const slug = String(value);
  return slug.length <= SLUG_MAX && isSlug(slug) ? slug : null;
}

export function isSlug(slug: string): boolean {
  return SLUG.test(slug) && slug.trim() === slug && !/\p{Surrogate}/u.test(slug);
}

/** Seconds since 1970 within this century, as a cursor of a log can hold; null otherwise. */
export function seconds(value: unknown): number | null {
  const result = number(value);
  return result !== null && result > 0 && result < 4_102_444_800 ? result : null;
}

/** An http or https URL without user information; null otherwise. */
export function httpUrl(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 500 || !/^https?:\/\/[^\s<>"'`]+$/i.test(value)) return null;
  const url = parseUrl(value);
  return url?.username === '' && url.password === '' ? value : null;
}
