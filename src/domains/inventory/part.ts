import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { JobsServices } from '../jobs/index.ts';
import { dailyTimingAt } from '../schedules/index.ts';
import type { SettingsServices } from '../settings/index.ts';
import { SiteLeases, type SitesServices } from '../sites/index.ts';
import { AbandonedSearchOnSites } from './abandoned-search-on-sites.ts';
import { abandonedSection } from './abandoned-section.ts';
import { InventoryReadModel } from './inventory-read-model.ts';
import { ItemActionService } from './item-action-service.ts';
import { pluginsSection } from './plugins-section.ts';
import { themesSection } from './themes-section.ts';

interface InventoryPartDeps {
  jobs: JobsServices;
  settings: SettingsServices;
  sites: SitesServices;
}

export function inventoryPart(
  { knex, clock, child, queue, config }: Platform,
  { settings, sites, jobs }: InventoryPartDeps,
) {
  const abandonedAfterDays = (): number => settings.settings.current('general').numberdays_outdate_plugin_theme;
  const { calls, childChanges, sync, list } = sites;
  const timing = () => dailyTimingAt('4:40', settings.settings.current('general'));
  const abandonedCheck = new AbandonedSearchOnSites({ knex, child, calls, sync, list, queue, timing });
  const { looks: retries } = jobs;
  const leases = new SiteLeases({ knex, clock, purpose: 'action', leaseMs: config.leaseMs });
  return definePart({
    name: 'inventory',
    deletionCounts: [{ of: 'site', effect: 'abandoned', table: 'site_abandoned', column: 'site_id' }],
    own: {
      inventory: new ItemActionService({ knex, child, calls, childChanges, sync, leases, retries }),
      inventoryReadModel: new InventoryReadModel(knex, clock, abandonedAfterDays),
    },
    jobs: [abandonedCheck.job],
    schedules: [abandonedCheck.schedule],
    start: async ({ alone }) => {
      if (alone) await leases.expireStale();
    },
    sections: [pluginsSection, themesSection, abandonedSection],
  });
}

export type InventoryServices = OwnOf<typeof inventoryPart>;
