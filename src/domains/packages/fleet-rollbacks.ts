import type { Requester } from '../../shared/requester.ts';
import type { SiteScope } from '../../shared/site-scope.ts';
import type { JobKind } from '../../queue/index.ts';
import { refuseEmptySelection, type SiteSelection, type SiteSelector } from '../fleet-reads/index.ts';
import type { FinishedOrQueuedFleetRun, FleetResultsAndErrors, FleetRunner } from '../jobs/index.ts';
import type { PinsServices } from '../pins/index.ts';
import { refuseUnlessConnected, type SiteWithUrlKey } from '../sites/index.ts';
import { rangeBelow } from './rollback-target.ts';
import type { RollbackJobInput, RollbackJobResult } from './rollback.job.ts';

export type RollbackOrder = Omit<RollbackJobInput, 'skips'>;

export interface FleetRollbacksDeps {
  selector: SiteSelector;
  runner: FleetRunner;
  job: JobKind<RollbackJobInput, RollbackJobResult>;
  pinFleet: PinsServices['pinFleet'];
}

export class FleetRollbacks {
  readonly #deps: FleetRollbacksDeps;

  constructor(deps: FleetRollbacksDeps) {
    this.#deps = deps;
  }

  /**
   * Rolls one site back. If that succeeds and `skip` is not `none`, pins the item on this site, so that updates skip
   * the version that it had. With `fleet`, also pins it on the other sites of the scope; otherwise `sitesPinned` is
   * null. Throws `svc_site_suspended` or `svc_site_disconnected`.
   */
  async rollBackSite(
    site: SiteWithUrlKey,
    scope: SiteScope,
    order: RollbackOrder,
    skip: 'site' | 'fleet' | 'none',
    requestedBy: Requester,
  ): Promise<FleetResultsAndErrors<RollbackJobResult> & { sitesPinned: number | null }> {
    refuseUnlessConnected(site);
    const { runner, job } = this.#deps;
    const done = await runner.wait(job, {
      input: { ...order, skips: skip !== 'none' },
      sites: [{ identifier: site.id, site }],
      errors: [],
      requestedBy,
    });
    const sitesPinned = skip === 'fleet' ? await this.#pinFleet(scope, order, done, requestedBy) : null;
    return { ...done, sitesPinned };
  }

  async rollBack(
    selection: SiteSelection,
    order: RollbackOrder,
    skips: boolean,
    requestedBy: Requester,
  ): Promise<FinishedOrQueuedFleetRun<RollbackJobResult>> {
    refuseEmptySelection(selection);
    const { sites, errors } = await this.#deps.selector.select(selection);
    return this.#deps.runner.run(this.#deps.job, { input: { ...order, skips }, sites, errors, requestedBy });
  }

  async #pinFleet(
    scope: SiteScope,
    { kind }: RollbackOrder,
    { results }: FleetResultsAndErrors<RollbackJobResult>,
    requestedBy: Requester,
  ): Promise<number> {
    const { installed = null, left = null } = results[0] ?? {};
    const version = left === null ? null : rangeBelow(left);
    if (!installed || left === null || version === null) return 0;
    const fields = { version, note: `Rolled back from ${left} on ${installed.siteName}.`, excluded: left };
    const run = await this.#deps.pinFleet.set(
      { scope, allSites: true },
      { type: kind, slug: installed.slug },
      fields,
      requestedBy,
    );
    return run.queued ? run.sitesQueued : run.results.length;
  }
}
