import { type SiteScope } from '../../shared/site-scope.ts';
import { InvalidError } from '../../shared/errors.ts';
import type { ItemError } from '../../shared/item-error.ts';
import { throwFieldError } from '../../shared/field-errors.ts';
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
 * Sites of a call across the fleet. At most one of `sites`, `tags` and `clients` may be set. Without any of them, all
 * connected sites of the scope are selected. A tag is an ID or a name (digits are an ID), and a client is an ID or an
 * e-mail address.
 */
export interface SiteSelection {
  scope: SiteScope;
  sites?: readonly SiteRef[];
  tags?: readonly string[];
  clients?: readonly string[];
}

export interface SelectedSites {
  /** Sorted by address. `identifier` is the reference that the caller used. */
  sites: ResolvedSite[];
  errors: ItemError[];
}

const NARROWING = ['sites', 'tags', 'clients'] as const;

const isNarrow = (selection: SiteSelection): boolean => NARROWING.some((name) => selection[name]?.length);

/**
 * Throws if neither sites, tags nor clients are named. For a read, an empty selection means all sites, which is too
 * dangerous for a change.
 */
export function refuseEmptySelection(selection: SiteSelection): void {
  if (!isNarrow(selection)) throwFieldError('sites', 'must name at least one site if tags and clients are empty');
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
    return callableSites(await this.#resolve(selection, isNarrow(selection) ? {} : { status: 'connected' }));
  }

  /** Like `select`, but also returns sites that are suspended or disconnected. */
  async selectAny(selection: SiteSelection): Promise<SelectedSites> {
    const { sites, errors } = await this.#resolve(selection, {});
    return { sites: sites.sort(byAddress), errors };
  }

  async #resolve(selection: SiteSelection, otherwise: SiteFilter): Promise<ResolvedSites> {
    const { references } = this.#deps;
    const { scope } = selection;
    const narrowedBy = NARROWING.filter((name) => selection[name]?.length);
    if (narrowedBy.length > 1) throw severalSelectionsError(narrowedBy);
    if (selection.sites?.length) return references.many(scope, selection.sites);
    if (selection.clients?.length)
      return this.#all(scope, { clientIds: await this.#deps.clients.idsOf(scope, selection.clients) });
    if (selection.tags?.length) return this.#all(scope, { tagIds: await this.#deps.tags.idsOf(scope, selection.tags) });
    return this.#all(scope, otherwise);
  }

  async #all(scope: SiteScope, filter: SiteFilter): Promise<ResolvedSites> {
    const sites = await this.#deps.list.all(scope, filter);
    return { sites: sites.map((site) => ({ identifier: site.id, site })), errors: [] };
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
