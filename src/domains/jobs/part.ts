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
        help: 'Number of job items that run in this process.',
        read: () => queue.stats().running,
      },
      {
        name: 'sitefleet_queue_ready',
        help: 'Number of job items that this process has leased but not started.',
        read: () => queue.stats().ready,
      },
    ],
  });
}

export type JobsServices = OwnOf<typeof jobsPart>;
