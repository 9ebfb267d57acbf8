import type { Knex } from 'knex';
import { lockRevision } from '../../db/revisions.ts';
import type { JobKind } from '../../queue/index.ts';
import type { ItemError } from '../../shared/item-error.ts';
import {
  JobReadModel,
  toQueuedFleetRun,
  type FleetCall,
  type FinishedOrQueuedFleetRun,
  type FleetRunner,
  type ExistingRun,
  type StartedRun,
} from '../jobs/index.ts';
import { pageOf, type Page, type PageRequest } from '../../shared/paging.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { keepCallableSites, type SiteRecords, type SiteRef, type SiteReferences } from '../sites/index.ts';
import type { VulnerabilityDataStatus } from './vulnerability-data-status.ts';
import { guardChoiceOf, type GuardChoice, type GuardName, type UpdateGuards } from './guard.ts';
import { foreseeGuards, withoutGuard, type ForeseenSite } from './guard-forecast.ts';
import type { MinimumAge } from './minimum-age.ts';
import { assignSitesToRings, STOP_AT_UNKNOWN, type UpdateRings } from './rings.ts';
import type { UpdateReadModel } from './update-read-model.ts';
import { UPDATE_JOB_KIND, parseUpdateInput, type UpdateJobInput } from './update.job.ts';
import type { SkippedUpdateOnSite, UpdateJobResult } from './update-job-result.ts';
import { NO_UPDATES, selectedTypesOrAll, type UpdateCounts, type UpdateType } from './update.ts';
import type { Requester } from '../../shared/requester.ts';

/**
 * Empty `sites` mean all connected sites of the scope. Empty `slugs` mean all items. Empty `types` mean the types that
 * lists show, or all types if `slugs` is not empty.
 */
export interface FleetUpdateRequest {
  scope: SiteScope;
  sites: readonly SiteRef[];
  except?: readonly number[];
  types: readonly UpdateType[];
  slugs: readonly string[];
  onlyVulnerable?: boolean;
  requestedBy: Requester;
  /**
   * Groups of sites (rings) that a queued job updates one after another. Without rings, all sites are updated
   * concurrently.
   */
  rings?: UpdateRings | undefined;
  /** Default: `plain` with rings, otherwise `none`. */
  guard?: GuardName | undefined;
  /** True to update items without a guard if their installed versions have no packages. */
  force?: boolean | undefined;
  /** True to leave out releases that are too young for a scheduled run (`HoldRule`). */
  appliesMinimumAge?: boolean;
}

export type FinishedFleetUpdate = Extract<FinishedOrQueuedFleetRun<UpdateJobResult>, { queued: false }>;
export type FleetUpdateRunResult = FinishedOrQueuedFleetRun<UpdateJobResult> | ExistingRun;

interface FleetUpdateTotals extends UpdateJobResult {
  sitesUpdated: number;
  skipped: SkippedUpdateOnSite[];
}

export function sumFleetUpdate({ results, errors }: FinishedFleetUpdate): FleetUpdateTotals {
  return {
    updated: results.flatMap((result) => result.updated),
    errors: [...errors, ...results.flatMap((result) => result.errors)],
    skipped: results.flatMap(({ skipped = [] }) => skipped),
    sitesUpdated: results.filter((result) => result.updated.length > 0).length,
  };
}

interface PlannedFleetSite {
  site: { id: number; url: string; name: string };
  stage?: number | null;
}

export interface PlannedUpdateSite extends ForeseenSite {
  name: string;
  /** Index of the ring; null without rings. */
  stage: number | null;
  ring: string | null;
}

export interface FleetUpdatePlan extends Page<PlannedUpdateSite> {
  counts: UpdateCounts;
  rings: readonly { name: string; total: number }[];
  errors: readonly ItemError[];
}

export class FleetUpdates {
  readonly #references: SiteReferences;
  readonly #records: Pick<SiteRecords, 'childVersions'>;
  readonly #knex: Knex;
  readonly #updates: UpdateReadModel;
  readonly #runner: FleetRunner;
  readonly #updateSite: JobKind<UpdateJobInput, UpdateJobResult>;
  readonly #vulnerable: VulnerabilityDataStatus;
  readonly #guards: UpdateGuards;
  readonly #unguardedPolicy: () => 'update' | 'skip';
  readonly #minimumAge: MinimumAge;

  constructor(deps: {
    knex: Knex;
    references: SiteReferences;
    records: Pick<SiteRecords, 'childVersions'>;
    updates: UpdateReadModel;
    runner: FleetRunner;
    updateSite: JobKind<UpdateJobInput, UpdateJobResult>;
    vulnerable: VulnerabilityDataStatus;
    guards: UpdateGuards;
    unguardedPolicy: () => 'update' | 'skip';
    minimumAge: MinimumAge;
  }) {
    this.#knex = deps.knex;
    this.#references = deps.references;
    this.#records = deps.records;
    this.#updates = deps.updates;
    this.#runner = deps.runner;
    this.#updateSite = deps.updateSite;
    this.#vulnerable = deps.vulnerable;
    this.#guards = deps.guards;
    this.#unguardedPolicy = deps.unguardedPolicy;
    this.#minimumAge = deps.minimumAge;
  }

  async run(wanted: FleetUpdateRequest): Promise<FinishedOrQueuedFleetRun<UpdateJobResult>> {
    const call = await this.#callOf(wanted);
    // Rings run one after another, which takes too long for a caller to wait.
    if (call.stages) return toQueuedFleetRun(await this.#runner.start(this.#updateSite, call), call);
    return this.#runner.run(this.#updateSite, call);
  }

  /**
   * Starts a run. If the whole fleet is to be updated, and a run over the whole fleet with these types is already under
   * way, returns the job of that run instead.
   */
  async runOnce(wanted: FleetUpdateRequest): Promise<FleetUpdateRunResult> {
    if (!coversWholeFleet(wanted)) return this.run(wanted);
    const call = await this.#callOf(wanted);
    const guard = (trx: Knex): Promise<StartedRun | null> => findRunUnderWay(trx, wanted.types);
    if (!call.stages) return this.#runner.runUnlessDuplicate(guard, this.#updateSite, call);
    const started = await this.#runner.startUnlessDuplicate(guard, this.#updateSite, call);
    return 'underWay' in started ? started : toQueuedFleetRun(started.jobId, call);
  }

  /**
   * Returns one page of the sites that `run` would update now, in the order of the rings, with updates and guards.
   * Installs nothing. For a guarded run, asks the WordPress.org directory for packages that the vault does not have.
   */
  async plan(wanted: Omit<FleetUpdateRequest, 'requestedBy'>, request: PageRequest): Promise<FleetUpdatePlan> {
    const guard = this.#guardOf(wanted);
    const { filter, sites, errors, staged } = await this.#select(wanted);
    const names = staged?.stages.names ?? [];
    const planned = (staged?.staged ?? sites).map(({ site, stage = null }: PlannedFleetSite) => ({ ...site, stage }));
    planned.sort((one, other) => (one.stage ?? 0) - (other.stage ?? 0));
    const page = pageOf(planned, request);
    const ids = page.items.map(({ id }) => id);
    const { updates, skipped, counts } = await this.#updates.fitting(filter, ids);
    const selected = page.items.map((site) => ({
      ...site,
      ring: site.stage === null ? null : (names[site.stage] ?? ''),
      updates: updates.get(site.id) ?? [],
      skipped: skipped.get(site.id) ?? [],
    }));
    const items = guard
      ? await foreseeGuards(this.#guards, selected, guard, { isLimited: isLimited(wanted.scope) })
      : selected.map(withoutGuard);
    const rings = names.map((name, at) => ({ name, total: planned.filter(({ stage }) => stage === at).length }));
    return { ...page, items, counts: planned.length === 0 ? NO_UPDATES : counts, rings, errors };
  }

  async #callOf(wanted: FleetUpdateRequest): Promise<FleetCall<UpdateJobInput>> {
    const { types, slugs, requestedBy, onlyVulnerable = false } = wanted;
    const { sites, errors, complain, staged, hold } = await this.#select(wanted);
    const everything = coversWholeFleet(wanted) ? { everything: sites.length } : {};
    const narrow = { ...(onlyVulnerable && { onlyVulnerable }), ...(hold && { hold }) };
    const choice = this.#guardOf(wanted);
    const guard = choice ? { guard: choice } : {};
    const input: UpdateJobInput = {
      types: [...types],
      slugs: [...slugs],
      complain,
      ...everything,
      ...narrow,
      ...guard,
    };
    const call = { input, sites, errors, requestedBy };
    if (!staged) return call;
    const stages = { ...staged.stages, ...(choice && STOP_AT_UNKNOWN) };
    return { ...call, input: { ...input, checkPage: true }, sites: staged.staged, stages };
  }

  #guardOf({ guard, force, rings }: Omit<FleetUpdateRequest, 'requestedBy'>): GuardChoice | null {
    const name = guard ?? (rings ? 'plain' : 'none');
    const otherwise = rings ? this.#unguardedPolicy() : 'fail';
    return guardChoiceOf(name, { force, otherwise, together: 'guard or rings' });
  }

  async #select(wanted: Omit<FleetUpdateRequest, 'requestedBy'>) {
    const { scope, sites: refs, except = [], types, slugs, rings, onlyVulnerable = false, appliesMinimumAge } = wanted;
    const hold = appliesMinimumAge ? this.#minimumAge.rule() : null;
    const isKnown = !onlyVulnerable || (await this.#vulnerable.areKnown());
    const named = refs.length > 0;
    const { identifiers, errors } = named ? await this.#named(scope, refs, except) : { identifiers: null, errors: [] };
    /**
     * A caller who names both a site and an item gets an error if the item is ignored on that site or outside of its
     * pin. Otherwise such items are listed as skipped.
     */
    const complain: UpdateJobInput['complain'] = named && slugs.length > 0 ? 'ignored' : 'never';
    const filter = {
      scope,
      types,
      slugs,
      onlyVulnerable,
      hold: await this.#minimumAge.filterOf(this.#knex, hold),
      withIgnored: complain === 'ignored',
      withBroken: rings !== undefined && rings.rings.length > 0,
      ...(identifiers ? { siteIds: [...identifiers.keys()] } : {}),
      ...(except.length > 0 ? { exceptSiteIds: except } : {}),
    };
    const affected = isKnown ? await this.#updates.affected(filter) : [];
    const sites = affected.map((site) => ({ identifier: identifiers?.get(site.id) ?? site.id, site }));
    const staged =
      rings && rings.rings.length > 0 ? await assignSitesToRings(this.#knex, scope, sites, rings) : undefined;
    return { filter, sites, errors, complain, staged, hold };
  }

  async #named(
    scope: SiteScope,
    refs: readonly SiteRef[],
    except: readonly number[],
  ): Promise<{ identifiers: Map<number, SiteRef>; errors: ItemError[] }> {
    const selection = await this.#references.many(scope, refs);
    const out = new Set(except);
    const meant = { ...selection, sites: selection.sites.filter(({ site }) => !out.has(site.id)) };
    const versions = await this.#records.childVersions(meant.sites.map(({ site }) => site.id));
    const { sites, errors } = keepCallableSites(meant, versions);
    return { identifiers: new Map(sites.map(({ identifier, site }) => [site.id, identifier])), errors };
  }
}

const coversWholeFleet = ({
  scope,
  sites,
  except = [],
  slugs,
  onlyVulnerable = false,
  appliesMinimumAge = false,
}: FleetUpdateRequest): boolean =>
  !isLimited(scope) &&
  [sites, except, slugs].every((each) => each.length === 0) &&
  !onlyVulnerable &&
  !appliesMinimumAge;

async function findRunUnderWay(trx: Knex, types: readonly UpdateType[]): Promise<StartedRun | null> {
  await lockRevision(trx, 'updates');
  for (const { id, total, input } of await new JobReadModel(trx).underWay(UPDATE_JOB_KIND)) {
    const { everything, types: running } = parseUpdateInput(input);
    if (everything === total && selectedTypesOrAll(types).every((type) => selectedTypesOrAll(running).includes(type)))
      return { jobId: id, sites: total };
  }
  return null;
}
