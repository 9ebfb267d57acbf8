import { parseUrl } from '../../shared/url.ts';
import { decodeNestedHtmlEntities } from './html-entities.ts';

/**
 * The functions of this file read values that a child sent. PHP's types are unreliable (protocol 0.6, 0.7) and the
 * child may be hostile (protocol 6): a value is converted if its meaning is clear, and dropped otherwise. Fields are
 * read only as own properties, and a name that a child chose never becomes a property of our objects.
 */
export type JsonRecord = Record<string, unknown>;

export function asObject(value: unknown): JsonRecord | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : null;
}

export function readField(object: JsonRecord | null, name: string): unknown {
  return object !== null && Object.hasOwn(object, name) ? object[name] : undefined;
}

/**
 * Returns the entries of a map, up to `max`. An empty map arrives as `[]`. For a list with items, the keys are the
 * positions. Returns undefined for other values: the data is then unknown, not empty.
 */
export function readEntries(value: unknown, max: number): [string, unknown][] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value as JsonRecord).slice(0, max);
}

/** Returns the items of a list, up to `max`. PHP sends a list with gaps as a map, so maps are accepted too. */
export function readItems(value: unknown, max: number): unknown[] | undefined {
  if (Array.isArray(value)) return (value as unknown[]).slice(0, max);
  return readEntries(value, max)?.map(([, item]) => item);
}

// oxlint-disable-next-line no-control-regex
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
// oxlint-disable-next-line no-control-regex
const LINE_BREAKS = /[\u0009-\u000d\u0085\u2028\u2029]+/g;

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

export function cleanText(value: string, max: number): string {
  if (value.length <= max && PRINTABLE_ASCII.test(value)) return value.trim();
  const oneLine = value
    .slice(0, max * 4 + 64)
    .replace(LINE_BREAKS, ' ')
    .replace(INVISIBLE, '')
    .trim();
  return oneLine.slice(0, max).replace(/\p{Surrogate}/gu, '');
}

export function readText(value: unknown, max: number): string {
  if (typeof value === 'string') return cleanText(value, max);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value).slice(0, max);
  return '';
}

/** Returns a text as it was sent, whatever its characters and length. For content that people write. */
export function readExactText(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' && Number.isFinite(value) ? String(value) : '';
}

export function readTextOrNull(value: unknown, max: number): string | null {
  const result = readText(value, max);
  return result === '' ? null : result;
}

/** Returns a plain text for people, never HTML. Decodes HTML entities that WordPress or a plugin added. */
export function readPlainText(value: unknown, max: number): string {
  const raw = typeof value === 'string' ? decodeNestedHtmlEntities(value.slice(0, max * 8 + 64)) : value;
  return readText(raw, max);
}

/** The text may be HTML. */
export function readMultilineText(value: unknown, max: number): string {
  return typeof value === 'string' ? value.slice(0, max).replace(/\p{Surrogate}/gu, '') : '';
}

export function readNumber(value: unknown): number | null {
  const result =
    typeof value === 'number'
      ? value
      : typeof value === 'string' && /^-?\d{1,17}(\.\d{1,20})?$/.test(value)
        ? Number(value)
        : NaN;
  return Number.isFinite(result) ? result : null;
}

export function readCount(value: unknown): number {
  return Math.min(Math.max(0, Math.trunc(readNumber(value) ?? 0)), 1_000_000_000);
}

export function readFlag(value: unknown): boolean {
  return value === true || value === 1 || value === '1';
}

const SLUG_MAX = 255;
// oxlint-disable-next-line no-control-regex
const SLUG = /^[^|,\u0000-\u001f\u007f-\u009f]+$/;

/**
 * Returns a plugin file, stylesheet or translation slug unchanged. Returns null if it could break the lists in which it
 * is sent back, whose separators are `||` and `,` (protocol 6).
 */
export function readSlug(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const slug = String(value);
  return slug.length <= SLUG_MAX && isSlug(slug) ? slug : null;
}

export function isSlug(slug: string): boolean {
  return SLUG.test(slug) && slug.trim() === slug && !/\p{Surrogate}/u.test(slug);
}

export function readUnixSeconds(value: unknown): number | null {
  const result = readNumber(value);
  return result !== null && result > 0 && result < 4_102_444_800 ? result : null;
}

export function readHttpUrl(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 500 || !/^https?:\/\/[^\s<>"'`]+$/i.test(value)) return null;
  const url = parseUrl(value);
  return url?.username === '' && url.password === '' ? value : null;
}
