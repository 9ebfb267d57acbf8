import {
  CORE_SLUG,
  mergeAffectedSoftware,
  severityOfScore,
  type AffectedItem,
  type FeedRecord,
  type ItemType,
  type CopyrightNotice,
  type Severity,
} from '../vulnerability.ts';
import type { VersionRange } from '../versions.ts';
import * as values from './feed-values.ts';

/**
 * Parses a record of the Wordfence Intelligence feed, version 2 or 3. The feed is an object with the UUIDs of the
 * records as keys. Returns null if the value is not a record or is too long.
 */
export const readWordfence = (id: string, value: unknown): FeedRecord | null =>
  values.nullIfListTooLong(() => readRecord(id, value));

function readRecord(id: string, value: unknown): FeedRecord | null {
  const record = values.parseFields(value);
  const externalId = values.parseLine(record['id'], values.MAX_ID) || values.parseLine(id, values.MAX_ID);
  const software = values.parseWholeList(record['software'], values.MAX_AFFECTED);
  if (externalId === '' || !Array.isArray(record['software'])) return null;
  const affected = mergeAffectedSoftware(
    software.flatMap((each) => parseAffectedSoftware(values.parseFields(each)) ?? []),
  );
  if (affected.length === 0 && software.length > 0) return null;
  const cvss = values.parseFields(record['cvss']);
  const cvssScore = parseCvssScore(cvss['score']);
  return {
    externalId,
    title: values.parseLine(record['title'], values.MAX_TITLE) || externalId,
    description: values.parseText(record['description'], values.MAX_DESCRIPTION),
    severity: record['informational'] === true ? 'none' : parseSeverity(cvssScore, cvss['rating']),
    cvssScore,
    cvssVector: values.parseLine(cvss['vector'], 255),
    cve: values.parseCve(record['cve']),
    publishedAt: values.parseTime(record['published']),
    modifiedAt: values.parseTime(record['updated']),
    references: values
      .parseList(record['references'], values.MAX_REFERENCES)
      .flatMap((each) => values.parseLink(each) ?? []),
    notices: parseCopyrightNotices(values.parseFields(record['copyrights'])),
    affected,
  };
}

function parseCvssScore(value: unknown): number | null {
  const score = values.parseNumber(value);
  return score !== null && score >= 0 && score <= 10 ? Math.round(score * 10) / 10 : null;
}

function parseSeverity(score: number | null, rating: unknown): Severity {
  if (score !== null) return severityOfScore(score);
  const word = values.parseLine(rating, 16).toLowerCase();
  return word === 'low' || word === 'medium' || word === 'high' || word === 'critical' ? word : 'none';
}

const TYPES: Readonly<Record<string, ItemType>> = { plugin: 'plugin', theme: 'theme', core: 'core' };

function parseAffectedSoftware(software: values.FeedFields): AffectedItem | null {
  const word = values.parseLine(software['type'], 16).toLowerCase();
  const type = Object.hasOwn(TYPES, word) ? TYPES[word] : undefined;
  const slug = type === 'core' ? CORE_SLUG : values.parseSlug(software['slug']);
  if (!type || slug === null) return null;
  const ranges = values
    .parseWholeList(Object.values(values.parseFields(software['affected_versions'])), values.MAX_RANGES)
    .flatMap((each) => parseVersionRange(values.parseFields(each)) ?? []);
  if (ranges.length === 0) return null;
  const patched = values
    .parseList(software['patched_versions'], values.MAX_PATCHED)
    .map(values.parseVersionText)
    .filter((version) => version !== '');
  return { type, slug, name: values.parseLine(software['name'], values.MAX_ITEM_NAME) || slug, ranges, patched };
}

/**
 * Returns null if both ends are missing or one is not a version. An end that is missing or `*` is open, because the
 * other end still says which versions are vulnerable. Within a version, `*` is a normal character.
 */
function parseVersionRange(range: values.FeedFields): VersionRange | null {
  const from = parseRangeEnd(range['from_version']);
  const to = parseRangeEnd(range['to_version']);
  if (from === null || to === null || (from === '' && to === '')) return null;
  return {
    from: from === '*' || from === '' ? null : from,
    fromInclusive: range['from_inclusive'] !== false,
    to: to === '*' || to === '' ? null : to,
    toInclusive: range['to_inclusive'] !== false,
  };
}

/** Returns an empty text if the end is missing, and null if the value is not a version. */
function parseRangeEnd(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return '';
  return values.parseVersionText(value) || null;
}

/** Parses an object that has one notice for each rights holder. Its additional text `message` is ignored. */
const parseCopyrightNotices = (copyrights: values.FeedFields): CopyrightNotice[] =>
  Object.values(copyrights)
    .slice(0, 10)
    .flatMap((each) => {
      const holder = values.parseFields(each);
      const notice = values.parseText(holder['notice'], 1000);
      const license = values.parseText(holder['license'], 5000);
      return notice === '' && license === ''
        ? []
        : [{ notice, license, licenseUrl: values.parseLink(holder['license_url']) }];
    });
