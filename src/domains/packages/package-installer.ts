import type { Knex } from 'knex';
import type { ChildLink, ChildStats, InventoryCalls, SyncCalls } from '../../connector/child-site.ts';
import { combineLeases, type Lease } from '../../db/lease.ts';
import type { Clock } from '../../shared/clock.ts';
import { ChildBadAnswerError } from '../../shared/child-call-errors.ts';
import type { DomainError } from '../../shared/errors.ts';
import {
  attemptCall,
  changeDone,
  conclusiveError,
  judgeChange,
  type ChildChanges,
  type SiteCalls,
  type SiteLeases,
  type SiteWithUrlKey,
  type SyncService,
} from '../sites/index.ts';
import type { OwnUpdates } from '../uptime/index.ts';
import { InstallStore, type SentInstall, type StoredInstall } from './install-store.ts';
import type { StoredPackage } from './package.ts';
import type { Delivery, PackageDelivery } from './package-delivery.ts';
import type { DownloadReachability } from './download-reachability.ts';
import type { PackageService } from './package-service.ts';
import { provenInstallChanges } from './proven-install.ts';
import { SiteItemReadModel } from './site-item-read-model.ts';
import { findItem, refuseUnfitPackage, siteForPackage, type ItemOnSite, type SiteForPackage } from './site-item.ts';

export interface PackageInstallerDeps {
  knex: Knex;
  clock: Clock;
  child: InventoryCalls & SyncCalls;
  calls: SiteCalls;
  sync: Pick<SyncService, 'request' | 'store'>;
  childChanges: ChildChanges;
  leases: SiteLeases;
  packages: PackageService;
  delivery: PackageDelivery;
  reach: DownloadReachability;
  ownUpdates: OwnUpdates;
}

/** Throws if the package must not replace `before`: the item on the site right before the installation, or null. */
export type InstallCondition = (before: ItemOnSite | null) => void;

export interface InstallContext {
  itemId: number;
  actor: string;
  resumed: boolean;
  oneOfMany: boolean;
  lease: Lease;
}

/**
 * `unknown`: the site may still be installing. `after` is null if the site does not have the item or could not be read.
 */
export interface InstallOutcome {
  verdict: 'done' | 'failed' | 'unknown';
  site: SiteWithUrlKey;
  before: ItemOnSite | null;
  after: ItemOnSite | null;
  callError: DomainError | null;
  isUnfetched: boolean;
  /** True if the installation failed and the site never requested the package, so it may not reach this service. */
  isUnreaching: boolean;
  /** Time at which the first call without a clear result ended. Only meaningful if `verdict` is `unknown`. */
  unclearSince: number;
}

interface Reading {
  report: ChildStats;
  forPackage: SiteForPackage;
  number: number | undefined;
}

export interface InstallOptions {
  activate: boolean;
  condition?: InstallCondition;
  /** What an earlier job sent. If the site has the package, nothing is sent. */
  retried?: SentInstall;
}

interface InstallTask extends InstallOptions {
  stored: StoredPackage;
  link: ChildLink;
  site: SiteWithUrlKey;
  context: InstallContext;
  lease: Lease;
}

/**
 * Installs exactly one version on a site. The state of the site before and after the call shows whether this succeeded,
 * because the child plugin reports success even for packages that have deleted the plugin. Stores its choice of the
 * package and the state before the call. An attempt after an interruption reads the site, and sends the same package
 * again only if the site does not have it.
 */
export class PackageInstaller {
  readonly #deps: PackageInstallerDeps;

  constructor(deps: PackageInstallerDeps) {
    this.#deps = deps;
  }

  /**
   * Throws `svc_package_refused` if the package does not suit the site, the errors of `condition`, and the error of a
   * call that the site refused or that did not reach it.
   */
  async install(
    siteId: number,
    stored: StoredPackage,
    options: InstallOptions,
    context: InstallContext,
  ): Promise<InstallOutcome> {
    const { knex, leases, calls } = this.#deps;
    return leases.runExclusive(siteId, async (siteLease) => {
      const lease = combineLeases(context.lease, siteLease);
      if (!context.resumed) refuseUnfitPackage(await new SiteItemReadModel(knex).find(siteId, stored), stored);
      return calls.run(siteId, (link, site) => this.#install({ ...options, stored, link, site, context, lease }), {
        oneOfMany: context.oneOfMany,
        lease,
      });
    });
  }

  async hasBegun(itemId: number): Promise<boolean> {
    return (await new InstallStore(this.#deps.knex).find(itemId)) !== null;
  }

  async #install(task: InstallTask): Promise<InstallOutcome> {
    const { knex, childChanges } = this.#deps;
    const { stored, activate, context, retried } = task;
    const store = new InstallStore(knex);
    const earlier = context.resumed ? await store.find(context.itemId) : null;
    if (earlier) {
      const looked = await this.#lookAgain(task, earlier);
      if (looked) return looked;
    }
    const reading = await this.#read(task);
    refuseUnfitPackage(reading.forPackage, stored);
    const before = findItem(reading.forPackage, stored);
    if (retried && isInstalled(before, stored, activate)) return this.#endRetried(task, reading, retried);
    await this.#refuseUnless(task, reading, before);
    if (isInstalled(before, stored, activate)) {
      await this.#store(task, reading);
      return outcome(task, { verdict: 'done', before, after: before });
    }
    const sent = { packageId: stored.id, before, logPosition: await childChanges.logPosition() };
    await store.begin(context.itemId, sent);
    const first = await this.#send(task, earlier ?? sent, await this.#isOnlyDirectoryReachable(task));
    const isRetried = first.isUnreaching && (await this.#deps.packages.isServedByDirectory(stored));
    const last = isRetried ? await this.#send(task, earlier ?? sent, true) : first;
    if (last.verdict === 'unknown') await store.markUnclear(context.itemId, last.unclearSince);
    await this.#deps.packages.markUsed(stored.id);
    return last;
  }

  /**
   * Calls `condition`. If it throws, stores the report that was just read, so that a later request starts from the
   * version that the site has now.
   */
  async #refuseUnless(task: InstallTask, reading: Reading, before: ItemOnSite | null): Promise<void> {
    try {
      task.condition?.(before);
    } catch (error) {
      await this.#store(task, reading);
      throw error;
    }
  }

  /**
   * Reads the site, because an earlier attempt has sent the package. Returns null if it must be sent again: the process
   * died during the call, and the site does not have the package. If the site cannot be read then, the call counts as
   * unclear from now on.
   */
  async #lookAgain(
    task: InstallTask,
    { before, logPosition, unclearSince: unclearBefore }: StoredInstall,
  ): Promise<InstallOutcome | null> {
    const { knex, clock } = this.#deps;
    const { site, context, lease, stored, activate } = task;
    const reading = await this.#deps.childChanges.lookAgain(
      { siteId: site.id, actor: context.actor, lease, loggedBehind: logPosition },
      {
        read: () => this.#read(task),
        judge: ({ state }) =>
          changeDone(state, provenInstallChanges(stored, before, state ? itemIn(state, stored) : undefined)),
      },
    );
    if (reading) await this.#store(task, reading);
    const after = reading && itemIn(reading, stored);
    if (reading && isInstalled(after, stored, activate)) return outcome(task, { verdict: 'done', before, after });
    if (reading && unclearBefore === null) return null;
    const unclearSince = unclearBefore ?? clock.now();
    if (unclearBefore === null) await new InstallStore(knex).markUnclear(context.itemId, unclearSince);
    return outcome(task, { verdict: 'unknown', before, after, unclearSince });
  }

  /** Logs the version that an earlier job has installed. Whether the item is active may have changed since. */
  async #endRetried(
    task: InstallTask,
    reading: Reading,
    { before, logPosition }: SentInstall,
  ): Promise<InstallOutcome> {
    const { site, context, lease, stored } = task;
    const after = itemIn(reading, stored);
    const proven = provenInstallChanges(stored, before, after).filter(({ type }) => type.endsWith('.installed'));
    await this.#deps.childChanges.lookAgain(
      { siteId: site.id, actor: context.actor, lease, loggedBehind: logPosition },
      { read: () => Promise.resolve(reading), judge: () => changeDone(null, proven) },
    );
    await this.#store(task, reading);
    return outcome(task, { verdict: 'done', before, after });
  }

  async #send(task: InstallTask, sent: SentInstall, fromDirectory: boolean): Promise<InstallOutcome> {
    const { child, childChanges, delivery, reach, ownUpdates, clock } = this.#deps;
    const { stored, activate, link, site, context, lease } = task;
    const { before, logPosition } = sent;
    const address = fromDirectory ? null : await delivery.issue(site.id, stored.id);
    const isWanted = (state: Reading): boolean => isInstalled(itemIn(state, stored), stored, activate);
    const change = await ownUpdates.record(site.id, () =>
      childChanges.carryOut(
        { siteId: site.id, actor: context.actor, lease, loggedBehind: logPosition },
        {
          send: () => child.installPackage(link, { ...toChildInstall(stored, address), activate }),
          read: () => this.#read(task),
          judge: (verified) => {
            const { state, callError, mayHaveRun, mayStillRun } = verified;
            const lost = conclusiveError(verified);
            return changeDone(
              {
                state,
                lost,
                mayHaveRun,
                mayStillRun,
                callError: lost ?? callError,
                verdict: lost ? ('failed' as const) : judgeChange(state, isWanted, mayStillRun),
              },
              provenInstallChanges(stored, before, state ? itemIn(state, stored) : undefined),
            );
          },
        },
      ),
    );
    const fetches = address && (await delivery.end(address));
    const { state, lost, verdict, callError, mayHaveRun, mayStillRun } = change;
    if (lost && !mayHaveRun) throw lost;
    if (state) await this.#store(task, state);
    // Number of downloads from the address of the package, which is closed now. After 0, the site cannot install it.
    const isUnfetched = fetches === 0;
    const isUnreaching = isUnfetched && verdict === 'failed' && !mayStillRun;
    if (isUnreaching || (fetches ?? 0) > 0) await reach.record(site.id, !isUnreaching);
    return outcome(task, {
      verdict: verdict === 'unknown' && isUnfetched ? 'failed' : verdict,
      before,
      after: state && itemIn(state, stored),
      callError,
      isUnfetched,
      isUnreaching,
      unclearSince: clock.now(),
    });
  }

  async #isOnlyDirectoryReachable({ site, stored }: InstallTask): Promise<boolean> {
    const { reach, packages } = this.#deps;
    return (await reach.known(site.id)) === false && packages.isServedByDirectory(stored);
  }

  async #read({ link, site, stored }: InstallTask): Promise<Reading> {
    const { child, sync } = this.#deps;
    const report = await child.stats(link, await sync.request(site.id));
    const forPackage = siteForPackage(report, stored);
    if (!forPackage) throw new ChildBadAnswerError(`The site did not report its ${stored.kind}s.`);
    return { report, forPackage, number: link.turn?.number };
  }

  /** Stores a report. Ignores a `DomainError`, because the next sync reads the state again. */
  async #store({ site }: InstallTask, { report, number }: Reading): Promise<void> {
    await attemptCall(() => this.#deps.sync.store(site, report, { complete: false, number }));
  }
}

const itemIn = ({ forPackage }: Reading, stored: StoredPackage): ItemOnSite | null => findItem(forPackage, stored);

const isInstalled = (item: ItemOnSite | null, { version }: StoredPackage, activate: boolean): boolean =>
  item?.version === version && (item.active || !activate);

export const toChildInstall = ({ kind, address }: StoredPackage, delivery: Delivery | null) => ({
  kind,
  url: delivery?.url ?? address ?? '',
  secret: delivery?.token ?? '',
  overwrite: true,
});

const outcome = (
  { site }: InstallTask,
  known: Pick<InstallOutcome, 'verdict' | 'before' | 'after'> & Partial<InstallOutcome>,
): InstallOutcome => ({ site, callError: null, isUnfetched: false, isUnreaching: false, unclearSince: 0, ...known });
