import { InvalidError, type ItemError } from '../../shared/errors.ts';
import type { ClientService } from '../clients/index.ts';
import {
  keepConnectedSites,
  type ResolvedSite,
  type ResolvedSites,
  type SiteFilter,
  type SiteList,
  type SiteRef,
  type SiteReferences,
} from '../sites/index.ts';
import type { TagService } from '../tags/index.ts';

/**
 * Sites of a call across the fleet. At most one field may be set; without any, all connected sites are selected. A tag
 * is an ID or a name (digits are an ID), and a client is an ID or an e-mail address.
 */
export interface SiteSelection {
  sites?: readonly SiteRef[];
  tags?: readonly string[];
  clients?: readonly string[];
}

export interface SelectedSites {
  /** Sorted by address. `identifier` is the reference that the caller used. */
  sites: ResolvedSite[];
  errors: ItemError[];
}

export interface SiteSelectorDeps {
  references: SiteReferences;
  list: SiteList;
  clients: ClientService;
  tags: TagService;
}

export class SiteSelector {
  readonly #deps: SiteSelectorDeps;

  constructor(deps: SiteSelectorDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the selected sites. Throws `InvalidError` if more than one field is set, `svc_client_not_found` and
   * `svc_tag_not_found`.
   */
  async select(selection: SiteSelection): Promise<SelectedSites> {
    const { references } = this.#deps;
    const narrowedBy = (['sites', 'tags', 'clients'] as const).filter((name) => selection[name]?.length);
    if (narrowedBy.length > 1) throw severalSelectionsError(narrowedBy);
    if (selection.sites?.length) return callableSites(await references.many(selection.sites));
    if (selection.clients?.length) return this.#all({ clientIds: await this.#deps.clients.idsOf(selection.clients) });
    if (selection.tags?.length) return this.#all({ tagIds: await this.#deps.tags.idsOf(selection.tags) });
    return this.#all({ status: 'connected' });
  }

  async #all(filter: SiteFilter): Promise<SelectedSites> {
    const sites = await this.#deps.list.all(filter);
    return callableSites({ sites: sites.map((site) => ({ identifier: site.id, site })), errors: [] });
  }
}

function callableSites(named: ResolvedSites): SelectedSites {
  const { sites, errors } = keepConnectedSites(named);
  return { sites: sites.sort(byAddress), errors };
}

const byAddress = ({ site: left }: ResolvedSite, { site: right }: ResolvedSite): number =>
  left.urlKey < right.urlKey ? -1 : 1;

function severalSelectionsError(names: readonly string[]): InvalidError {
  const message = 'is one of several ways to select sites; send one of them';
  return new InvalidError(names.map((path) => ({ path, message })));
}
