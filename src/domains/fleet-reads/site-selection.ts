import { InvalidError, type ItemError } from '../../shared/errors.ts';
import type { ClientService } from '../clients/index.ts';
import {
  connectedAmong,
  type ResolvedSite,
  type ResolvedSites,
  type SiteFilter,
  type SiteList,
  type SiteRef,
  type SiteReferences,
} from '../sites/index.ts';
import type { TagService } from '../tags/index.ts';

/** Which sites a call across the fleet means; one of the three, or none for all that are connected. */
export interface SiteSelection {
  /** IDs, domains or URLs. */
  sites?: readonly SiteRef[];
  /** IDs or names of tags; digits are an ID. */
  tags?: readonly string[];
  /** IDs or e-mail addresses of clients. */
  clients?: readonly string[];
}

export interface SelectedSites {
  /** By address, each with the name by which the caller called it. */
  sites: ResolvedSite[];
  /** Sites that were meant and cannot be asked. */
  errors: ItemError[];
}

export interface SiteSelectorParts {
  references: SiteReferences;
  list: SiteList;
  clients: ClientService;
  tags: TagService;
}

/** Finds the sites of a selection in a number of statements that does not grow with the fleet. */
export class SiteSelector {
  readonly #parts: SiteSelectorParts;

  constructor(parts: SiteSelectorParts) {
    this.#parts = parts;
  }

  /** Throws `InvalidError` for more than one way to select, `svc_client_not_found` and `svc_tag_not_found`. */
  async select(selection: SiteSelection): Promise<SelectedSites> {
    const { references } = this.#parts;
    const narrowedBy = (['sites', 'tags', 'clients'] as const).filter((name) => selection[name]?.length);
    if (narrowedBy.length > 1) throw oneOfThem(narrowedBy);
    if (selection.sites?.length) return askable(await references.many(selection.sites));
    if (selection.clients?.length) return this.#all({ clientIds: await this.#parts.clients.idsOf(selection.clients) });
    if (selection.tags?.length) return this.#all({ tagIds: await this.#parts.tags.idsOf(selection.tags) });
    return this.#all({ status: 'connected' });
  }

  async #all(filter: SiteFilter): Promise<SelectedSites> {
    const sites = await this.#parts.list.all(filter);
    return askable({ sites: sites.map((site) => ({ identifier: site.id, site })), errors: [] });
  }
}

function askable(named: ResolvedSites): SelectedSites {
  const { sites, errors } = connectedAmong(named);
  return { sites: sites.sort(byAddress), errors };
}

const byAddress = ({ site: left }: ResolvedSite, { site: right }: ResolvedSite): number =>
  left.urlKey < right.urlKey ? -1 : 1;

function oneOfThem(names: readonly string[]): InvalidError {
  const message = 'is one of several ways to select sites; send one of them';
  return new InvalidError(names.map((path) => ({ path, message })));
}
