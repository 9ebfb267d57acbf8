import versionCompare from 'locutus/php/info/version_compare.js';

/** Null means that this side is open. */
export interface VersionRange {
  from: string | null;
  fromInclusive: boolean;
  to: string | null;
  toInclusive: boolean;
}

const PREFIX = /^(?:version|ver\.?|v)\s*(?=\d)/;

const plain = (version: string): string => version.trim().toLowerCase().replace(PREFIX, '');

/**
 * Compares like WordPress, with PHP's `version_compare`: any number of parts, and dev < alpha < beta < RC < release <
 * p. In addition, `1.0` and `1.0.0` are equal, and case and a leading `v` are ignored, because authors and feeds spell
 * versions differently.
 */
export const compareVersions = (one: string, other: string): -1 | 0 | 1 => versionCompare(plain(one), plain(other));

export function isWithin(version: string, { from, fromInclusive, to, toInclusive }: VersionRange): boolean {
  const above = from === null ? 1 : compareVersions(version, from);
  const below = to === null ? -1 : compareVersions(version, to);
  return (above > 0 || (above === 0 && fromInclusive)) && (below < 0 || (below === 0 && toInclusive));
}

/** An empty version is never affected, because nothing is known about it. */
export const isAffected = (version: string, ranges: readonly VersionRange[]): boolean =>
  plain(version) !== '' && ranges.some((range) => isWithin(version, range));

export function fixedIn(version: string, patched: readonly string[]): string | null {
  const newer = patched.filter((each) => compareVersions(each, version) > 0).sort(compareVersions);
  return newer[0] ?? null;
}
