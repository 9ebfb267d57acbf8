import { NothingButErrors, Postponed, type ItemHandler } from '../../queue/index.ts';
import type { LaterLooks } from '../jobs/index.ts';
import { siteIdOf } from '../sites/index.ts';
import type { SiteUpdater, UpdateChoice } from './site-updater.ts';
import type { UpdateType } from './update.ts';
import { settle } from './update-failures.ts';
import { resultOf, type UpdateJobResult } from './update-job-result.ts';

/** What all sites of an update job share. */
export type UpdateJobInput = { types: UpdateType[]; slugs: string[]; complain: UpdateChoice['complain'] };

/**
 * One site of an update job. Its plan and its outcome are kept with the item: a further attempt looks at the site
 * before it sends what is missing, and one that was only about to be recorded is not run again. What is open in the end
 * is looked at again by further attempts.
 */
export const updateJob =
  (updater: SiteUpdater, looks: Pick<LaterLooks, 'next'>): ItemHandler =>
  async ({ item, resumed }): Promise<UpdateJobResult | NothingButErrors | Postponed> => {
    const choice = item.input as UpdateJobInput;
    const run = await updater.run(siteIdOf({ item }), choice, item.requestedBy, {
      id: item.id,
      resumed,
      oneOfMany: !item.alone,
    });
    const next = run.open.length === 0 ? null : looks.next(run.since);
    if (next !== null)
      return new Postponed(next, { ...resultOf(run.site, settle(run, null, item.jobId), item.identifier) });
    const result = resultOf(run.site, run, item.identifier);
    const [first] = run.updated.length === 0 ? result.errors : [];
    return first ? new NothingButErrors(result, first) : result;
  };
