import type { ChildStats } from '../../connector/child-site.ts';
import type { DomainError } from '../../shared/errors.ts';
import { itemErrorOf, type ItemError } from '../../shared/item-error.ts';
import { attemptCall, type SiteWithUrlKey } from '../sites/index.ts';
import type { GuardChoice, GuardedUpdate, GuardPackage, PackagedItem, UpdateGuard, UpdateGuards } from './guard.ts';
import { errorPlaceOf } from './update-outcome.ts';
import type { UpdatePlan } from './update-run-store.ts';
import { installedPluginOf, isSame, type PendingUpdate } from './update.ts';

interface GuardedRunPlan {
  site: SiteWithUrlKey;
  choice: GuardChoice;
  actor: string;
  isLimited: boolean;
  /** True if the service chose the versions. The site need not offer these versions. */
  isExact: boolean;
  isScheduled: boolean;
}

/**
 * Chooses the packages of a guarded run and adds them to the plan, before any update is sent. A later attempt installs
 * the same packages. `choice.unguarded` decides about updates whose installed version has no package: they become
 * errors, are skipped, or are sent although the old version cannot be restored.
 */
export async function planGuards(
  guards: UpdateGuards,
  plan: UpdatePlan,
  state: ChildStats,
  { site, choice, isExact, isScheduled, ...caller }: GuardedRunPlan,
): Promise<void> {
  const allowed = await guards.get(choice.name).allowedOn?.([site]);
  const guard = guards.get(allowed === undefined || allowed.has(site.id) ? choice.name : 'plain');
  plan.guarded = [];
  plan.unguarded = [];
  for (const update of [...plan.updates]) {
    if (update.type !== 'plugin' && update.type !== 'theme') continue;
    const { type, slug } = update;
    const item = (version: string): PackagedItem => ({ type, slug, version });
    const isAutomatic = isExact || isScheduled;
    const findNew = () => guards.packages.find(item(update.newVersion), state, { ...caller, isAutomatic });
    const sought = isAutomatic ? await attemptCall(findNew) : NOT_SOUGHT;
    if (sought.error && (isExact || isUnverified(sought.error))) {
      plan.updates = plan.updates.filter((each) => !isSame(each, update));
      plan.errors.push(itemErrorOf(slug, sought.error, errorPlaceOf(site, update)));
      continue;
    }
    const findTarget = async () => (isAutomatic ? sought : await attemptCall(findNew)).value;
    const { value: fallback, error } = await attemptCall(() =>
      guards.packages.find(item(update.currentVersion), state, caller),
    );
    const isUnguarded = !fallback && guard.needsPackage !== false;
    if (!isUnguarded || (isExact && choice.unguarded === 'update')) {
      const installed = fallback ?? { id: null, version: update.currentVersion };
      plan.guarded.push({
        ...plannedGuardedUpdate(update, type, state, guard, installed, await findTarget()),
        ...(isUnguarded && { isUnguarded }),
      });
    } else if (choice.unguarded === 'update') plan.unguarded.push({ type, slug, target: await findTarget() });
    else {
      plan.updates = plan.updates.filter((each) => !isSame(each, update));
      if (choice.unguarded === 'fail') plan.errors.push(noFallbackError(site, update, error.message));
      else (plan.skipped ??= []).push({ ...update, leftOut: { reason: 'no_fallback', pin: null } });
    }
  }
}

const NOT_SOUGHT = { value: null, error: null } as const;

/** True if the vault has the package, but nobody has sent its hash. The site must not get another zip instead. */
const isUnverified = ({ code, data }: DomainError): boolean =>
  code === 'svc_package_refused' && data['reason'] === 'not_verified';

export const noFallbackError = (
  site: Pick<SiteWithUrlKey, 'id' | 'url'>,
  update: PendingUpdate,
  cause: string,
): ItemError => ({
  ...errorPlaceOf(site, update),
  code: 'svc_no_fallback',
  message: `Version ${update.currentVersion} of the ${update.type} ${update.name} has no package: ${cause}`,
});

const plannedGuardedUpdate = (
  update: PendingUpdate,
  type: 'plugin' | 'theme',
  state: ChildStats,
  { name }: UpdateGuard,
  fallback: GuardedUpdate['fallback'],
  target: GuardPackage | null,
) => ({
  ...{ type, slug: update.slug, guard: name, fallback, target },
  wasActive: type === 'plugin' && (installedPluginOf(state, update)?.active ?? false),
  phase: 'planned' as const,
});
