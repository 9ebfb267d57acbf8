import type { SiteReferences, SiteRef } from '../../../domains/sites/index.ts';
import type { ItemError } from '../../../shared/errors.ts';

/** Sites that a list is narrowed to; references that lead nowhere narrow it as well, and never to all sites. */
export async function updateSiteFilterOf(
  references: SiteReferences,
  refs: readonly SiteRef[],
): Promise<{ filter: { siteIds?: number[] }; errors: ItemError[] }> {
  if (refs.length === 0) return { filter: {}, errors: [] };
  const { sites, errors } = await references.many(refs);
  return { filter: { siteIds: sites.map(({ site }) => site.id) }, errors };
}
