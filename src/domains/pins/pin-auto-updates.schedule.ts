import type { Schedule } from '../../platform/part.ts';
import type { Queue } from '../../queue/index.ts';
import { PinReadModel } from './pin-read-model.ts';
import type { PinJobs } from './pin.jobs.ts';

/** Maximum number of sites per run. The others follow in the next minute. */
const SITES_A_RUN = 1_000;

export const pinAutoUpdates = (queue: Pick<Queue, 'enqueueIfAny'>, jobs: PinJobs): Schedule => ({
  name: 'pin-auto-updates',
  description:
    'Switches the automatic updates of pinned items off on sites that have not confirmed it and were synced since.',
  timing: () => ({ pattern: '* * * * *', timeZone: 'UTC' }),
  begin: async ({ scope, requestedBy }) => {
    const ids = await new PinReadModel(scope.trx).sitesToTryAgain(SITES_A_RUN);
    const items = ids.map((id) => ({ siteId: id, identifier: id }));
    return queue.enqueueIfAny(scope, jobs.switchOff, { input: {}, items, requestedBy });
  },
});
