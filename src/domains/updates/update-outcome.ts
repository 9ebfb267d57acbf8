import type { ChildPlugin } from '../../connector/child-site.ts';
import type { ChangedObject } from '../../shared/changed-object.ts';
import { omitEmptyValues } from '../../shared/changed-values.ts';
import { ChildRefusedError } from '../../shared/child-call-errors.ts';
import type { DomainError } from '../../shared/errors.ts';
import { itemErrorOf, type ItemError } from '../../shared/item-error.ts';
import { truncate } from '../../shared/text.ts';
import type { Change } from '../changes/index.ts';
import { judgeChange, type SiteWithUrlKey } from '../sites/index.ts';
import { guardFailure, rollbackEntry, rollbackError } from './rollback-outcome.ts';
import type { RenamedPlugin } from './rule-moves.ts';
import {
  installedPluginOf,
  installedVersionOf,
  isItemMissing,
  type AppliedUpdate,
  type PendingUpdate,
  type UpdateHealth,
  type UpdateStep,
} from './update.ts';

export interface UpdateOutcome {
  updated: AppliedUpdate[];
  errors: ItemError[];
  /** The site may still be working on these updates. Their errors have the code `svc_outcome_unknown`. */
  open: PendingUpdate[];
}

export interface RunFindings {
  readError: DomainError | null;
  health: UpdateHealth | null;
  /** Returns the health of the site if this update broke it, or null for other updates. */
  brokenWith: (step: UpdateStep) => UpdateHealth | null;
}

export interface ConcludedUpdates extends UpdateOutcome {
  changes: Change[];
  renamed: RenamedPlugin[];
  /** Updates that the site may have installed, but whose versions could not be read back. Includes the open ones. */
  unconfirmed: PendingUpdate[];
}

export function concludeUpdates(
  steps: readonly UpdateStep[],
  { readError, health, brokenWith }: RunFindings,
  site: SiteWithUrlKey,
  actor: string,
): ConcludedUpdates {
  const concluded: ConcludedUpdates = { updated: [], errors: [], open: [], changes: [], renamed: [], unconfirmed: [] };
  const log = (type: string, description: string, thing: ChangedObject): number =>
    concluded.changes.push({ siteId: site.id, type, description, actor, thing });
  const broken = isFatalSiteError(readError) || health?.probe !== 'home_page' ? brokenOrNull(health) : null;
  const brokenAfterClaim = readError && steps.some(claimsSuccess) ? broken : null;
  for (const step of steps) {
    const { update, claim, after } = step;
    const applied = appliedUpdateOf(step);
    const place = errorPlaceOf(site, update);
    if (step.guardError && !step.unproven) concluded.errors.push({ ...place, ...guardFailure(step.guardError) });
    else if (step.rollback) {
      concluded.errors.push({ ...place, ...rollbackError(update, step.rollback) });
      log(...rollbackEntry(update, step.rollback));
    } else if (step.unproven) {
      concluded.open.push(update);
      concluded.unconfirmed.push(update);
      concluded.errors.push({ ...place, ...unprovenFailure(step.unproven) });
    } else if (applied) {
      const brokenBy = brokenWith(step);
      concluded.updated.push(brokenBy === null ? applied : { ...applied, brokeSite: true });
      const { change, renamed } = describeInstalled(step, applied, { siteId: site.id, actor, brokenBy });
      concluded.changes.push(change);
      concluded.renamed.push(...renamed);
      if (brokenBy !== null)
        concluded.errors.push({
          ...place,
          code: 'svc_site_refused',
          reason: brokenBy.probe === 'home_page' && brokenBy.after < 500 ? 'home_page_broken' : 'site_fatal',
          message: `The update is installed, but since then the site ${brokenSentence(brokenBy)}.`,
        });
    } else if (!step.sent)
      concluded.errors.push(step.heldBack ? { ...place, ...HELD_BACK } : notSentError(step, place));
    else if (brokenAfterClaim && after === null && claimsSuccess(step)) {
      // Nothing is logged, because the version was not read back. A later report of the site may confirm it.
      concluded.unconfirmed.push(update);
      const message =
        `The site reports that version ${truncate(claim?.version ?? '', 64)} is installed, ` +
        `but since then it ${brokenSentence(brokenAfterClaim)}.`;
      concluded.errors.push({ ...place, ...BROKEN, message });
    } else if (brokenAfterClaim && after === null && isFatalSiteError(step.error))
      concluded.errors.push(notSentError(step, place));
    else if (
      judgeChange(after, (state) => installedVersionOf(state, update, claim) !== null, step.mayStillRun) === 'unknown'
    ) {
      concluded.open.push(update);
      concluded.unconfirmed.push(update);
      concluded.errors.push({ ...place, ...UNKNOWN });
    } else {
      concluded.errors.push({ ...place, ...failureOf(step) });
      if (after && isItemMissing(after, update))
        log(
          `${update.type}.deleted`,
          `The update of the ${itemNameForSentence(update)} failed, and it no longer exists on the site.`,
          changedObjectOf({ ...update, oldVersion: update.currentVersion, newVersion: '' }),
        );
    }
  }
  return concluded;
}

export function describeInstalled(
  step: UpdateStep,
  applied: AppliedUpdate,
  { siteId, actor, brokenBy = null }: { siteId: number; actor: string; brokenBy?: UpdateHealth | null },
): { change: Change; renamed: RenamedPlugin[] } {
  const plugin = renamedPluginOf(step);
  const renaming = plugin ? ` ${renamingSentence(plugin)}` : '';
  const breaking = brokenBy === null ? '' : ` Since then, the site ${brokenSentence(brokenBy)}.`;
  const change: Change = {
    siteId,
    type: updatedChangeTypeOf(step.update),
    description: `${updateSentenceOf(applied)}.${renaming}${breaking}`,
    actor,
    thing: changedObjectOf(applied, plugin?.slug),
  };
  return { change, renamed: plugin ? [{ slug: step.update.slug, newSlug: plugin.slug }] : [] };
}

const brokenOrNull = (health: UpdateHealth | null): UpdateHealth | null => (health?.state === 'broken' ? health : null);

function brokenSentence({ probe, after }: UpdateHealth): string {
  if (after === 0) return 'does not answer';
  const isExpected = probe === 'home_page' || after >= 500;
  return `answers with HTTP ${after}${isExpected ? '' : ', but not with the response of WordPress'}`;
}

export const createOpenSteps = (open: readonly PendingUpdate[], after: UpdateStep['after']): UpdateStep[] =>
  open.map((update) => ({ ...createSentStep(update), after, mayStillRun: true }));

/**
 * Replaces the open updates with the results of a later check. Without results, adds the ID of the checking job to
 * their errors.
 */
export function mergeLaterResult(outcome: UpdateOutcome, looked: UpdateOutcome | null, jobId?: string): UpdateOutcome {
  const isAbout =
    ({ type, slug }: ItemError) =>
    (each: { type?: string; slug?: string }): boolean =>
      each.type === type && each.slug === slug;
  const errors = outcome.errors.flatMap((error) => {
    if (error.code !== 'svc_outcome_unknown' || !outcome.open.some(isAbout(error))) return [error];
    if (looked) return looked.errors.filter(isAbout(error));
    return [jobId === undefined ? error : { ...error, job_id: jobId }];
  });
  if (!looked) return { ...outcome, errors };
  return { updated: [...outcome.updated, ...looked.updated], errors, open: looked.open };
}

export const createSentStep = (update: PendingUpdate): UpdateStep => ({
  update,
  sent: true,
  heldBack: false,
  claim: null,
  error: null,
  mayStillRun: false,
  after: null,
});

export const errorPlaceOf = (
  site: Pick<SiteWithUrlKey, 'id' | 'url'>,
  { type, slug }: Pick<PendingUpdate, 'type' | 'slug'>,
) => ({
  identifier: slug,
  site_id: site.id,
  site_url: site.url,
  type,
  slug,
});

type ItemErrorPlace = ReturnType<typeof errorPlaceOf>;
type UpdateFailureDetails = Pick<ItemError, 'code' | 'message' | 'reason' | 'child_message'>;

export function appliedUpdateOf({ update, claim, after, isUnguarded }: UpdateStep): AppliedUpdate | null {
  const newVersion = after && installedVersionOf(after, update, claim);
  if (newVersion === null) return null;
  const { type, slug, name, currentVersion } = update;
  const applied = { type, slug, name, oldVersion: claim?.oldVersion || currentVersion, newVersion };
  return isUnguarded ? { ...applied, unguarded: true } : applied;
}

export function runsWithEveryRequest({ update, after }: Pick<UpdateStep, 'update' | 'after'>): boolean {
  const { type, slug } = update;
  switch (type) {
    case 'core':
      return true;
    case 'plugin':
      return (after && installedPluginOf(after, update)?.active) ?? false;
    case 'theme':
      return after?.themes?.some((item) => item.slug === slug && (item.active || item.parentOfActive)) ?? false;
    case 'translation':
      return false;
  }
}

export const claimsSuccess = ({ claim }: UpdateStep): boolean =>
  claim?.success === true && claim.version !== '' && claim.oldVersion !== '' && claim.oldVersion !== claim.version;

export const isFatalSiteError = (error: DomainError | null): boolean =>
  error instanceof ChildRefusedError && error.reason === 'site_fatal' && error.data['http_status'] === 500;

const notSentError = ({ error }: UpdateStep, { identifier, ...place }: ItemErrorPlace): ItemError =>
  itemErrorOf(identifier, error, place);

const unprovenFailure = ({ because, phase }: NonNullable<UpdateStep['unproven']>): UpdateFailureDetails => ({
  code: 'svc_outcome_unknown',
  message: {
    preparing: `The update was not installed, but the plugin may be inactive, because ${because}.`,
    checking: `The update was sent, but the health of the site is not proven, because ${because}. Nothing was put back.`,
    restoring: `The update broke the site and the old version was sent, but the result is not proven, because ${because}.`,
  }[phase],
});
const UNKNOWN: UpdateFailureDetails = {
  code: 'svc_outcome_unknown',
  message: 'The update was sent, but the state of the site does not confirm the result yet.',
};
const BROKEN = { code: 'svc_site_refused', reason: 'site_fatal' } as const;
const HELD_BACK: UpdateFailureDetails = {
  code: 'svc_update_failed',
  reason: 'locked',
  message: 'The update was not sent, because an update of WordPress itself may still be running on the site.',
};

const SENTENCES: Record<string, string> = {
  no_package: 'The site has no download package for the update. A license may be missing.',
  download_failed: 'The site could not download the update.',
  folder_exists: 'The site could not install the files of the update.',
  up_to_date: 'The site reports that it is up to date.',
  locked: 'Another update is running on the site.',
  files_not_writable: 'The site has no write access to the files that the update replaces.',
  mkdir_failed_ziparchive: 'The site has no write access to the folder in which updates are unpacked.',
  incompatible_wp_required_version: 'The update requires a newer version of WordPress.',
  incompatible_php_required_version: 'The update requires a newer version of PHP.',
  install_failed: 'The site downloaded the update, but could not unpack or install it.',
};

/**
 * Describes why a package of the vault could not be installed, from the error of the call. If WordPress downloads the
 * update itself, the response of the child (`claim`) says why instead.
 */
function installFailureOf({ error, update }: UpdateStep): UpdateFailureDetails {
  const { child_code: childCode, reason: ownReason, child_message: childMessage } = error?.data ?? {};
  const reason = childCode ?? ownReason;
  return {
    code: 'svc_update_failed',
    message: `The site could not install version ${truncate(update.newVersion, 64)} from the package of this service.`,
    ...(typeof reason === 'string' && { reason }),
    ...(typeof childMessage === 'string' && { child_message: childMessage }),
  };
}

function failureOf(step: UpdateStep): UpdateFailureDetails {
  const { claim, update, after } = step;
  const code = 'svc_update_failed';
  if (!claim && step.isInstallation) return installFailureOf(step);
  if (!claim) return { code, message: 'The site did not run the update.' };
  if (claim.success)
    return { code, message: 'The site reports the update as done, but the installed version is unchanged.' };
  const { errorCode, message, rolledBack } = claim;
  const known = errorCode !== null && Object.hasOwn(SENTENCES, errorCode) ? SENTENCES[errorCode] : undefined;
  const words = [known ?? (/^incompatible_archive/.test(errorCode ?? '') ? NO_ARCHIVE : NOT_INSTALLED)];
  if (after && isItemMissing(after, update)) words.push(`The ${update.type} no longer exists on the site.`);
  else if (rolledBack) words.push('The site restored the old version.');
  return {
    code,
    message: words.join(' '),
    ...(errorCode !== null && { reason: errorCode }),
    ...(message !== null && { child_message: message }),
  };
}

const updatedChangeTypeOf = ({ type }: PendingUpdate): string => `${type === 'core' ? 'wordpress' : type}.updated`;

const NOT_INSTALLED = 'The site could not install the update.';
const NO_ARCHIVE = 'The downloaded file is not a package that the site can install.';

const itemNameForSentence = ({ type, slug, name }: Pick<PendingUpdate, 'type' | 'slug' | 'name'>): string =>
  type === 'core' ? 'WordPress' : `${type} ${truncate(name || slug, 255)}`;

function renamedPluginOf({ update, after }: UpdateStep): ChildPlugin | null {
  const plugin = update.type === 'plugin' && after ? installedPluginOf(after, update) : undefined;
  return plugin && plugin.slug !== update.slug ? plugin : null;
}

const renamingSentence = ({ slug, active }: ChildPlugin): string =>
  `Its main file is now ${truncate(slug, 255)}${active ? '' : ', which is inactive'}.`;

const changedObjectOf = ({ slug, name, oldVersion, newVersion }: AppliedUpdate, newSlug = slug): ChangedObject => ({
  name: name || slug,
  key: newSlug,
  before: omitEmptyValues({ version: oldVersion }),
  after: omitEmptyValues({ version: newVersion }),
});

function updateSentenceOf(update: AppliedUpdate): string {
  const from = update.oldVersion === '' ? '' : ` from ${truncate(update.oldVersion, 64)}`;
  const what = update.type === 'core' ? 'WordPress' : `the ${itemNameForSentence(update)}`;
  return `Updated ${what}${from} to ${truncate(update.newVersion, 64)}`;
}
