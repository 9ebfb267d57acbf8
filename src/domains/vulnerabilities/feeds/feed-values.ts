/** Readers for the values of a feed. Feeds are not trusted, so every value is checked and limited in size. */

export type FeedFields = Readonly<Record<string, unknown>>;

export const parseFields = (value: unknown): FeedFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as FeedFields) : {};

export const parseList = (value: unknown, most: number): readonly unknown[] =>
  Array.isArray(value) ? value.slice(0, most) : [];

class TooLongError extends Error {}

/** Like `parseList`, but throws if the list is too long. `nullIfListTooLong` catches the error. */
export function parseWholeList(value: unknown, most: number): readonly unknown[] {
  if (Array.isArray(value) && value.length > most) throw new TooLongError();
  return parseList(value, most);
}

/** Returns null if the record has a list that is too long. A cut list would make vulnerable versions look safe. */
export function nullIfListTooLong<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof TooLongError) return null;
    throw error;
  }
}

/** Control characters and invisible characters, except line breaks. */
// oxlint-disable-next-line no-control-regex
const INVISIBLE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

export function parseText(value: unknown, most: number): string {
  if (typeof value !== 'string') return '';
  return value
    .slice(0, most * 2)
    .replace(INVISIBLE, ' ')
    .slice(0, most)
    .replace(/\p{Surrogate}/gu, '')
    .normalize('NFC')
    .trim();
}

export const parseLine = (value: unknown, most: number): string => parseText(value, most).replace(/\s+/g, ' ');

export const parseVersionText = (value: unknown): string =>
  typeof value === 'number' ? String(value) : parseLine(value, 64);

export function parseNumber(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** Parses a time to milliseconds since 1970. A time without a zone is UTC. Returns null if it is invalid. */
export function parseTime(value: unknown): number | null {
  const text = parseLine(value, 40);
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return null;
  const zoned = /(Z|[+-]\d\d:?\d\d)$/i.test(text.slice(10))
    ? text
    : `${text.replace(' ', 'T')}${text.length > 10 ? 'Z' : ''}`;
  const time = Date.parse(zoned);
  return Number.isNaN(time) ? null : time;
}

export function parseLink(value: unknown): string | null {
  const text = parseLine(value, 1000);
  return /^https?:\/\/[^\s"<>]+$/i.test(text) ? text : null;
}

const CVE = /^CVE-\d{4}-\d{4,12}$/i;

export function parseCve(value: unknown): string | null {
  const text = parseLine(value, 32);
  return CVE.test(text) ? text.toUpperCase() : null;
}

export const MAX_RANGES = 1000;
export const MAX_VERSIONS = 10_000;
export const MAX_REFERENCES = 20;
/** Maximum number of plugins and themes with one vulnerability. A library can be in hundreds of them. */
export const MAX_AFFECTED = 5000;
export const MAX_PATCHED = 1000;
export const MAX_ID = 190;
export const MAX_TITLE = 500;
export const MAX_DESCRIPTION = 5000;
export const MAX_ITEM_NAME = 255;

const SLUG = /^[^/\s"<>]{1,190}$/;

export function parseSlug(value: unknown): string | null {
  const text = parseLine(value, MAX_ID).toLowerCase();
  return SLUG.test(text) ? text : null;
}
