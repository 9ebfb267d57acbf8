import versionCompare from 'locutus/php/info/version_compare.js';

/** Versions from one to another; null is open to that side. */
export interface VersionRange {
  from: string | null;
  fromInclusive: boolean;
  to: string | null;
  toInclusive: boolean;
}

/** What people put before a number. */
const PREFIX = /^(?:version|ver\.?|v)\s*(?=\d)/;

const plain = (version: string): string => version.trim().toLowerCase().replace(PREFIX, '');

/**
 * Compares as WordPress does, by PHP's `version_compare`: any number of parts, and dev < alpha < beta < RC < release <
 * p. Beyond that, `1.0` and `1.0.0` are one version, as are those that differ by case or a `v` in front: authors and
 * feeds do not spell them alike.
 */
export const compareVersions = (one: string, other: string): -1 | 0 | 1 => versionCompare(plain(one), plain(other));

export function isWithin(version: string, { from, fromInclusive, to, toInclusive }: VersionRange): boolean {
  const above = from === null ? 1 : compareVersions(version, from);
  const below = to === null ? -1 : compareVersions(version, to);
  return (above > 0 || (above === 0 && fromInclusive)) && (below < 0 || (below === 0 && toInclusive));
}

/** A version that nobody knows is affected by nothing: there is no telling. */
export const isAffected = (version: string, ranges: readonly VersionRange[]): boolean =>
  plain(version) !== '' && ranges.some((range) => isWithin(version, range));

/** The lowest of the patched versions that an update of this one would bring; null where there is none. */
export function fixedIn(version: string, patched: readonly string[]): string | null {
  const newer = patched.filter((each) => compareVersions(each, version) > 0).sort(compareVersions);
  return newer[0] ?? null;
}
