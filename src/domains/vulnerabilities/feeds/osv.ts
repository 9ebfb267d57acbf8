import { createRequire } from 'node:module';
import {
  CORE_SLUG,
  mergeAffectedSoftware,
  SEVERITIES,
  severityOfScore,
  type AffectedItem,
  type FeedRecord,
  type ItemType,
  type Severity,
} from '../vulnerability.ts';
import { compareVersions, isWithin, type VersionRange } from '../versions.ts';
import * as values from './feed-values.ts';

/**
 * In CVSS 4.0, `base` also counts threat and environmental metrics, and `baseMetricsOnly` is the base score. Older
 * versions have no `baseMetricsOnly`.
 */
interface CvssScores {
  base?: number;
  baseMetricsOnly?: number;
}

interface CvssCalculator {
  /** Accepts vectors of CVSS 2, 3.0, 3.1 and 4.0. Returns nothing for other texts. */
  fromVector(vector: string): { isBaseFullyDefined(): boolean; calculateScores(): CvssScores } | null | undefined;
}

let loaded: CvssCalculator | undefined;

/**
 * Loads the calculator for the first score, because few installations read OSV feeds. The package is bundled for
 * `require`. The result of an `import` would depend on the module loader.
 */
const calculator = (): CvssCalculator =>
  (loaded ??= createRequire(import.meta.url)('ae-cvss-calculator') as CvssCalculator);

/**
 * Parses a record in the OSV schema. Returns `other` if the record was withdrawn or is not about WordPress software,
 * and null if it is not a record or is too long.
 */
export const readOsv = (value: unknown): FeedRecord | 'other' | null =>
  values.nullIfListTooLong(() => readRecord(value));

function readRecord(value: unknown): FeedRecord | 'other' | null {
  const record = values.parseFields(value);
  const externalId = values.parseLine(record['id'], values.MAX_ID);
  if (externalId === '' || !Array.isArray(record['affected'] ?? [])) return null;
  if (values.parseTime(record['withdrawn']) !== null) return 'other';
  const packages = values.parseWholeList(record['affected'], values.MAX_AFFECTED).map(values.parseFields);
  const affected = mergeAffectedSoftware(packages.flatMap((each) => parseAffectedSoftware(each) ?? []));
  if (affected.length === 0) return 'other';
  const rating = worstRatingIn([record, ...packages.slice(0, MAX_RATED)]);
  const details = values.parseText(record['details'], values.MAX_DESCRIPTION);
  const names = [externalId, ...values.parseList(record['aliases'], 50)];
  return {
    externalId,
    title: values.parseLine(record['summary'], values.MAX_TITLE) || values.parseLine(details, 200) || externalId,
    description: details,
    ...rating,
    cve: names.map(values.parseCve).find((cve) => cve !== null) ?? null,
    publishedAt: values.parseTime(record['published']),
    modifiedAt: values.parseTime(record['modified']),
    references: values
      .parseList(record['references'], values.MAX_REFERENCES)
      .flatMap((each) => values.parseLink(values.parseFields(each)['url']) ?? []),
    notices: [],
    affected,
  };
}

/** Maximum number of packages whose ratings are read, because calculating a score takes time. */
const MAX_RATED = 100;

type Rating = Pick<FeedRecord, 'severity' | 'cvssScore' | 'cvssVector'>;

/**
 * Returns the rating with the highest score from the CVSS vectors of a record and its packages. Without a vector, uses
 * the severity word in `database_specific`.
 */
function worstRatingIn(holders: readonly values.FeedFields[]): Rating {
  const vectors = holders
    .flatMap(({ severity }) => values.parseList(severity, 10))
    .map((each) => values.parseLine(values.parseFields(each)['score'], 255));
  const rated = vectors.flatMap((vector) => {
    const score = cvssScoreOf(vector);
    return score === null ? [] : [{ severity: severityOfScore(score), cvssScore: score, cvssVector: vector }];
  });
  const [worst] = rated.sort((one, other) => other.cvssScore - one.cvssScore);
  if (worst) return worst;
  const words = holders.map((each) => values.parseLine(values.parseFields(each['database_specific'])['severity'], 16));
  return { severity: words.map(severityIn).find((word) => word !== null) ?? 'none', cvssScore: null, cvssVector: '' };
}

function severityIn(word: string): Severity | null {
  const lower = word.toLowerCase();
  return lower === 'moderate' ? 'medium' : (SEVERITIES.find((each) => each === lower) ?? null);
}

/**
 * Returns the base score. Ignores temporal, threat and environmental metrics, because authors rate them differently.
 */
function cvssScoreOf(vector: string): number | null {
  let score: number | undefined;
  try {
    const cvss = calculator().fromVector(vector);
    if (!cvss?.isBaseFullyDefined()) return null;
    const { base, baseMetricsOnly = base } = cvss.calculateScores();
    score = baseMetricsOnly;
  } catch {
    return null;
  }
  return typeof score === 'number' && score >= 0 && score <= 10 ? score : null;
}

interface SoftwareName {
  type: ItemType;
  slug: string;
}

const CORE_PACKAGES: ReadonlySet<string> = new Set([
  'roots/wordpress',
  'roots/wordpress-no-content',
  'roots/wordpress-full',
  'johnpbloch/wordpress',
  'johnpbloch/wordpress-core',
]);

const COMPOSER = /^(?:wpackagist|wp)-(plugin|theme)\/(.+)$/;

/**
 * Returns the software that a package stands for. Supports the ecosystems `WordPress:Plugin`, `WordPress:Theme`,
 * `WordPress:Core` and `WordPress` (with the name `wordpress`), also with a dash and in any case, and `Packagist` with
 * the names of Composer.
 */
function softwareOf(of: values.FeedFields): SoftwareName | null {
  const ecosystem = values.parseLine(of['ecosystem'], 200).toLowerCase();
  const name = values.parseLine(of['name'], 255).toLowerCase();
  const [, kind] = /^wordpress[:-](plugin|theme|core)s?(?::|$)/.exec(ecosystem) ?? [];
  if (kind === 'core' || (ecosystem === 'wordpress' && name === CORE_SLUG)) return { type: 'core', slug: CORE_SLUG };
  if (kind !== undefined) return toSoftwareName(kind as ItemType, name);
  if (!/^packagist(:|$)/.test(ecosystem)) return null;
  if (CORE_PACKAGES.has(name)) return { type: 'core', slug: CORE_SLUG };
  const [, type, slug = ''] = COMPOSER.exec(name) ?? [];
  return type === undefined ? null : toSoftwareName(type as ItemType, slug);
}

function toSoftwareName(type: ItemType, name: string): SoftwareName | null {
  const slug = values.parseSlug(name);
  return slug === null ? null : { type, slug };
}

function parseAffectedSoftware(affected: values.FeedFields): AffectedItem | null {
  const of = softwareOf(values.parseFields(affected['package']));
  if (!of) return null;
  const events = values
    .parseWholeList(affected['ranges'], values.MAX_RANGES)
    .map(values.parseFields)
    .filter(({ type }) => type === 'ECOSYSTEM' || type === 'SEMVER')
    .map(({ events: list }) => values.parseWholeList(list, 2 * values.MAX_RANGES).map(values.parseFields));
  const spans = values.parseWholeList(events.flatMap(eventsToVersionRanges), values.MAX_RANGES) as VersionRange[];
  const patched = events.flat().flatMap(({ fixed }) => values.parseVersionText(fixed) || []);
  const listed = values.parseWholeList(affected['versions'], values.MAX_VERSIONS).map(values.parseVersionText);
  const ranges = [...spans, ...versionsBeside(spans, listed).map(rangeOfVersion)];
  if (ranges.length === 0) return null;
  const name =
    values.parseLine(values.parseFields(affected['database_specific'])['name'], values.MAX_ITEM_NAME) || of.slug;
  return { ...of, name, ranges, patched: patched.slice(0, values.MAX_PATCHED) };
}

/** Maximum number of comparisons of versions with ranges in `versionsBeside`. One takes about 200 nanoseconds. */
const MAX_COMPARISONS = 100_000;

/**
 * Returns the versions that no range covers. If the comparison would take too long, returns all versions, because a
 * version that a range covers already adds nothing.
 */
function versionsBeside(ranges: readonly VersionRange[], listed: readonly string[]): string[] {
  const versions = [...new Set(listed)].filter((version) => version !== '');
  if (versions.length * ranges.length > MAX_COMPARISONS) return versions;
  return versions.filter((version) => !ranges.some((range) => isWithin(version, range)));
}

const rangeOfVersion = (version: string): VersionRange => ({
  from: version,
  fromInclusive: true,
  to: version,
  toInclusive: true,
});

interface VersionRangeEvent {
  version: string;
  does: 'opens' | 'mends' | 'ends';
}

function eventIn(event: values.FeedFields): VersionRangeEvent[] {
  const introduced = values.parseVersionText(event['introduced']);
  if (introduced !== '') return [{ version: introduced, does: 'opens' }];
  const fixed = values.parseVersionText(event['fixed']);
  if (fixed !== '') return [{ version: fixed, does: 'mends' }];
  const last = values.parseVersionText(event['last_affected']);
  return last === '' ? [] : [{ version: last, does: 'ends' }];
}

/**
 * Sorts `0` before every version. If one version is both fixed and introduced, `introduced` comes last, so that the
 * version stays affected.
 */
function compareRangeEvents(one: VersionRangeEvent, other: VersionRangeEvent): number {
  if (one.version === '0' || other.version === '0') return Number(other.version === '0') - Number(one.version === '0');
  return compareVersions(one.version, other.version) || Number(one.does === 'opens') - Number(other.does === 'opens');
}

/**
 * Converts events, which may come in any order, to ranges. `introduced` opens a range, and the next `fixed` or
 * `last_affected` closes it.
 */
function eventsToVersionRanges(events: readonly values.FeedFields[]): VersionRange[] {
  const ranges: VersionRange[] = [];
  let open: VersionRange | null = null;
  for (const { version, does } of events.flatMap(eventIn).sort(compareRangeEvents)) {
    if (does !== 'opens') {
      if (open) Object.assign(open, { to: version, toInclusive: does === 'ends' });
      open = null;
    } else if (!open) {
      open = { from: version === '0' ? null : version, fromInclusive: true, to: null, toInclusive: false };
      ranges.push(open);
    }
  }
  return ranges;
}
