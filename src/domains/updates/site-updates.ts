import type { JobKind } from '../../queue/index.ts';
import type { ItemError } from '../../shared/item-error.ts';
import type { Requester } from '../../shared/requester.ts';
import type { FleetRunner } from '../jobs/index.ts';
import { refuseUnlessConnected, type SiteWithUrlKey } from '../sites/index.ts';
import { guardChoiceOf, type GuardName } from './guard.ts';
import type { SiteUpdater } from './site-updater.ts';
import type { SiteUpdateSelection } from './update-planner.ts';
import type { UpdateJobInput } from './update.job.ts';
import type { UpdateJobResult } from './update-job-result.ts';
import type { SiteUpdateRunResult } from './update.ts';

export type SiteUpdateReport = Pick<SiteUpdateRunResult, 'site' | 'updated' | 'errors' | 'skipped' | 'health'>;

export interface SiteUpdateRequest extends Pick<
  SiteUpdateSelection,
  'types' | 'slugs' | 'complain' | 'onlyVulnerable'
> {
  guard?: GuardName | undefined;
  force?: boolean | undefined;
}

export interface SiteUpdatesDeps {
  updater: SiteUpdater;
  runner: FleetRunner;
  updateSite: JobKind<UpdateJobInput, UpdateJobResult>;
}

export class SiteUpdates {
  readonly #deps: SiteUpdatesDeps;

  constructor(deps: SiteUpdatesDeps) {
    this.#deps = deps;
  }

  /**
   * Throws if the site cannot be called at all. A guarded run is a job, so that another process can finish it or put
   * the old version back. A guarded run throws only `svc_site_suspended` and `svc_site_disconnected`; other errors of
   * the site are in `errors`. Throws `InvalidError` for `force` without a guard.
   */
  async run(
    site: SiteWithUrlKey,
    { guard: name = 'none', force, ...selection }: SiteUpdateRequest,
    requestedBy: Requester,
  ): Promise<SiteUpdateReport> {
    const guard = guardChoiceOf(name, { force, otherwise: 'fail', together: 'guard' });
    if (!guard) return this.#deps.updater.run(site.id, selection, requestedBy.name);
    refuseUnlessConnected(site);
    const { types, slugs, complain, onlyVulnerable = false } = selection;
    const { results, errors } = await this.#deps.runner.wait(this.#deps.updateSite, {
      input: { types: [...types], slugs: [...slugs], complain, guard, ...(onlyVulnerable && { onlyVulnerable }) },
      sites: [{ identifier: site.id, site }],
      errors: [],
      requestedBy,
    });
    return {
      site,
      updated: results.flatMap(({ updated }) => updated),
      errors: [...errors, ...results.flatMap((result) => result.errors)].map(identifiedBySlug),
      skipped: results.flatMap(({ skipped = [] }) => skipped),
      health: results[0]?.health ?? null,
    };
  }
}

/** Sets the item as `identifier`: in the errors of a job, `identifier` names the site. */
const identifiedBySlug = (error: ItemError): ItemError =>
  error.slug === undefined ? error : { ...error, identifier: error.slug };
