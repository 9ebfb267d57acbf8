import type { ChildLink, ChildStats, InventoryCalls, SyncCalls } from '../../connector/child-site.ts';
import { isOutcomeUnknown, mayStillBeRunning } from '../../shared/child-call-errors.ts';
import { ConflictError, type DomainError } from '../../shared/errors.ts';
import type { PinsServices } from '../pins/index.ts';
import { attemptCall, type SyncService } from '../sites/index.ts';
import type {
  GuardPackage,
  GuardPackages,
  LeaveOutContext,
  PackageCaller,
  PackagedItem,
  PackagePlace,
} from '../updates/index.ts';
import { failureLifetimeMs } from './failure-lifetime.ts';
import type { PackageRef, StoredPackage } from './package.ts';
import type { PackageDelivery } from './package-delivery.ts';
import { toChildInstall } from './package-installer.ts';
import type { PackageLocator } from './package-locator.ts';
import type { DownloadReachability } from './download-reachability.ts';
import type { PackageService } from './package-service.ts';
import { leaveOutBelow } from './rollback-pin.ts';
import { directorySlugOf, refuseUnfitPackage, siteForPackage, siteSlugOf } from './site-item.ts';

export interface UpdatePackagesDeps {
  child: InventoryCalls & SyncCalls;
  sync: Pick<SyncService, 'request'>;
  packages: PackageService;
  delivery: PackageDelivery;
  locator: PackageLocator;
  reach: DownloadReachability;
  pins: PinsServices['pins'];
  /** Milliseconds of a clock that is never set. */
  now?: () => number;
}

const MAX_MISSING = 10_000;
/** Slugs and versions come from sites and become parts of URLs, so other characters are refused. */
const SLUG = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,253}[A-Za-z0-9_-])?$/;
const VERSION = /^[A-Za-z0-9](?:[A-Za-z0-9._+-]{0,62}[A-Za-z0-9+])?$/;

export class UpdatePackages implements GuardPackages {
  readonly #deps: Omit<UpdatePackagesDeps, 'now'>;
  readonly #now: () => number;
  readonly #missing = new Map<string, { until: number; error: DomainError }>();
  readonly #fetches = new Map<string, Promise<StoredPackage>>();

  constructor({ now = () => performance.now(), ...deps }: UpdatePackagesDeps) {
    this.#deps = deps;
    this.#now = now;
  }

  async find(
    { type: kind, slug: siteSlug, version }: PackagedItem,
    state: ChildStats,
    { actor, isLimited, isAutomatic = false }: PackageCaller,
  ): Promise<GuardPackage> {
    const ref = refOf({ type: kind, slug: siteSlug, version });
    if (ref === null) throw noPackage('Its slug or version is in no directory.');
    const { slug } = ref;
    const key = `${kind} ${slug} ${version} ${isLimited} ${isAutomatic}`;
    const missing = this.#missing.get(key);
    // An operator may have added the package to the vault since the last request.
    if (missing && this.#now() < missing.until && (await this.#deps.packages.finder([ref]))(ref) === null)
      throw missing.error;
    const stored = await this.#fetchOnce(key, () =>
      this.#deps.packages.fetchForSites(ref, actor, { isLimited, isAutomatic }),
    );
    const site = siteForPackage(state, stored);
    if (!site || siteSlugOf(stored) !== siteSlug) throw noPackage('The package has another main file than the site.');
    refuseUnfitPackage(site, stored);
    return { id: stored.id, version: stored.version };
  }

  /** Shares a running request, so that the sites that wait for it do not each repeat it when it fails. */
  #fetchOnce(key: string, fetch: () => Promise<StoredPackage>): Promise<StoredPackage> {
    const fetching =
      this.#fetches.get(key) ?? this.#fetchAndRemember(key, fetch).finally(() => this.#fetches.delete(key));
    this.#fetches.set(key, fetching);
    return fetching;
  }

  async #fetchAndRemember(key: string, fetch: () => Promise<StoredPackage>): Promise<StoredPackage> {
    const { value, error } = await attemptCall(fetch);
    if (error) {
      if (this.#missing.size >= MAX_MISSING) this.#missing.clear();
      this.#missing.set(key, { until: this.#now() + failureLifetimeMs(error), error });
      throw error;
    }
    this.#missing.delete(key);
    return value;
  }

  async locate(items: readonly PackagedItem[], { isLimited }: { isLimited: boolean }): Promise<PackagePlace[]> {
    const { packages, locator } = this.#deps;
    const named = items.map((item) => ({ item, ref: refOf(item) }));
    const find = await packages.finder(named.flatMap(({ ref }) => ref ?? []));
    const ask = locator.asker();
    return Promise.all(
      named.map(async ({ item, ref }) => {
        if (ref === null) return 'none';
        const stored = find(ref);
        if (stored === null) return await ask(ref);
        const isUsable = siteSlugOf(stored) === item.slug && (!isLimited || stored.source === 'directory');
        return isUsable ? 'vault' : 'none';
      }),
    );
  }

  async install(link: ChildLink, siteId: number, packageId: number): Promise<void> {
    const { packages, reach } = this.#deps;
    const stored = await packages.get(packageId);
    await packages.markUsed(packageId);
    const isUnreaching = (await reach.known(siteId)) === false;
    if (isUnreaching && (await packages.isServedByDirectory(stored))) return this.#send(link, stored, null);
    const address = await this.#deps.delivery.issue(siteId, packageId);
    const { error } = await attemptCall(() => this.#send(link, stored, address));
    const fetches = await this.#deps.delivery.end(address);
    const cannotReach = fetches === 0 && error !== null && (await this.#hasTried(link, siteId, error));
    if (fetches > 0 || cannotReach) await reach.record(siteId, !cannotReach);
    if (cannotReach && (await packages.isServedByDirectory(stored))) return this.#send(link, stored, null);
    if (error) throw error;
  }

  leaveOut(siteId: number, { type, slug, version }: PackagedItem, context: LeaveOutContext): Promise<string | null> {
    const note = `Rolled back from ${version} after a failed update.`;
    return leaveOutBelow(this.#deps.pins, siteId, { type, slug }, { left: version, note }, context);
  }

  /**
   * True if the site has carried out a failed installation, and still answers. If it died on the call or did not let it
   * through, the missing download says nothing about the address.
   */
  async #hasTried(link: ChildLink, siteId: number, error: DomainError): Promise<boolean> {
    if (!isOutcomeUnknown(error) || mayStillBeRunning(error)) return false;
    const { child, sync } = this.#deps;
    const { value } = await attemptCall(async () => child.stats(link, await sync.request(siteId)));
    return value !== null;
  }

  #send(link: ChildLink, stored: StoredPackage, address: { url: string; token: string } | null): Promise<void> {
    return this.#deps.child.installPackage(link, { ...toChildInstall(stored, address), activate: false });
  }
}

function refOf({ type: kind, slug: siteSlug, version }: PackagedItem): PackageRef | null {
  const slug = directorySlugOf(kind, siteSlug);
  return SLUG.test(slug) && VERSION.test(version) ? { kind, slug, version } : null;
}

const noPackage = (message: string): ConflictError =>
  new ConflictError('svc_package_refused', message, { reason: 'other_item' });
