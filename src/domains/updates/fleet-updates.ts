import type { Knex } from 'knex';
import { lockRevision } from '../../db/revisions.ts';
import type { JobKind } from '../../queue/index.ts';
import type { ItemError } from '../../shared/errors.ts';
import {
  JobReadModel,
  toQueuedFleetRun,
  type FleetCall,
  type FinishedOrQueuedFleetRun,
  type FleetRunner,
  type FleetSite,
  type ExistingRun,
  type StartedRun,
} from '../jobs/index.ts';
import { keepCallableSites, type SiteRecords, type SiteRef, type SiteReferences } from '../sites/index.ts';
import type { VulnerabilityDataStatus } from './vulnerability-data-status.ts';
import { assignSitesToRings, type UpdateRings } from './rings.ts';
import type { UpdateReadModel } from './update-read-model.ts';
import { UPDATE_JOB_KIND, parseUpdateInput, type UpdateJobInput } from './update.job.ts';
import type { UpdateJobResult } from './update-job-result.ts';
import { selectedTypesOrAll, type UpdateType } from './update.ts';

/**
 * Empty `sites` mean all connected sites. Empty `slugs` mean all items. Empty `types` mean the types that lists show,
 * or all types if `slugs` is not empty.
 */
export interface FleetUpdateRequest {
  sites: readonly SiteRef[];
  except?: readonly number[];
  types: readonly UpdateType[];
  slugs: readonly string[];
  onlyVulnerable?: boolean;
  actor: string;
  /** Updates ring by ring in a queued job. Without rings, all sites are updated concurrently. */
  rings?: UpdateRings | undefined;
}

export type FinishedFleetUpdate = Extract<FinishedOrQueuedFleetRun<UpdateJobResult>, { queued: false }>;
export type FleetUpdateRunResult = FinishedOrQueuedFleetRun<UpdateJobResult> | ExistingRun;

export function sumFleetUpdate({ results, errors }: FinishedFleetUpdate): UpdateJobResult & { sitesUpdated: number } {
  return {
    updated: results.flatMap((result) => result.updated),
    errors: [...errors, ...results.flatMap((result) => result.errors)],
    sitesUpdated: results.filter((result) => result.updated.length > 0).length,
  };
}

export class FleetUpdates {
  readonly #references: SiteReferences;
  readonly #records: Pick<SiteRecords, 'childVersions'>;
  readonly #knex: Knex;
  readonly #updates: UpdateReadModel;
  readonly #runner: FleetRunner;
  readonly #updateSite: JobKind<UpdateJobInput, UpdateJobResult>;
  readonly #vulnerable: VulnerabilityDataStatus;

  constructor(deps: {
    knex: Knex;
    references: SiteReferences;
    records: Pick<SiteRecords, 'childVersions'>;
    updates: UpdateReadModel;
    runner: FleetRunner;
    updateSite: JobKind<UpdateJobInput, UpdateJobResult>;
    vulnerable: VulnerabilityDataStatus;
  }) {
    this.#knex = deps.knex;
    this.#references = deps.references;
    this.#records = deps.records;
    this.#updates = deps.updates;
    this.#runner = deps.runner;
    this.#updateSite = deps.updateSite;
    this.#vulnerable = deps.vulnerable;
  }

  async run(wanted: FleetUpdateRequest): Promise<FinishedOrQueuedFleetRun<UpdateJobResult>> {
    const call = await this.#callOf(wanted);
    // Rings run one after another, which takes too long for a caller to wait.
    if (call.stages) return toQueuedFleetRun(await this.#runner.start(this.#updateSite, call), call);
    return this.#runner.run(this.#updateSite, call);
  }

  /**
   * Starts a run, unless a run over the whole fleet that includes these types is under way. Then returns the job of
   * that run.
   */
  async runOnce(wanted: FleetUpdateRequest): Promise<FleetUpdateRunResult> {
    if (!coversWholeFleet(wanted)) return this.run(wanted);
    const call = await this.#callOf(wanted);
    const guard = (trx: Knex): Promise<StartedRun | null> => findRunUnderWay(trx, wanted.types);
    if (!call.stages) return this.#runner.runUnlessDuplicate(guard, this.#updateSite, call);
    const started = await this.#runner.startUnlessDuplicate(guard, this.#updateSite, call);
    return 'underWay' in started ? started : toQueuedFleetRun(started.jobId, call);
  }

  async #callOf(wanted: FleetUpdateRequest): Promise<FleetCall<UpdateJobInput>> {
    const { sites: refs, except = [], types, slugs, actor, rings, onlyVulnerable = false } = wanted;
    const isKnown = !onlyVulnerable || (await this.#vulnerable.areKnown());
    const named = refs.length > 0;
    const { identifiers, errors } = named ? await this.#named(refs, except) : { identifiers: null, errors: [] };
    /*
     * A caller who names both a site and an item gets an error if the item is ignored there. Otherwise ignored items
     * are skipped silently.
     */
    const complain = named && slugs.length > 0 ? 'ignored' : 'never';
    const fitting = {
      types,
      slugs,
      onlyVulnerable,
      withIgnored: complain === 'ignored',
      withBroken: rings !== undefined && rings.rings.length > 0,
      ...(identifiers ? { siteIds: [...identifiers.keys()] } : {}),
      ...(except.length > 0 ? { exceptSiteIds: except } : {}),
    };
    const affected = isKnown ? await this.#updates.affected(fitting) : [];
    const sites: FleetSite[] = affected.map((site) => ({ identifier: identifiers?.get(site.id) ?? site.id, site }));
    const everything = coversWholeFleet(wanted) ? { everything: sites.length } : {};
    const narrow = onlyVulnerable ? { onlyVulnerable } : {};
    const input: UpdateJobInput = { types: [...types], slugs: [...slugs], complain, ...everything, ...narrow };
    const call = { input, sites, errors, requestedBy: actor };
    if (!rings || rings.rings.length === 0) return call;
    const { staged, stages } = await assignSitesToRings(this.#knex, sites, rings);
    return { ...call, input: { ...input, checkPage: true }, sites: staged, stages };
  }

  async #named(
    refs: readonly SiteRef[],
    except: readonly number[],
  ): Promise<{ identifiers: Map<number, SiteRef>; errors: ItemError[] }> {
    const selection = await this.#references.many(refs);
    const out = new Set(except);
    const meant = { ...selection, sites: selection.sites.filter(({ site }) => !out.has(site.id)) };
    const versions = await this.#records.childVersions(meant.sites.map(({ site }) => site.id));
    const { sites, errors } = keepCallableSites(meant, versions);
    return { identifiers: new Map(sites.map(({ identifier, site }) => [site.id, identifier])), errors };
  }
}

const coversWholeFleet = ({ sites, except = [], slugs, onlyVulnerable = false }: FleetUpdateRequest): boolean =>
  sites.length === 0 && except.length === 0 && slugs.length === 0 && !onlyVulnerable;

async function findRunUnderWay(trx: Knex, types: readonly UpdateType[]): Promise<StartedRun | null> {
  await lockRevision(trx, 'updates');
  for (const { id, total, input } of await new JobReadModel(trx).underWay(UPDATE_JOB_KIND)) {
    const { everything, types: running } = parseUpdateInput(input);
    if (everything === total && selectedTypesOrAll(types).every((type) => selectedTypesOrAll(running).includes(type)))
      return { jobId: id, sites: total };
  }
  return null;
}
