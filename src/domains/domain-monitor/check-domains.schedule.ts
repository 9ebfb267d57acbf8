import type { Schedule, CronTiming } from '../../platform/part.ts';
import type { Queue } from '../../queue/index.ts';
import { EXPIRY_DATES_ITEM, type CheckDomainsJob } from './check-domains.job.ts';
import { DomainRepository } from './domain-repository.ts';
import { SiteDomainRepository } from './site-domain-repository.ts';

interface CheckDomainsScheduleDeps {
  queue: Pick<Queue, 'enqueue'>;
  kind: CheckDomainsJob;
  timing: () => CronTiming | null;
  answeredBefore: (now: number) => number;
}

export const checkDomainsSchedule = ({ queue, kind, timing, answeredBefore }: CheckDomainsScheduleDeps): Schedule => ({
  name: 'domain-checks',
  module: 'domain-monitor',
  description:
    'Looks up the domains of sites that are due for a check, and sends alerts about domains that expire soon.',
  timing,
  begin: async ({ scope, dueAt, requestedBy }) => {
    await new SiteDomainRepository(scope.trx).insertMissing();
    const names = await new DomainRepository(scope.trx).due(answeredBefore(dueAt), dueAt);
    // The dates come first, so that alerts do not wait for registries.
    const items = [EXPIRY_DATES_ITEM, ...names].map((identifier) => ({ identifier }));
    return queue.enqueue(scope, kind, { input: {}, items, requestedBy });
  },
});
