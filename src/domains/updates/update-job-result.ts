import {
  resultWithErrors,
  createUnvalidatedParser,
  type ParseStored,
  type ItemVerdict,
  type ItemWithErrors,
} from '../../queue/index.ts';
import type { ItemError } from '../../shared/item-error.ts';
import type { Site, SiteWithUrlKey } from '../sites/index.ts';
import type { UpdateOutcome } from './update-outcome.ts';
import type { AppliedUpdate, UpdateHealth, UpdateType, SkippedUpdate } from './update.ts';

export interface UpdateOnSite extends AppliedUpdate {
  siteId: number;
  siteUrl: string;
  siteName: string;
}

export interface SkippedUpdateOnSite extends SkippedUpdate {
  siteId: number;
  siteUrl: string;
  siteName: string;
}

export interface UpdateJobResult {
  updated: UpdateOnSite[];
  errors: ItemError[];
  /** Updates that the run left out. Missing if there are none, and in results that releases before 0.2 stored. */
  skipped?: SkippedUpdateOnSite[];
  health?: UpdateHealth;
  /** True if no update was left when the item ran. Missing in results that releases before 0.2 stored. */
  nothingToDo?: true;
}

/** Format of an update in the results that releases before 0.2 stored. */
interface FormerUpdate {
  site_id: number;
  site_url: string;
  site_name: string;
  type: UpdateType;
  slug: string;
  name: string;
  old_version: string;
  new_version: string;
}
const anyRelease = createUnvalidatedParser<{
  updated: (UpdateOnSite | FormerUpdate)[];
  errors: ItemError[];
  skipped?: SkippedUpdateOnSite[];
  health?: UpdateHealth;
  nothingToDo?: true;
}>();

export const parseUpdateJobResult: ParseStored<UpdateJobResult> = (stored) => {
  const { updated, ...rest } = anyRelease(stored);
  return { updated: updated.map((update) => ('site_id' in update ? fromFormerUpdate(update) : update)), ...rest };
};

const fromFormerUpdate = ({ type, slug, name, ...former }: FormerUpdate): UpdateOnSite => ({
  siteId: former.site_id,
  siteUrl: former.site_url,
  siteName: former.site_name,
  type,
  slug,
  name,
  oldVersion: former.old_version,
  newVersion: former.new_version,
});

export const addSiteToUpdates = <Update extends object>(
  site: Pick<Site, 'id' | 'url' | 'name'>,
  updates: readonly Update[],
) => updates.map((update) => ({ siteId: site.id, siteUrl: site.url, siteName: site.name, ...update }));

interface RunToStore extends Pick<UpdateOutcome, 'updated' | 'errors'> {
  skipped?: readonly SkippedUpdate[];
  health?: UpdateHealth | null;
}

export const toUpdateJobResult = (
  site: SiteWithUrlKey,
  { updated, errors, skipped = [], health }: RunToStore,
  identifier?: string | number,
): UpdateJobResult => ({
  updated: addSiteToUpdates(site, updated),
  // The identifier is the name that the caller used for the site. Type and slug of an error name the item.
  errors: identifier === undefined ? errors : errors.map((error) => ({ ...error, identifier })),
  ...(skipped.length > 0 && { skipped: addSiteToUpdates(site, skipped) }),
  ...(health && { health }),
  ...(updated.length === 0 && errors.length === 0 && { nothingToDo: true as const }),
});

export function judgeUpdates({ updated, errors, health, nothingToDo }: UpdateJobResult): ItemVerdict | null {
  if (health?.state === 'broken' || errors.some(isRollback)) return 'flawed';
  if (nothingToDo) return 'idle';
  return updated.length > 0 && health?.state === 'well' ? 'proven' : null;
}

const isRollback = ({ code }: ItemError): boolean => code === 'svc_rolled_back' || code === 'svc_rollback_failed';

export const toItemResult = (result: UpdateJobResult): UpdateJobResult | ItemWithErrors<UpdateJobResult> =>
  resultWithErrors(result, result.updated.length, result.errors);

export const toUpdateOutcome = ({ updated, errors }: UpdateJobResult): UpdateOutcome => ({
  updated: updated.map(({ type, slug, name, oldVersion, newVersion, brokeSite, unguarded }) => ({
    type,
    slug,
    name,
    oldVersion,
    newVersion,
    ...(brokeSite && { brokeSite }),
    ...(unguarded && { unguarded }),
  })),
  errors,
  open: [],
});
