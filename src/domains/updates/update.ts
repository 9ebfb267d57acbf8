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
  /** The home page answered before it, and has been broken since. */
  brokeSite?: true;
}

/** How the home page of a site came through its updates; a status of 0 stands for no answer. */
export interface PageHealth {
  /** `unknown` is a page that did not answer before either. */
  state: 'well' | 'broken' | 'unknown';
  before: number;
  after: number;
}

/** What came of the updates of one site. */
export interface SiteRun {
  site: KeyedSite;
  updated: AppliedUpdate[];
  errors: ItemError[];
  /** How a call to the site broke, if one did. */
  broken: DomainError | null;
  /** What the site may still be at work on. */
  open: PendingUpdate[];
  /** When its calls were over. */
  since: number;
  /** Of the home page; null where it was not looked at. */
  health: PageHealth | null;
  /** What the home page answered before; null where nobody asked. */
  pageBefore: number | null;
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
  /** Not sent, because the site may still be at work on something that rules this out. */
  heldBack: boolean;
  claim: UpgradeClaim | null;
  /** How its call broke, or why it was not sent. */
  error: DomainError | null;
  /** The site may still be at work on it. */
  atWork: boolean;
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

/** Whether a plugin or theme is not there any more. */
export const isGone = (state: ChildStats, update: PendingUpdate): boolean =>
  (update.type === 'plugin' || update.type === 'theme') && tells(state, update) && versionIn(state, update) === null;

/**
 * The version that an update has brought, as the site's state proves it; null when it has not. It is the wanted one or
 * a later one, or else the very one that the child names together with another that it replaced. The version that was
 * there before is none of these, though it be the later one: an author who takes a release back offers an earlier
 * version.
 */
export function broughtTo(state: ChildStats, update: PendingUpdate, claim: UpgradeClaim | null): string | null {
  const version = versionIn(state, update);
  if (version === null || version === update.currentVersion) return null;
  if (version === update.newVersion || isOlder(update.newVersion, version)) return version;
  const claimed = claim?.success && claim.version === version && claim.oldVersion !== '';
  return claimed && claim.oldVersion !== version ? version : null;
}
