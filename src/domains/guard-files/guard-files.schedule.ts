import type { Schedule } from '../../platform/part.ts';
import type { JobKind, NoInput, Queue } from '../../queue/index.ts';
import { GuardFileRepository } from './guard-file-repository.ts';
import type { GuardFilesJobResult } from './guard-files.job.ts';

/** Maximum number of sites per run. A run starts every minute, so further sites follow in the next one. */
const SITES_A_RUN = 1_000;

export const guardFilesSchedule = (
  queue: Pick<Queue, 'enqueueIfAny'>,
  job: JobKind<NoInput, GuardFilesJobResult>,
  now: () => number,
): Schedule => ({
  name: 'guard-files',
  description: 'Removes guard files that are left on sites after their update or activation.',
  timing: () => ({ pattern: '* * * * *', timeZone: 'UTC' }),
  begin: async ({ scope, requestedBy }) => {
    const ids = await new GuardFileRepository(scope.trx).dueSites(now(), SITES_A_RUN);
    const items = ids.map((id) => ({ siteId: id, identifier: id }));
    return queue.enqueueIfAny(scope, job, { input: {}, items, requestedBy });
  },
});
