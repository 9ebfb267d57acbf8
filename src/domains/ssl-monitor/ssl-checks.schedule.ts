import { ALL_SITES } from '../../shared/site-scope.ts';
import type { Knex } from 'knex';
import type { Schedule, CronTiming } from '../../platform/part.ts';
import type { Queue } from '../../queue/index.ts';
import type { SiteList } from '../sites/index.ts';
import type { Settings } from '../settings/index.ts';
import type { SslCheckJob } from './ssl-check.job.ts';

/**
 * Cron patterns by frequency. Daily runs start after the check of backups and before the check for abandoned plugins
 * and themes.
 */
const PATTERNS: Record<Settings<'ssl-monitor'>['frequency'], string> = {
  hourly: '10 * * * *',
  twice_daily: '10 4,16 * * *',
  daily: '10 4 * * *',
  weekly: '10 4 * * 1',
};

export interface SslScheduleDeps {
  list: Pick<SiteList, 'within'>;
  queue: Pick<Queue, 'enqueue'>;
  kind: SslCheckJob;
  settings: () => Settings<'ssl-monitor'>;
  general: () => Settings<'general'>;
}

export function sslTiming({ settings, general }: Pick<SslScheduleDeps, 'settings' | 'general'>): CronTiming | null {
  const { automatic_checks: areAutomatic, frequency } = settings();
  return areAutomatic === 1 ? { pattern: PATTERNS[frequency], timeZone: general().timezone_string } : null;
}

export const sslSchedule = (deps: SslScheduleDeps): Schedule => ({
  name: 'ssl-checks',
  module: 'ssl-monitor',
  description: 'Checks the certificates of all sites that are not suspended.',
  timing: () => sslTiming(deps),
  begin: async ({ scope, requestedBy }) => {
    const sites = await listUnsuspendedSites(scope.trx, deps.list);
    const items = sites.map(({ id }) => ({ siteId: id, identifier: id }));
    return items.length === 0 ? null : deps.queue.enqueue(scope, deps.kind, { input: {}, items, requestedBy });
  },
});

const listUnsuspendedSites = async (trx: Knex, list: SslScheduleDeps['list']) =>
  (await list.within(trx).all(ALL_SITES, {})).filter(({ status }) => status !== 'suspended');
