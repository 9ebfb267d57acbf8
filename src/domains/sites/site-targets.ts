import { itemErrorOf } from '../../shared/errors.ts';
import type { KeyedSite, SiteStatus } from './site.ts';
import { refuseUnlessConnected, refuseUnlessFit } from './site-calls.ts';
import type { SiteList } from './site-list-read-model.ts';
import type { ResolvedSites, SiteRef, SiteReferences } from './site-references-read-model.ts';

/** Finds the sites that a call over several is for. */
export class SiteTargets {
  readonly #references: SiteReferences;
  readonly #list: SiteList;

  constructor(references: SiteReferences, list: SiteList) {
    this.#references = references;
    this.#list = list;
  }

  /** The sites that are named, or, where none is, all in a state; less those that are excluded, which are no errors. */
  async choose(
    refs: readonly SiteRef[],
    otherwise: SiteStatus | 'any',
    excluded: readonly number[] = [],
  ): Promise<ResolvedSites> {
    const { sites, errors } = refs.length > 0 ? await this.#references.many(refs) : await this.#all(otherwise);
    const out = new Set(excluded);
    return { sites: sites.filter(({ site }) => !out.has(site.id)), errors };
  }

  async #all(status: SiteStatus | 'any'): Promise<ResolvedSites> {
    const sites = await this.#list.all(status === 'any' ? {} : { status });
    return { sites: sites.map((site) => ({ identifier: site.id, site })), errors: [] };
  }
}

/**
 * Suspended and disconnected sites are not called: they stand among the errors, so that nobody takes the rest for all.
 */
export const connectedAmong = (resolved: ResolvedSites): ResolvedSites => among(resolved, refuseUnlessConnected);

/** The same, and sites whose child plugin is too old for more than a sync. */
export const fitAmong = (resolved: ResolvedSites, childVersions: ReadonlyMap<number, string | null>): ResolvedSites =>
  among(resolved, (site) => refuseUnlessFit(site, childVersions.get(site.id) ?? null));

function among({ sites, errors }: ResolvedSites, refuse: (site: KeyedSite) => void): ResolvedSites {
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
