import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import { FleetRunner } from './fleet-runner.ts';
import { JobReadModel } from './job-read-model.ts';
import { VerificationRetries } from './verification-retries.ts';

export function jobsPart({ knex, queue, clock, config, deadlines }: Platform) {
  const jobs = new JobReadModel(knex);
  const runner = new FleetRunner({ knex, queue, jobs, inlineDeadlineMs: config.inlineDeadlineMs });
  const retries = new VerificationRetries({ runner, clock, waitsMs: deadlines.lookAgainMs });
  return definePart({
    name: 'jobs',
    own: { jobs, runner, looks: retries },
    jobs: [retries.verify],
    retentions: [{ name: 'jobs', prune: () => queue.deleteExpired() }],
    metrics: [
      {
        name: 'sitefleet_queue_running',
        help: 'Items of jobs under way in this process.',
        read: () => queue.stats().running,
      },
      {
        name: 'sitefleet_queue_ready',
        help: 'Items of jobs that this process holds and has not begun.',
        read: () => queue.stats().ready,
      },
    ],
  });
}

export type JobsServices = OwnOf<typeof jobsPart>;
