import { compareVersionParts, parseVersionParts, type VersionParts } from './php-version.ts';

/** Null means that this side is open. */
export interface VersionRange {
  from: string | null;
  fromInclusive: boolean;
  to: string | null;
  toInclusive: boolean;
}

const PREFIX = /^(?:version|ver\.?|v)\s*(?=\d)/i;

const SEPARATORS_AT_END = /[\s.*_+-]+$/;

const normalizeVersion = (version: string): string => version.trim().replace(PREFIX, '').replace(SEPARATORS_AT_END, '');

/** Maximum number of cached versions. A comparison with a feed parses the same few versions again and again. */
const MAX_PARSED = 10_000;
const parsed = new Map<string, VersionParts>();

function parseVersion(version: string): VersionParts {
  const known = parsed.get(version);
  if (known) return known;
  if (parsed.size >= MAX_PARSED) parsed.clear();
  const parts = parseVersionParts(normalizeVersion(version));
  parsed.set(version, parts);
  return parts;
}

/**
 * Compares like WordPress, with PHP's `version_compare`: any number of parts, and dev < alpha < beta < RC < release <
 * p. Like in PHP, `1.0-Pro` is lower than `1.0`, and `1.0-pro` higher. In addition, `1.0` and `1.0.0` are equal, and a
 * leading `v` is ignored, because authors and feeds spell versions differently.
 */
export const compareVersions = (one: string, other: string): -1 | 0 | 1 =>
  compareVersionParts(parseVersion(one), parseVersion(other), 0);

/** True if the version has the parts of the other one at its beginning. `3.10` does not begin with `3.1`. */
export function beginsWithVersion(version: string, beginning: string): boolean {
  const parts = parseVersion(version);
  return parseVersion(beginning).every((part, at) => (parts[at] ?? 0) === part);
}

export const versionPartsOf = (version: string): VersionParts => parseVersion(version);

export const isKnownVersion = (version: string): boolean => normalizeVersion(version) !== '';

export function isWithin(version: string, { from, fromInclusive, to, toInclusive }: VersionRange): boolean {
  const above = from === null ? 1 : compareVersions(version, from);
  if (above < 0 || (above === 0 && !fromInclusive)) return false;
  const below = to === null ? -1 : compareVersions(version, to);
  return below < 0 || (below === 0 && toInclusive);
}

/** An empty version is never affected, because nothing is known about it. */
export const isAffected = (version: string, ranges: readonly VersionRange[]): boolean =>
  isKnownVersion(version) && ranges.some((range) => isWithin(version, range));

export function findFixedVersion(version: string, patched: readonly string[]): string | null {
  const newer = patched.filter((each) => compareVersions(each, version) > 0).sort(compareVersions);
  return newer[0] ?? null;
}
