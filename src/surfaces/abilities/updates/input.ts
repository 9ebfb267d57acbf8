import type { SiteReferences, SiteRef } from '../../../domains/sites/index.ts';
import type { ItemError } from '../../../shared/errors.ts';

/**
 * Returns a filter for the named sites. If none of the references leads to a site, the filter matches no site, not all.
 */
export async function resolveUpdateSiteFilter(
  references: SiteReferences,
  refs: readonly SiteRef[],
): Promise<{ filter: { siteIds?: number[] }; errors: ItemError[] }> {
  if (refs.length === 0) return { filter: {}, errors: [] };
  const { sites, errors } = await references.many(refs);
  return { filter: { siteIds: sites.map(({ site }) => site.id) }, errors };
}
