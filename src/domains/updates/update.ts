import type { ChildStats, UpdateType, UpgradeClaim } from '../../connector/child-site.ts';
import type { DomainError, ItemError } from '../../shared/errors.ts';
import { isOlder, type KeyedSite } from '../sites/index.ts';

export type { UpdateType } from '../../connector/child-site.ts';

/** In the order in which they are installed, which is also the order of lists. */
export const UPDATE_TYPES = ['core', 'plugin', 'theme', 'translation'] as const satisfies readonly UpdateType[];

/** Translations cannot be ignored. */
export type IgnorableType = Exclude<UpdateType, 'translation'>;

export const CORE_SLUG = 'wordpress';

/** Stands for every plugin or theme of a site in the rules that ignore updates; no item goes by it. */
export const WHOLE_KIND = '*';

/** An update that waits on a site. */
export interface PendingUpdate {
  type: UpdateType;
  slug: string;
  name: string;
  currentVersion: string;
  newVersion: string;
}

/** An update that was made, as the site's own state confirms. */
export interface AppliedUpdate {
  type: UpdateType;
  slug: string;
  name: string;
  oldVersion: string;
  newVersion: string;
}

/** What came of the updates of one site. */
export interface SiteRun {
  site: KeyedSite;
  updated: AppliedUpdate[];
  errors: ItemError[];
  /** How a call to the site broke, if one did. */
  broken: DomainError | null;
}

export type UpdateCounts = Record<UpdateType, number>;

export const NO_UPDATES: Readonly<UpdateCounts> = { core: 0, plugin: 0, theme: 0, translation: 0 };

export function countByType(updates: readonly { type: UpdateType }[]): UpdateCounts {
  const counts = { ...NO_UPDATES };
  for (const { type } of updates) counts[type]++;
  return counts;
}

/** An empty list of types means all of them. */
export const typesOf = (types: readonly UpdateType[]): readonly UpdateType[] =>
  types.length === 0 ? UPDATE_TYPES : UPDATE_TYPES.filter((type) => types.includes(type));

/** One update on its way: what was sent, what the child said to it, and the state that was read afterwards. */
export interface Step {
  update: PendingUpdate;
  sent: boolean;
  claim: UpgradeClaim | null;
  /** How its call broke, or why it was not sent. */
  error: DomainError | null;
  after: ChildStats | null;
}

/** Whether a report can tell what became of an update. */
export const tells = (state: ChildStats, { type }: PendingUpdate): boolean => {
  if (type === 'core') return state.wpVersion !== null;
  return (type === 'plugin' ? state.plugins : type === 'theme' ? state.themes : state.updates) !== undefined;
};

/** The version on the site's disk; a translation has it when no longer waiting. Null when it is not there. */
function versionIn(state: ChildStats, { type, slug, newVersion }: PendingUpdate): string | null {
  switch (type) {
    case 'core':
      return state.wpVersion;
    case 'plugin':
    case 'theme':
      return (type === 'plugin' ? state.plugins : state.themes)?.find((item) => item.slug === slug)?.version ?? null;
    case 'translation': {
      const waits = state.updates?.some(
        (each) => each.type === type && each.slug === slug && each.newVersion === newVersion,
      );
      return waits ? null : newVersion;
    }
  }
}

/**
 * The version that an update has brought, as the site's state proves it; null when it has not. It is the wanted one or a later
 * one, or else the very one that the child names together with another that it replaced. The version that was there before is
 * none of these, though it be the later one: an author who takes a release back offers an earlier version.
 */
export function broughtTo(state: ChildStats, update: PendingUpdate, claim: UpgradeClaim | null): string | null {
  const version = versionIn(state, update);
  if (version === null || version === update.currentVersion) return null;
  if (version === update.newVersion || isOlder(update.newVersion, version)) return version;
  const claimed = claim?.success && claim.version === version && claim.oldVersion !== '';
  return claimed && claim.oldVersion !== version ? version : null;
}

const REASONS: Record<string, string> = {
  download_failed: 'The site could not download the update.',
  folder_exists: 'The site could not put the update in place.',
  up_to_date: 'The site takes itself to be up to date.',
};

/** Why an update that was sent has changed nothing. */
export function reasonOf({ claim }: Step): string {
  if (!claim) return 'The site did not carry out the update.';
  if (claim.success) return 'The site reports the update as done, but the installed version is unchanged.';
  const known = claim.errorCode !== null && Object.hasOwn(REASONS, claim.errorCode);
  return known ? (REASONS[claim.errorCode ?? ''] as string) : 'The site could not install the update.';
}
