import type { Schedule, Timing } from '../../part.ts';
import type { Queue } from '../../queue/index.ts';
import type { SiteList } from './site-list-read-model.ts';
import type { SiteJobs } from './site.jobs.ts';

export const dailySync = ({
  queue,
  list,
  syncSite,
  timing,
}: Pick<SiteJobs, 'syncSite'> & { queue: Queue; list: SiteList; timing: () => Timing }): Schedule => ({
  name: 'daily-sync',
  description: 'Syncs every connected site, as often a day as `frequency_daily_update` says.',
  timing,
  begin: async ({ scope, requestedBy }) => {
    const sites = await list.within(scope.trx).all({ status: 'connected' });
    const items = sites.map(({ id }) => ({ siteId: id, identifier: id }));
    return queue.enqueueIfAny(scope, syncSite, { input: {}, items, requestedBy });
  },
});
