import type { Knex } from 'knex';
import type { InventoryCalls } from '../../connector/child-site.ts';
import type { Clock } from '../../shared/clock.ts';
import { callOutcomeOf, ChildUnreachableError } from '../../shared/child-call-errors.ts';
import type { DomainError } from '../../shared/errors.ts';
import { attemptCall, type SiteCalls } from '../sites/index.ts';
import { DeliveryRepository } from './delivery-repository.ts';
import type { PackageDelivery } from './package-delivery.ts';

export interface ReachCheck {
  canFetch: boolean;
  fetches: number;
  /** Reason of the site for not downloading. Null if it named none. */
  childMessage: string | null;
}

export interface DownloadReachabilityDeps {
  knex: Knex;
  clock: Clock;
  child: InventoryCalls;
  calls: SiteCalls;
  delivery: PackageDelivery;
}

export class DownloadReachability {
  readonly #deps: DownloadReachabilityDeps;

  constructor(deps: DownloadReachabilityDeps) {
    this.#deps = deps;
  }

  /**
   * Makes a site install from an address that returns no zip, so nothing changes on the site. This service counts the
   * fetches; the response of the site does not matter. Throws if the call did not reach the site, or if the site broke
   * the call off and fetched nothing.
   */
  check(siteId: number): Promise<ReachCheck> {
    const { child, calls, delivery } = this.#deps;
    return calls.run(siteId, async (link) => {
      const address = await delivery.issue(siteId, null);
      const install = { kind: 'plugin', url: address.url, secret: address.token } as const;
      const { error } = await attemptCall(() =>
        child.installPackage(link, { ...install, overwrite: false, activate: false }),
      );
      const fetches = await delivery.end(address);
      const isProof = fetches > 0 || !(error instanceof ChildUnreachableError);
      if (error && (callOutcomeOf(error) !== 'open' || !isProof)) throw error;
      await this.record(siteId, fetches > 0);
      return { canFetch: fetches > 0, fetches, childMessage: fetches > 0 ? null : messageOf(error) };
    });
  }

  record(siteId: number, canFetch: boolean): Promise<void> {
    const { knex, clock } = this.#deps;
    return new DeliveryRepository(knex).storeReach(siteId, canFetch, clock.now());
  }

  known(siteId: number): Promise<boolean | null> {
    return new DeliveryRepository(this.#deps.knex).reach(siteId);
  }
}

function messageOf(error: DomainError | null): string | null {
  const message = error?.data['child_message'];
  return typeof message === 'string' ? message : null;
}
