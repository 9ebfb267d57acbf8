import { part } from '../../part.ts';
import type { Platform } from '../../platform.ts';
import type { Needs } from '../../services.ts';
import { abandonedSection } from './abandoned-section.ts';
import { InventoryReadModel } from './inventory-read-model.ts';
import { InventoryService } from './inventory-service.ts';
import { pluginsSection } from './plugins-section.ts';
import { themesSection } from './themes-section.ts';

/** Plugins and themes. */
export function inventoryPart(platform: Platform, { sites, jobs }: Needs<'sites' | 'jobs'>) {
  const { knex, clock, child, changeLog, advanced } = platform;
  const { calls, sync } = sites;
  const { looks } = jobs;
  return part({
    name: 'inventory',
    own: {
      inventory: new InventoryService({ knex, child, calls, sync, changeLog, looks }),
      inventoryReadModel: new InventoryReadModel(knex, clock, () => advanced().numberdays_outdate_plugin_theme),
    },
    sections: [pluginsSection, themesSection, abandonedSection],
  });
}
