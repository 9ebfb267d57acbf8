import type { Requester } from '../../shared/requester.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { throwFieldError } from '../../shared/field-errors.ts';
import type { JobKind } from '../../queue/index.ts';
import { refuseEmptySelection, type SiteSelection, type SiteSelector } from '../fleet-reads/index.ts';
import type { FinishedOrQueuedFleetRun, FleetResultsAndErrors, FleetRunner } from '../jobs/index.ts';
import { refuseUnlessConnected, type SiteWithUrlKey } from '../sites/index.ts';
import type { InstallJobInput } from './install.job.ts';
import type { InstallJobResult } from './install-result.ts';
import type { PackageRef, StoredPackage } from './package.ts';
import type { PackageService } from './package-service.ts';

export interface InstallOrder extends PackageRef {
  activate: boolean;
}

export interface FleetInstallsDeps {
  selector: SiteSelector;
  runner: FleetRunner;
  packages: PackageService;
  job: JobKind<InstallJobInput, InstallJobResult>;
}

export class FleetInstalls {
  readonly #deps: FleetInstallsDeps;

  constructor(deps: FleetInstallsDeps) {
    this.#deps = deps;
  }

  /**
   * Installs a version on one site. Inspects the package first, so that a refused package is an error of this call.
   * Throws the errors of `PackageService.fetch`, `svc_site_suspended`, `svc_site_disconnected`, and `InvalidError` for
   * a theme with `activate`.
   */
  async installOnSite(
    site: SiteWithUrlKey,
    scope: SiteScope,
    order: InstallOrder,
    requestedBy: Requester,
  ): Promise<FleetResultsAndErrors<InstallJobResult>> {
    refuseUnlessConnected(site);
    const stored = await this.#package(scope, order, requestedBy.name);
    return this.#deps.runner.wait(this.#deps.job, {
      input: { packageId: stored.id, activate: order.activate },
      sites: [{ identifier: site.id, site }],
      errors: [],
      requestedBy,
    });
  }

  /**
   * Throws the errors of `PackageService.fetch` and `SiteSelector.select`, and `InvalidError` without a selection or
   * for a theme with `activate`.
   */
  async install(
    selection: SiteSelection,
    order: InstallOrder,
    requestedBy: Requester,
  ): Promise<FinishedOrQueuedFleetRun<InstallJobResult>> {
    refuseEmptySelection(selection);
    const { sites, errors } = await this.#deps.selector.select(selection);
    if (sites.length === 0) return { queued: false, results: [], errors };
    const stored = await this.#package(selection.scope, order, requestedBy.name);
    const input = { packageId: stored.id, activate: order.activate };
    return this.#deps.runner.run(this.#deps.job, { input, sites, errors, requestedBy });
  }

  async #package(scope: SiteScope, { activate, ...ref }: InstallOrder, actor: string): Promise<StoredPackage> {
    if (ref.kind === 'theme' && activate) throwFieldError('activate', 'is only for plugins');
    return this.#deps.packages.fetchForSites(ref, actor, { isLimited: isLimited(scope) });
  }
}
