import type { ChildLink, ChildStats } from '../../connector/child-site.ts';
import type { Lease } from '../../db/lease.ts';
import type { Remainder, UpdateRollback } from '../../shared/item-error.ts';
import { throwFieldError } from '../../shared/field-errors.ts';
import type { SiteWithUrlKey } from '../sites/index.ts';
import type { PhpError } from './php-error.ts';
import type { PendingUpdate } from './update.ts';

export type GuardName = 'none' | 'plain' | 'careful' | 'parachute';
export type ActiveGuardName = Exclude<GuardName, 'none'>;

/**
 * Handling of an update whose installed version has no package, if the guard needs one (`parachute` does not). `fail`:
 * it becomes an error. `skip`: it is left out. `update`: it is sent, although the old version cannot be restored.
 */
export type UnguardedPolicy = 'fail' | 'skip' | 'update';

/** Guard of a run, as it is stored in the input of jobs. */
export interface GuardChoice {
  name: ActiveGuardName;
  unguarded: UnguardedPolicy;
}

/**
 * Returns null for `none`. Throws `InvalidError` for `none` with `force`: the message says that `force` needs
 * `together`.
 */
export function guardChoiceOf(
  name: GuardName,
  { force = false, otherwise, together }: { force?: boolean | undefined; otherwise: UnguardedPolicy; together: string },
): GuardChoice | null {
  if (name !== 'none') return { name, unguarded: force ? 'update' : otherwise };
  if (force) throwFieldError('force', `must only be set together with ${together}`);
  return null;
}

/** Version of a plugin or theme in the package vault. */
export interface GuardPackage {
  id: number;
  version: string;
}

/**
 * Progress of a guarded update. Each phase is stored before it begins, so that another process can finish the update.
 * `checking` begins when the site has answered the update, `restoring` when the site was found broken.
 */
export type GuardPhase = 'planned' | 'preparing' | 'updating' | 'checking' | 'restoring' | 'done';

export interface GuardedUpdate {
  type: 'plugin' | 'theme';
  slug: string;
  guard: ActiveGuardName;
  /** Package of the installed version. `id` is null if there is no package and the guard needs none. */
  fallback: { id: number | null; version: string };
  /** Package of the new version. Null if the site has to download the update itself. */
  target: GuardPackage | null;
  wasActive: boolean;
  /** True if the old version cannot be restored, because it has no package. */
  isUnguarded?: boolean;
  phase: GuardPhase;
  /** Time of the response of the site to the update, in milliseconds since 1970. */
  updatedAt?: number;
  /** Time at which the guard put the old version back by itself, in milliseconds since 1970. */
  restoredAt?: number;
  rollback?: UpdateRollback;
}

/** Update without a guard in a guarded run. Stored with the plan of the run. */
export interface UnguardedUpdate {
  type: 'plugin' | 'theme';
  slug: string;
  /** Package of the new version; null if the site has to download it itself. Missing in plans of earlier releases. */
  target?: GuardPackage | null;
}

export interface GuardTask {
  site: SiteWithUrlKey;
  link: ChildLink;
  actor: string;
  lease: Lease;
  oneOfMany: boolean;
  /** ID of the job item of the run. Null without a job. */
  itemId: number | null;
  update: PendingUpdate;
  readonly record: Readonly<GuardedUpdate>;
  /** Last state that was read from the site. Null if it could not be read. */
  readonly state: ChildStats | null;
  /** True if `state` has the version from before the update. */
  readonly hasOldVersion: boolean;
  /** Makes the child plugin install the old version again, from the vault. Throws the error of the call. */
  reinstall(): Promise<void>;
}

export interface SelfRestored extends PhpError {
  /** Milliseconds since the old version was put back, by the clock of the site. Null if the site does not say it. */
  agoMs: number | null;
}

/**
 * Protects an update: restores the old version if the update breaks the site. Each method may be called again after an
 * interruption, even if it has run completely before. An error of a method does not end the run.
 */
export interface UpdateGuard {
  readonly name: ActiveGuardName;
  /** False if the guard can put a version back that has no package. Default: true. */
  readonly needsPackage?: boolean;
  /** Returns the IDs of the sites that may use the guard. Other sites get the plain guard. Default: all sites. */
  allowedOn?(sites: readonly Pick<SiteWithUrlKey, 'id' | 'url'>[]): Promise<ReadonlySet<number>>;
  /** Prepares the site. If it throws a `DomainError`, the update is not sent, but `release` is still called. */
  prepare(task: GuardTask): Promise<void>;
  /**
   * Completes the update before the health of the site is checked. An `UpdateFailedError` or a fatal error of the site
   * means that the new version is broken. After other errors, a later check of the site calls this method again.
   */
  complete?(task: GuardTask): Promise<void>;
  /** Returns the error after which the guard put the old version back without a call of `restore`, or null. */
  selfRestored?(task: GuardTask): Promise<SelfRestored | null>;
  /** Puts the old version back. The caller then reads the state of the site to find out if that has worked. */
  restore(task: GuardTask): Promise<void>;
  /**
   * Removes what the guard has left on the site, unless that is still needed because the old version could not be put
   * back. Returns what was not removed.
   */
  release(task: GuardTask): Promise<readonly Remainder[]>;
  /**
   * True if the state of the site shows that `release` has undone what `prepare` did. If it is false, the site is read
   * again later, and `release` is called again. A guard without this method repeats the removal by itself.
   */
  isReleased?(task: GuardTask): boolean;
}

/** Source of a package. `none`: no source has it. `unknown`: the WordPress.org directory did not answer in time. */
export type PackagePlace = 'vault' | 'directory' | 'none' | 'unknown';

/** Packages for guarded updates. The packages domain provides them. */
export interface GuardPackages {
  /**
   * Returns the package of a version. If the vault does not have it, downloads it into the vault. Throws a
   * `DomainError` if no source has the package, or if the site cannot use it, for example because its PHP is too old.
   */
  find(item: PackagedItem, state: ChildStats, caller: PackageCaller): Promise<GuardPackage>;
  /** Returns the source of each package, in the order of the items. Downloads no package, and calls no site. */
  locate(items: readonly PackagedItem[], caller: { isLimited: boolean }): Promise<PackagePlace[]>;
  /** Makes a site install a package. Throws the error of the call. A call without an error proves nothing. */
  install(link: ChildLink, siteId: number, packageId: number): Promise<void>;
  /**
   * Pins an item to versions below this one, so that no run installs it. Returns the range of the pin, or null if the
   * version cannot be compared.
   */
  leaveOut(siteId: number, item: PackagedItem, context: LeaveOutContext): Promise<string | null>;
}

export interface PackageCaller {
  actor: string;
  /**
   * True if the caller sees only some sites. Such a caller gets only packages of the WordPress.org directory, because
   * others may be licensed for other sites.
   */
  isLimited: boolean;
  /**
   * True if no person named the version. Then the package must come from the WordPress.org directory, or must have been
   * checked against a hash.
   */
  isAutomatic?: boolean;
}

/** `slug` is the main file of a plugin below the folder of plugins, or the stylesheet of a theme. */
export interface PackagedItem {
  type: 'plugin' | 'theme';
  slug: string;
  version: string;
}

export interface LeaveOutContext {
  actor: string;
  oneOfMany: boolean;
  lease: Lease;
}

/** The guards and the source of their packages. Other domains register them when the service is wired. */
export class UpdateGuards {
  readonly #guards = new Map<string, UpdateGuard>();
  #packages: GuardPackages | null = null;

  constructor(guards: readonly UpdateGuard[]) {
    for (const guard of guards) this.add(guard);
  }

  add(guard: UpdateGuard): void {
    this.#guards.set(guard.name, guard);
  }

  usePackages(packages: GuardPackages): void {
    this.#packages = packages;
  }

  get(name: ActiveGuardName): UpdateGuard {
    const guard = this.#guards.get(name);
    if (!guard) throw new Error(`There is no guard with the name ${name}.`);
    return guard;
  }

  get packages(): GuardPackages {
    if (!this.#packages) throw new Error('Guarded updates have no source of packages.');
    return this.#packages;
  }
}
