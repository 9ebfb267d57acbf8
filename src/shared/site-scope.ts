/**
 * A site is in the limit if one of the lists has the site, its client or one of its tags. Empty lists contain no site.
 */
export interface SiteLimit {
  readonly clients: readonly number[];
  readonly tags: readonly number[];
  readonly sites: readonly number[];
}

/**
 * The sites that a read or a change may concern. Code that reads rows of sites for a caller takes the scope of the
 * caller; work of the service itself passes `ALL_SITES`.
 */
export interface SiteScope {
  /** A site must be within each of these limits: that of the user and that of the key. */
  readonly limits: readonly SiteLimit[];
  /** Equal for equal scopes. A value that was cached for one scope must not be used for another. */
  readonly key: string;
}

export const NO_SITES: SiteLimit = { clients: [], tags: [], sites: [] };

export const ALL_SITES: SiteScope = { limits: [], key: '' };

export function scopeWithin(limits: readonly (SiteLimit | null)[]): SiteScope {
  const actual = limits.filter((limit) => limit !== null);
  return actual.length === 0 ? ALL_SITES : { limits: actual, key: JSON.stringify(actual) };
}

export const scopeWithinBoth = (one: SiteScope, other: SiteScope): SiteScope =>
  scopeWithin([...one.limits, ...other.limits]);

export const isLimited = ({ limits }: SiteScope): boolean => limits.length > 0;
