import {
  createUnvalidatedParser,
  defineJobKind,
  plainInput,
  PostponedItem,
  type Attempt,
  type ItemResult,
  type JobKind,
} from '../../queue/index.ts';
import type { VerificationRetries } from '../jobs/index.ts';
import type { ScheduledFailures } from './scheduled-failures.ts';
import type { GuardChoice } from './guard.ts';
import type { SiteUpdater } from './site-updater.ts';
import type { SiteUpdateSelection } from './update-planner.ts';
import type { HoldRule } from './hold-rule.ts';
import type { UpdateType } from './update.ts';
import { mergeLaterResult } from './update-outcome.ts';
import {
  judgeUpdates,
  toItemResult,
  toUpdateJobResult,
  parseUpdateJobResult,
  type UpdateJobResult,
} from './update-job-result.ts';

export interface UpdateJobInput {
  types: UpdateType[];
  slugs: string[];
  complain: SiteUpdateSelection['complain'];
  checkPage?: boolean;
  /** Only in jobs of releases that had no `hold`. */
  seenBefore?: number;
  hold?: HoldRule;
  onlyVulnerable?: boolean;
  guard?: GuardChoice;
  /** True if a schedule started the run. Its failures raise alerts. */
  isScheduled?: boolean;
  /**
   * Number of sites at the start of a run over the whole fleet. A second request for the same types returns such a run
   * instead of starting another. A job that retries a part of the sites has fewer items, so it is not such a run.
   */
  everything?: number;
}

export const UPDATE_JOB_KIND = 'update';

export const parseUpdateInput = createUnvalidatedParser<UpdateJobInput>();

export interface UpdateItemsDeps {
  updater: SiteUpdater;
  retries: Pick<VerificationRetries, 'next'>;
  failures: Pick<ScheduledFailures, 'record' | 'recordError'>;
}

/**
 * Updates the site of a job item. Plan and outcome are stored with the item. A later attempt reads the state of the
 * site before it sends the missing updates, and never repeats a run whose outcome is stored. Later attempts also check
 * updates whose outcome is unknown.
 */
export class UpdateItems {
  readonly #deps: UpdateItemsDeps;

  constructor(deps: UpdateItemsDeps) {
    this.#deps = deps;
  }

  hasBegun(itemId: number): Promise<boolean> {
    return this.#deps.updater.hasBegun(itemId);
  }

  async perform(
    siteId: number,
    input: SiteUpdateSelection,
    { item, resumed, lease }: Pick<Attempt, 'item' | 'resumed' | 'lease'>,
  ): Promise<ItemResult<UpdateJobResult>> {
    const { updater, retries, failures } = this.#deps;
    const { id, jobId, requestedBy, identifier } = item;
    const runItem = { id, jobId, resumed, oneOfMany: !item.isOnlyItem, isLimited: item.owner !== null, lease };
    const scheduled = input.isScheduled ? { id, jobId, requestedBy, lease } : null;
    const run = await updater.run(siteId, input, requestedBy, runItem).catch(async (error: unknown) => {
      if (scheduled) await failures.recordError(scheduled, siteId, error);
      throw error;
    });
    const next = run.open.length === 0 ? null : retries.next(run.since, { isPatient: input.guard !== undefined });
    if (next !== null)
      return new PostponedItem(
        next,
        toItemResult(toUpdateJobResult(run.site, { ...run, ...mergeLaterResult(run, null, jobId) }, identifier)),
      );
    if (scheduled) await failures.record(scheduled, { ...run, isBroken: run.health?.state === 'broken' });
    const health = await updater.healthAfter(run, input);
    return toItemResult(toUpdateJobResult(run.site, { ...run, health }, identifier));
  }
}

export const updateJob = (items: UpdateItems): JobKind<UpdateJobInput, UpdateJobResult> =>
  defineJobKind({
    name: UPDATE_JOB_KIND,
    about: 'site',
    input: plainInput<UpdateJobInput>(),
    result: parseUpdateJobResult,
    whenCancelled: 'finish',
    retryPermission: 'updates:run',
    verdictOf: judgeUpdates,
    hasBegun: ({ item }) => items.hasBegun(item.id),
    perform: ({ subject, input, ...attempt }) => items.perform(subject, input, attempt),
  });
