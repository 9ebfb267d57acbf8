import {
  CORE_SLUG,
  mergeItems,
  severityOfScore,
  type AffectedItem,
  type FeedRecord,
  type ItemType,
  type Notice,
  type Severity,
} from '../vulnerability.ts';
import type { VersionRange } from '../versions.ts';
import * as values from './values.ts';

/**
 * Parses a record of the Wordfence Intelligence feed, version 2 or 3. The feed is an object with the UUIDs of the
 * records as keys. Returns null if the value is not a record or is too long.
 */
export const readWordfence = (id: string, value: unknown): FeedRecord | null =>
  values.nullIfListTooLong(() => readRecord(id, value));

function readRecord(id: string, value: unknown): FeedRecord | null {
  const record = values.fieldsIn(value);
  const externalId = values.lineIn(record['id'], values.MAX_ID) || values.lineIn(id, values.MAX_ID);
  const software = values.wholeListIn(record['software'], values.MAX_AFFECTED);
  if (externalId === '' || !Array.isArray(record['software'])) return null;
  const affected = mergeItems(software.flatMap((each) => affectedIn(values.fieldsIn(each)) ?? []));
  if (affected.length === 0 && software.length > 0) return null;
  const cvss = values.fieldsIn(record['cvss']);
  const cvssScore = scoreIn(cvss['score']);
  return {
    externalId,
    title: values.lineIn(record['title'], values.MAX_TITLE) || externalId,
    description: values.textIn(record['description'], values.MAX_DESCRIPTION),
    severity: record['informational'] === true ? 'none' : severityIn(cvssScore, cvss['rating']),
    cvssScore,
    cvssVector: values.lineIn(cvss['vector'], 255),
    cve: values.cveIn(record['cve']),
    publishedAt: values.timeIn(record['published']),
    modifiedAt: values.timeIn(record['updated']),
    references: values.listIn(record['references'], values.MAX_REFERENCES).flatMap((each) => values.linkIn(each) ?? []),
    notices: noticesIn(values.fieldsIn(record['copyrights'])),
    affected,
  };
}

function scoreIn(value: unknown): number | null {
  const score = values.numberIn(value);
  return score !== null && score >= 0 && score <= 10 ? Math.round(score * 10) / 10 : null;
}

function severityIn(score: number | null, rating: unknown): Severity {
  if (score !== null) return severityOfScore(score);
  const word = values.lineIn(rating, 16).toLowerCase();
  return word === 'low' || word === 'medium' || word === 'high' || word === 'critical' ? word : 'none';
}

const TYPES: Readonly<Record<string, ItemType>> = { plugin: 'plugin', theme: 'theme', core: 'core' };

function affectedIn(software: values.Fields): AffectedItem | null {
  const word = values.lineIn(software['type'], 16).toLowerCase();
  const type = Object.hasOwn(TYPES, word) ? TYPES[word] : undefined;
  const slug = type === 'core' ? CORE_SLUG : values.slugIn(software['slug']);
  if (!type || slug === null) return null;
  const ranges = values
    .wholeListIn(Object.values(values.fieldsIn(software['affected_versions'])), values.MAX_RANGES)
    .flatMap((each) => rangeIn(values.fieldsIn(each)) ?? []);
  if (ranges.length === 0) return null;
  const patched = values
    .listIn(software['patched_versions'], values.MAX_PATCHED)
    .map(values.versionIn)
    .filter((version) => version !== '');
  return { type, slug, name: values.lineIn(software['name'], values.MAX_ITEM_NAME) || slug, ranges, patched };
}

/**
 * A `*` alone means an open end; within a version it is a normal character. A missing end is open too, because the
 * other end still says which versions are vulnerable. Returns null if both are missing or one is not a version.
 */
function rangeIn(range: values.Fields): VersionRange | null {
  const from = endIn(range['from_version']);
  const to = endIn(range['to_version']);
  if (from === null || to === null || (from === '' && to === '')) return null;
  return {
    from: from === '*' || from === '' ? null : from,
    fromInclusive: range['from_inclusive'] !== false,
    to: to === '*' || to === '' ? null : to,
    toInclusive: range['to_inclusive'] !== false,
  };
}

/** Returns an empty text if the end is missing, and null if the value is not a version. */
function endIn(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return '';
  return values.versionIn(value) || null;
}

/** Copyrights are objects by the name of the rights holder. The additional `message` is ignored. */
const noticesIn = (copyrights: values.Fields): Notice[] =>
  Object.values(copyrights)
    .slice(0, 10)
    .flatMap((each) => {
      const holder = values.fieldsIn(each);
      const notice = values.textIn(holder['notice'], 1000);
      const license = values.textIn(holder['license'], 5000);
      return notice === '' && license === ''
        ? []
        : [{ notice, license, licenseUrl: values.linkIn(holder['license_url']) }];
    });
