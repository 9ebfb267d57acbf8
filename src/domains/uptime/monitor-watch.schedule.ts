import type { Schedule } from '../../platform/part.ts';
import type { Queue } from '../../queue/index.ts';
import type { MonitorWatch } from './monitor-watch.ts';
import type { WatchJob } from './monitor-watch.job.ts';

export const watchSchedule = (
  watch: Pick<MonitorWatch, 'itemsDue'>,
  queue: Pick<Queue, 'enqueueIfAny'>,
  kind: WatchJob,
): Schedule => ({
  name: 'uptime-checks',
  description: 'Checks the monitors that are due. Each monitor has its own interval.',
  timing: () => ({ pattern: '* * * * *', timeZone: 'UTC' }),
  begin: async ({ scope, requestedBy }) => {
    const count = await watch.itemsDue(scope.trx);
    const items = Array.from({ length: count }, (_, index) => ({ identifier: index + 1 }));
    return queue.enqueueIfAny(scope, kind, { input: {}, items, requestedBy });
  },
});
