import type { ChildPlugin, ChildStats, UpdateType, UpgradeClaim } from '../../connector/child-site.ts';
import type { DomainError } from '../../shared/errors.ts';
import type { ItemError, UpdateRollback } from '../../shared/item-error.ts';
import { isOlderVersion, type SiteWithUrlKey } from '../sites/index.ts';
import type { ProbeName, WatchStart } from './health-readings.ts';

export type { UpdateType } from '../../connector/child-site.ts';

/** All types in the order of installation, which is also the order in lists. */
export const UPDATE_TYPES = ['core', 'plugin', 'theme', 'translation'] as const satisfies readonly UpdateType[];

export type IgnorableType = Exclude<UpdateType, 'translation'>;

export const CORE_SLUG = 'wordpress';

/** Slug of the rule that ignores every plugin or every theme of a site. No item has this slug. */
export const ALL_ITEMS_SLUG = '*';

export interface PendingUpdate {
  type: UpdateType;
  slug: string;
  name: string;
  currentVersion: string;
  newVersion: string;
}

/** Version of a plugin or theme that is installed from the package vault, whether the site offers it or not. */
export interface ExactUpdate extends PendingUpdate {
  type: 'plugin' | 'theme';
}

export type UpdatePlace = Pick<PendingUpdate, 'type' | 'slug'>;

export const isSame = (one: UpdatePlace, other: UpdatePlace): boolean =>
  one.type === other.type && one.slug === other.slug;

/**
 * Reason for leaving an update out. Ignored and pinned updates are neither listed nor counted. Held ones are listed and
 * counted, and only runs that apply the minimum age leave them out.
 */
export type LeftOutReason = 'ignored' | 'pinned' | 'held';

/** `no_fallback`: a guarded run found no package of the installed version. Lists never have this reason. */
export type SkippedReason = LeftOutReason | 'no_fallback';

export interface LeftOut<Reason extends SkippedReason = LeftOutReason> {
  reason: Reason;
  pin: PinOfItem | null;
  heldUntil?: HeldUntil;
}

/** Time until which an update is held, in milliseconds since 1970; `never` if it is not installed at any age. */
export type HeldUntil = number | 'never';

export interface PinOfItem {
  id: number;
  /** Range of versions as `normalizePinRange` returns it, such as `2.4.x` or `<=2.4`. */
  version: string;
}

export interface SkippedUpdate extends PendingUpdate {
  leftOut: LeftOut<SkippedReason>;
}

export interface AppliedUpdate {
  type: UpdateType;
  slug: string;
  name: string;
  oldVersion: string;
  newVersion: string;
  /** True if the site was well before the update and has been broken since. */
  brokeSite?: true;
  /** True if the run was guarded, but this update was not, because its installed version has no package. */
  unguarded?: true;
}

/**
 * Health of a site after updates. `before` and `after` are HTTP statuses that `probe` read; 0 means no response.
 * `unknown`: a probe that was well before had no clear result after the updates, or no probe was well before.
 */
export interface UpdateHealth {
  state: 'well' | 'broken' | 'unknown';
  /** Missing in results that releases before 0.2 stored. */
  probe?: ProbeName;
  before: number;
  after: number;
}

export interface SiteUpdateRunResult {
  site: SiteWithUrlKey;
  updated: AppliedUpdate[];
  errors: ItemError[];
  skipped: SkippedUpdate[];
  callError: DomainError | null;
  open: PendingUpdate[];
  /** Time at which the calls to the site ended, in milliseconds since 1970. */
  since: number;
  health: UpdateHealth | null;
  /** Null if no update could affect the health of the site. */
  watched: WatchStart | null;
  logPosition: number | undefined;
}

export type UpdateCounts = Record<UpdateType, number>;

export const NO_UPDATES: Readonly<UpdateCounts> = { core: 0, plugin: 0, theme: 0, translation: 0 };

export function countByType(updates: readonly { type: UpdateType }[]): UpdateCounts {
  const counts = { ...NO_UPDATES };
  for (const { type } of updates) counts[type]++;
  return counts;
}

export const selectedTypesOrAll = (types: readonly UpdateType[]): readonly UpdateType[] =>
  types.length === 0 ? UPDATE_TYPES : UPDATE_TYPES.filter((type) => types.includes(type));

/** `claim` is the response of the child about the update, and `after` is the state that was read later. */
export interface UpdateStep {
  update: PendingUpdate;
  sent: boolean;
  /** True if the update was not sent because the site may still be updating the core. */
  heldBack: boolean;
  claim: UpgradeClaim | null;
  /** Error of the call for this update, or the reason why it was not sent. */
  error: DomainError | null;
  mayStillRun: boolean;
  after: ChildStats | null;
  /** Set if the guard of the update could not be set up, so that the update was not sent. */
  guardError?: DomainError;
  rollback?: UpdateRollback;
  /** True if the update was sent as an installation from the vault. */
  isInstallation?: boolean;
  /** Set if a guarded run could not prove the state of the site: the cause, as part of a sentence. */
  unproven?: { because: string; phase: 'preparing' | 'checking' | 'restoring' };
  isUnguarded?: boolean;
}

export const includesUpdateType = (state: ChildStats, { type }: PendingUpdate): boolean => {
  if (type === 'core') return state.wpVersion !== null;
  return (type === 'plugin' ? state.plugins : type === 'theme' ? state.themes : state.updates) !== undefined;
};

/**
 * Returns the plugin after its update, or undefined. If an update renames the main file, the plugin is the only one in
 * the same folder that has the offered version or a later one. If there are several, it is the one with the same name.
 */
export function installedPluginOf(state: ChildStats, update: PendingUpdate): ChildPlugin | undefined {
  const { slug, name, newVersion } = update;
  const same = state.plugins?.find((plugin) => plugin.slug === slug);
  const folder = slug.slice(0, slug.indexOf('/') + 1);
  if (same || folder === '') return same;
  const others = (state.plugins ?? []).filter(
    (plugin) =>
      plugin.slug.startsWith(folder) && (plugin.version === newVersion || isOlderVersion(newVersion, plugin.version)),
  );
  const fitting = others.length > 1 ? others.filter((plugin) => plugin.name === name) : others;
  return fitting.length === 1 ? fitting[0] : undefined;
}

/**
 * Returns the installed version that a report shows. Reports have no versions of translations: a translation counts as
 * installed if its update is not pending anymore.
 */
function reportedVersionOf(state: ChildStats, update: PendingUpdate): string | null {
  const { type, slug, newVersion } = update;
  switch (type) {
    case 'core':
      return state.wpVersion;
    case 'plugin':
      return installedPluginOf(state, update)?.version ?? null;
    case 'theme':
      return state.themes?.find((item) => item.slug === slug)?.version ?? null;
    case 'translation': {
      const waits = state.updates?.some(
        (each) => each.type === type && each.slug === slug && each.newVersion === newVersion,
      );
      return waits ? null : newVersion;
    }
  }
}

/**
 * Removes the updates that the site has already installed, and corrects `currentVersion` of the others. `state` was
 * read before any update was sent. So a version counts as installed by a run only if the run has replaced another
 * version.
 */
export function withoutInstalledUpdates(
  updates: readonly PendingUpdate[],
  state: ChildStats,
): { left: PendingUpdate[]; installed: PendingUpdate[] } {
  const left: PendingUpdate[] = [];
  const installed: PendingUpdate[] = [];
  for (const update of updates) {
    if (!includesUpdateType(state, update)) left.push(update);
    else if (installedVersionOf(state, update, null) !== null) installed.push(update);
    else left.push({ ...update, currentVersion: reportedVersionOf(state, update) ?? update.currentVersion });
  }
  return { left, installed };
}

export const isItemMissing = (state: ChildStats, update: PendingUpdate): boolean =>
  (update.type === 'plugin' || update.type === 'theme') &&
  includesUpdateType(state, update) &&
  reportedVersionOf(state, update) === null;

/**
 * Returns the version that the update has installed, as the state of the site proves, or null. It is the wanted version
 * or a later one. Any other version counts only if the child reports that this version replaced a different one. The
 * version from before the update never counts, even if it is later: an author who withdraws a release offers an earlier
 * version.
 */
export function installedVersionOf(
  state: ChildStats,
  update: PendingUpdate,
  claim: UpgradeClaim | null,
): string | null {
  const version = reportedVersionOf(state, update);
  if (version === null || version === update.currentVersion) return null;
  if (version === update.newVersion || isOlderVersion(update.newVersion, version)) return version;
  const claimed = claim?.success && claim.version === version && claim.oldVersion !== '';
  return claimed && claim.oldVersion !== version ? version : null;
}
