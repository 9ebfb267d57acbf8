import { asWritten, jobKind, NothingButErrors, plainInput, Postponed, type JobKind } from '../../queue/index.ts';
import type { LaterLooks } from '../jobs/index.ts';
import type { SiteUpdater, UpdateChoice } from './site-updater.ts';
import type { UpdateType } from './update.ts';
import { settle } from './update-failures.ts';
import { resultOf, updateResult, type UpdateJobResult } from './update-job-result.ts';

/** What all sites of an update job share. */
export interface UpdateJobInput {
  types: UpdateType[];
  slugs: string[];
  complain: UpdateChoice['complain'];
  /** The home page is looked at around each update, whatever the settings say. */
  checkPage?: boolean;
  /** Only what was first seen until then, in milliseconds since 1970. */
  seenBefore?: number;
  /** Only what is vulnerable by then. */
  onlyVulnerable?: boolean;
  /** How many sites a run of the whole fleet began with; one that tries a part of it again has fewer. */
  everything?: number;
}

export const UPDATE = 'update';

/** The input of an update job as its row has it. */
export const updateInput = asWritten<UpdateJobInput>();

/**
 * One site of an update job. Its plan and its outcome are kept with the item: a further attempt looks at the site
 * before it sends what is missing, and one that was only about to be recorded is not run again. What is open in the end
 * is looked at again by further attempts.
 */
export const updateJob = (
  updater: SiteUpdater,
  looks: Pick<LaterLooks, 'next'>,
): JobKind<UpdateJobInput, UpdateJobResult> =>
  jobKind({
    name: UPDATE,
    about: 'site',
    input: plainInput<UpdateJobInput>(),
    result: updateResult,
    whenCancelled: 'finish',
    isFlawed: ({ health }) => health?.state === 'broken',
    perform: async ({ subject, input, item, resumed }) => {
      const { id, jobId, requestedBy, identifier } = item;
      const run = await updater.run(subject, input, requestedBy, { id, jobId, resumed, oneOfMany: !item.alone });
      const next = run.open.length === 0 ? null : looks.next(run.since);
      if (next !== null)
        return new Postponed(next, resultOf(run.site, { ...settle(run, null, jobId), health: run.health }, identifier));
      const result = resultOf(run.site, run, identifier);
      const [first] = run.updated.length === 0 ? result.errors : [];
      return first ? new NothingButErrors(result, first) : result;
    },
  });
