import { type SiteScope } from '../../../shared/site-scope.ts';
import type { SiteReferences, SiteRef } from '../../../domains/sites/index.ts';
import type { ItemError } from '../../../shared/item-error.ts';

export async function resolveUpdateSiteFilter(
  scope: SiteScope,
  references: SiteReferences,
  refs: readonly SiteRef[],
): Promise<{ filter: { scope: SiteScope; siteIds?: number[] }; errors: ItemError[] }> {
  if (refs.length === 0) return { filter: { scope }, errors: [] };
  const { sites, errors } = await references.many(scope, refs);
  return { filter: { scope, siteIds: sites.map(({ site }) => site.id) }, errors };
}
