import { setTimeout as sleep } from 'node:timers/promises';
import {
  createUnvalidatedParser,
  defineJobKind,
  noInput,
  type JobKind,
  type NoInput,
  type Queue,
} from '../../queue/index.ts';
import type { Retention, Schedule, CronTiming } from '../../platform/part.ts';

export interface PruneResult {
  deleted: number;
}

export const parsePruneResult = createUnvalidatedParser<PruneResult>();

/** Pause between two batches, so that other transactions are not delayed. */
const PAUSE_MS = 100;

export type PruneJob = JobKind<NoInput, PruneResult, 'other'>;

export const pruneJob = (retentions: () => readonly Retention[]): PruneJob =>
  defineJobKind({
    name: 'prune',
    about: 'other',
    input: noInput,
    result: parsePruneResult,
    // An abort does no harm: the job deletes only expired data, and its next run deletes the rest.
    whenCancelled: 'abort',
    retryPermission: null,
    perform: async ({ subject, signal }) => {
      const retention = retentions().find(({ name }) => name === subject);
      let deleted = 0;
      for (let batch = await retention?.prune(); batch; batch = await retention?.prune()) {
        deleted += batch;
        await sleep(PAUSE_MS, undefined, { signal });
      }
      return { deleted };
    },
  });

export const retentionSchedule = (
  queue: Queue,
  prune: PruneJob,
  { retentions, timing }: { retentions: () => readonly Retention[]; timing: () => CronTiming },
): Schedule => ({
  name: 'retention',
  description: 'Deletes records after their retention period, such as jobs that ended 30 days ago.',
  timing,
  begin: ({ scope, requestedBy }) => {
    const items = retentions().map(({ name }) => ({ identifier: name }));
    return queue.enqueue(scope, prune, { input: {}, items, requestedBy });
  },
});
