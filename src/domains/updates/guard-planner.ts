import type { ChildStats } from '../../connector/child-site.ts';
import { itemErrorOf, type ItemError } from '../../shared/errors.ts';
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
  { site, choice, isExact, ...caller }: GuardedRunPlan,
): Promise<void> {
  const allowed = await guards.get(choice.name).allowedOn?.([site]);
  const guard = guards.get(allowed === undefined || allowed.has(site.id) ? choice.name : 'plain');
  plan.guarded = [];
  plan.unguarded = [];
  for (const update of [...plan.updates]) {
    if (update.type !== 'plugin' && update.type !== 'theme') continue;
    const { type, slug } = update;
    const item = (version: string): PackagedItem => ({ type, slug, version });
    const find = (version: string) => attemptCall(() => guards.packages.find(item(version), state, caller));
    const { value: target, error: refusal } = isExact
      ? await attemptCall(() => guards.packages.find(item(update.newVersion), state, { ...caller, isAutomatic: true }))
      : NOT_SOUGHT;
    if (refusal) {
      plan.updates = plan.updates.filter((each) => !isSame(each, update));
      plan.errors.push(itemErrorOf(slug, refusal, errorPlaceOf(site, update)));
      continue;
    }
    const { value: fallback, error } = await find(update.currentVersion);
    const isUnguarded = !fallback && guard.needsPackage !== false;
    if (!isUnguarded || (target && choice.unguarded === 'update')) {
      const installed = fallback ?? { id: null, version: update.currentVersion };
      const next = target ?? (await find(update.newVersion)).value;
      plan.guarded.push({
        ...recordOf(update, type, state, guard, installed, next),
        ...(isUnguarded && { isUnguarded }),
      });
    } else if (choice.unguarded === 'update')
      plan.unguarded.push({ type, slug, target: (await find(update.newVersion)).value });
    else {
      plan.updates = plan.updates.filter((each) => !isSame(each, update));
      if (choice.unguarded === 'fail') plan.errors.push(noFallbackError(site, update, error.message));
      else (plan.skipped ??= []).push({ ...update, leftOut: { reason: 'no_fallback', pin: null } });
    }
  }
}

const NOT_SOUGHT = { value: null, error: null } as const;

export const noFallbackError = (
  site: Pick<SiteWithUrlKey, 'id' | 'url'>,
  update: PendingUpdate,
  cause: string,
): ItemError => ({
  ...errorPlaceOf(site, update),
  code: 'svc_no_fallback',
  message: `Version ${update.currentVersion} of the ${update.type} ${update.name} has no package: ${cause}`,
});

const recordOf = (
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
