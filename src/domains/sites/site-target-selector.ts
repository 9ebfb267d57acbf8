import { itemErrorOf } from '../../shared/item-error.ts';
import type { SiteScope } from '../../shared/site-scope.ts';
import type { SiteWithUrlKey, SiteStatus } from './site.ts';
import { refuseUnlessConnected, refuseUnlessCallable } from './site-admission.ts';
import type { SiteList } from './site-list-read-model.ts';
import type { ResolvedSites, SiteRef, SiteReferences } from './site-references-read-model.ts';

export class SiteTargetSelector {
  readonly #references: SiteReferences;
  readonly #list: SiteList;

  constructor(references: SiteReferences, list: SiteList) {
    this.#references = references;
    this.#list = list;
  }

  /**
   * Resolves `refs`. Without `refs`, returns all sites of the scope with the status `otherwise`. Omits `excluded` sites
   * without an error.
   */
  async choose(
    scope: SiteScope,
    refs: readonly SiteRef[],
    otherwise: SiteStatus | 'any',
    excluded: readonly number[] = [],
  ): Promise<ResolvedSites> {
    const { sites, errors } =
      refs.length > 0 ? await this.#references.many(scope, refs) : await this.#all(scope, otherwise);
    const out = new Set(excluded);
    return { sites: sites.filter(({ site }) => !out.has(site.id)), errors };
  }

  async #all(scope: SiteScope, status: SiteStatus | 'any'): Promise<ResolvedSites> {
    const sites = await this.#list.all(scope, status === 'any' ? {} : { status });
    return { sites: sites.map((site) => ({ identifier: site.id, site })), errors: [] };
  }
}

export const keepConnectedSites = (resolved: ResolvedSites): ResolvedSites =>
  moveRefusedSitesToErrors(resolved, refuseUnlessConnected);

/**
 * Like `keepConnectedSites`. In addition, a site becomes an error if its child plugin is too old for calls other than a
 * sync.
 */
export const keepCallableSites = (
  resolved: ResolvedSites,
  childVersions: ReadonlyMap<number, string | null>,
): ResolvedSites =>
  moveRefusedSitesToErrors(resolved, (site) => refuseUnlessCallable(site, childVersions.get(site.id) ?? null));

function moveRefusedSitesToErrors(
  { sites, errors }: ResolvedSites,
  refuse: (site: SiteWithUrlKey) => void,
): ResolvedSites {
  const kept: ResolvedSites = { sites: [], errors: [...errors] };
  for (const { identifier, site } of sites) {
    try {
      refuse(site);
      kept.sites.push({ identifier, site });
    } catch (error) {
      kept.errors.push(itemErrorOf(identifier, error, { site_id: site.id, site_url: site.url }));
    }
  }
  return kept;
}
