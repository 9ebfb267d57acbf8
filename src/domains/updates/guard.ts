import type { ChildLink, ChildStats } from '../../connector/child-site.ts';
import type { Lease } from '../../db/lease.ts';
import type { Remainder, UpdateRollback } from '../../shared/errors.ts';
import { throwFieldError } from '../../shared/field-errors.ts';
import type { SiteWithUrlKey } from '../sites/index.ts';
import type { PhpError } from './php-error.ts';
import type { PendingUpdate } from './update.ts';

/** Grades of guards, as a caller names them. `none` is no guard. */
export type GuardName = 'none' | 'plain' | 'careful' | 'parachute';
export type ActiveGuardName = Exclude<GuardName, 'none'>;

/** Handling of an update whose installed version has no package. `fail`: it is an error. */
export type UnguardedPolicy = 'fail' | 'skip' | 'update';

/** Stored in the input of jobs. */
export interface GuardChoice {
  name: ActiveGuardName;
  unguarded: UnguardedPolicy;
}

/** Returns null without a guard. Throws `InvalidError` for `force` without a guard. `together` names what it needs. */
export function guardChoiceOf(
  name: GuardName,
  { force = false, otherwise, together }: { force?: boolean | undefined; otherwise: UnguardedPolicy; together: string },
): GuardChoice | null {
  if (name !== 'none') return { name, unguarded: force ? 'update' : otherwise };
  if (force) throwFieldError('force', `must only be set together with ${together}`);
  return null;
}

/** A version of a plugin or theme that the vault has. */
export interface GuardPackage {
  id: number;
  version: string;
}

/**
 * Progress of a guarded update. Each step is stored before it begins, so that another process can finish it. `checking`
 * begins when the site has answered the update, `restoring` when it was found broken.
 */
export type GuardPhase = 'planned' | 'preparing' | 'updating' | 'checking' | 'restoring' | 'done';

/** Stored with the plan of a run. */
export interface GuardedUpdate {
  type: 'plugin' | 'theme';
  slug: string;
  guard: ActiveGuardName;
  /** Package of the installed version. Its ID is null if the guard needs none and there is none. */
  fallback: { id: number | null; version: string };
  /** Package of the new version. Null if the site has to download the update itself. */
  target: GuardPackage | null;
  /** True if the plugin was active before the update. */
  wasActive: boolean;
  /** True if nothing can be put back, because the installed version has no package. */
  isUnguarded?: boolean;
  phase: GuardPhase;
  /** Time at which the site had answered the update, in milliseconds since 1970. */
  updatedAt?: number;
  rollback?: UpdateRollback;
}

/** Stored with the plan of a guarded run: an update without a guard. */
export interface UnguardedUpdate {
  type: 'plugin' | 'theme';
  slug: string;
  /** Package of the new version; null if the site has to download the update itself. Missing in earlier plans. */
  target?: GuardPackage | null;
}

/** Work of a guard around one update. */
export interface GuardTask {
  site: SiteWithUrlKey;
  link: ChildLink;
  actor: string;
  lease: Lease;
  oneOfMany: boolean;
  /** Job item of the run. Null without a job. */
  itemId: number | null;
  update: PendingUpdate;
  /** Record of the update. */
  readonly record: Readonly<GuardedUpdate>;
  /** Last state that was read from the site. Null if it could not be read. */
  readonly state: ChildStats | null;
  /** Makes the child plugin install the version before from the vault. Throws the error of the call. */
  reinstall(): Promise<void>;
}

/**
 * Way to take an update back. Every method may be called again after an interruption, also if it was carried out. An
 * error of a method does not end the run.
 */
export interface UpdateGuard {
  readonly name: ActiveGuardName;
  /** False if the guard can put a version back that has no package. Default: true. */
  readonly needsPackage?: boolean;
  /** Returns the IDs of the sites on which the guard may be used. Others get the plain guard. Default: all sites. */
  allowedOn?(sites: readonly Pick<SiteWithUrlKey, 'id' | 'url'>[]): Promise<ReadonlySet<number>>;
  /** Prepares the site. Throws a `DomainError` if the update must not be sent. `release` is called all the same. */
  prepare(task: GuardTask): Promise<void>;
  /** Completes the update before the health of the site is checked. An error means that the new version is broken. */
  complete?(task: GuardTask): Promise<void>;
  /** Returns the error after which the guard has put the version before back by itself, or null if it has not. */
  selfRestored?(task: GuardTask): Promise<PhpError | null>;
  /** Puts the version before back. The state of the site that is read afterwards decides if it has worked. */
  restore(task: GuardTask): Promise<void>;
  /** Removes what the guard has left on the site. Returns what could not be removed. */
  release(task: GuardTask): Promise<readonly Remainder[]>;
}

/** Place of a package. `none`: it cannot be had. `unknown`: the directory has not answered in time. */
export type PackagePlace = 'vault' | 'directory' | 'none' | 'unknown';

/** Packages for guarded updates. The packages domain provides them. */
export interface GuardPackages {
  /**
   * Returns the package of a version, which is fetched into the vault if it is missing there. Throws a `DomainError` if
   * it cannot be had or does not fit the site.
   */
  find(item: PackagedItem, state: ChildStats, caller: PackageCaller): Promise<GuardPackage>;
  /** Returns the place of each package, in the order of the items. Downloads no package, and calls no site. */
  locate(items: readonly PackagedItem[], caller: { isLimited: boolean }): Promise<PackagePlace[]>;
  /** Makes a site install a package. Throws the error of the call. A success proves nothing. */
  install(link: ChildLink, siteId: number, packageId: number): Promise<void>;
  /** Leaves a version out on a site from now on. Returns the pin; null if the version cannot be compared. */
  leaveOut(siteId: number, item: PackagedItem, context: LeaveOutContext): Promise<string | null>;
}

export interface PackageCaller {
  actor: string;
  /** True if the caller sees only some sites. It gets packages of the directory only. */
  isLimited: boolean;
  /** True if nobody has named the version. Then only packages of the directory, or with a known hash, are used. */
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
