import { ALL_SITES } from '../../shared/site-scope.ts';
import type { Schedule } from '../../platform/part.ts';
import type { Queue } from '../../queue/index.ts';
import type { SettingsService } from '../settings/index.ts';
import type { SitesServices } from '../sites/index.ts';
import { dailyCronPattern } from './cron-timing.ts';

export interface DailySyncDeps extends Pick<SitesServices, 'list' | 'syncSite'> {
  queue: Queue;
  settings: SettingsService;
}

export const dailySync = ({ queue, settings, list, syncSite }: DailySyncDeps): Schedule => ({
  name: 'daily-sync',
  description: 'Syncs every connected site `frequency_daily_update` times a day.',
  timing: () => {
    const { time_daily_update, frequency_daily_update, timezone_string } = settings.current('general');
    return {
      pattern: dailyCronPattern(time_daily_update || '0:00', frequency_daily_update),
      timeZone: timezone_string,
    };
  },
  begin: async ({ scope, requestedBy }) => {
    const sites = await list.within(scope.trx).all(ALL_SITES, { status: 'connected' });
    const items = sites.map(({ id }) => ({ siteId: id, identifier: id }));
    return queue.enqueueIfAny(scope, syncSite, { input: {}, items, requestedBy });
  },
});
