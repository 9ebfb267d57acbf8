import type { Requester } from '../../shared/requester.ts';
import type { SiteScope } from '../../shared/site-scope.ts';
import type { JobKind } from '../../queue/index.ts';
import { refuseEmptySelection, type SiteSelection, type SiteSelector } from '../fleet-reads/index.ts';
import type { FinishedOrQueuedFleetRun, FleetResultsAndErrors, FleetRunner } from '../jobs/index.ts';
import { refuseUnlessConnected, type SiteWithUrlKey } from '../sites/index.ts';
import type { RollbackJobInput, RollbackJobResult } from './rollback.job.ts';

export type RollbackOrder = Omit<RollbackJobInput, 'skips' | 'fleet'>;

export interface FleetRollbacksDeps {
  selector: SiteSelector;
  runner: FleetRunner;
  job: JobKind<RollbackJobInput, RollbackJobResult>;
}

export class FleetRollbacks {
  readonly #deps: FleetRollbacksDeps;

  constructor(deps: FleetRollbacksDeps) {
    this.#deps = deps;
  }

  /**
   * Rolls one site back. If that succeeds and `skip` is not `none`, pins the item on this site, so that updates skip
   * the version that it had. With `fleet`, also pins it on the other sites of the scope. Otherwise, and while the
   * outcome of the rollback is unknown, `sitesPinned` is null. Throws
   * `svc_site_suspended` or `svc_site_disconnected`.
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
      input: { ...order, skips: skip !== 'none', ...(skip === 'fleet' && { fleet: scope }) },
      sites: [{ identifier: site.id, site }],
      errors: [],
      requestedBy,
    });
    const { fleetPin = null } = done.results[0] ?? {};
    if (fleetPin?.run) await runner.waitForStarted(fleetPin.run, requestedBy);
    return { ...done, sitesPinned: fleetPin && (fleetPin.run?.sites ?? 0) };
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
}
