import type { ItemError } from '../../shared/errors.ts';
import type { FleetResult, FleetRunner, FleetSite } from '../jobs/index.ts';
import { connectedAmong, type SiteRef, type SiteReferences } from '../sites/index.ts';
import type { UpdateReadModel } from './update-read-model.ts';
import type { UpdateJobInput, UpdateJobResult } from './update.job.ts';
import type { UpdateType } from './update.ts';

export interface FleetUpdate {
  /** Empty means all connected sites. */
  sites: readonly SiteRef[];
  /** Empty means all. */
  types: readonly UpdateType[];
  /** Narrows what is found; empty means all. */
  slugs: readonly string[];
  actor: string;
}

/** Updates over several sites, as a job: one item a site, and only sites that have something to update. */
export class FleetUpdates {
  readonly #references: SiteReferences;
  readonly #updates: UpdateReadModel;
  readonly #runner: FleetRunner;

  constructor(parts: { references: SiteReferences; updates: UpdateReadModel; runner: FleetRunner }) {
    this.#references = parts.references;
    this.#updates = parts.updates;
    this.#runner = parts.runner;
  }

  async run({ sites: refs, types, slugs, actor }: FleetUpdate): Promise<FleetResult<UpdateJobResult>> {
    const named = refs.length > 0;
    const { identifiers, errors } = named ? await this.#named(refs) : { identifiers: null, errors: [] };
    // Who names both a site and an item is told when it is ignored there; otherwise what is ignored does not exist.
    const complain = named && slugs.length > 0 ? 'ignored' : 'never';
    const withIgnored = complain === 'ignored';
    const siteIds = identifiers ? { siteIds: [...identifiers.keys()] } : {};
    const affected = await this.#updates.affected({ types, slugs, withIgnored, ...siteIds });
    const sites: FleetSite[] = affected.map((site) => ({ identifier: identifiers?.get(site.id) ?? site.id, site }));
    const input: UpdateJobInput = { types: [...types], slugs: [...slugs], complain };
    return this.#runner.run({ kind: 'update', input, sites, errors, requestedBy: actor });
  }

  /** The sites that are named and may be called, by the names they were given. */
  async #named(refs: readonly SiteRef[]): Promise<{ identifiers: Map<number, SiteRef>; errors: ItemError[] }> {
    const { sites, errors } = connectedAmong(await this.#references.many(refs));
    return { identifiers: new Map(sites.map(({ identifier, site }) => [site.id, identifier])), errors };
  }
}
