import type { SimulatedSite } from '../../src/sandbox/index.ts';
import { removeItemsWithUpdates } from './updates.ts';
import type { World } from './world.ts';

export interface PinAnswer {
  message: string;
  data: { site_id: number; pin_id: number; version: string; auto_update: string }[];
  errors: { identifier: string | number; code: string; site_id?: number; slug?: string; child_message?: string }[];
  summary: { total_changed: number; total_errors: number; sites_left_out: number };
}

/** Sets a pin of a plugin on sites. Returns the response. */
export const setPins = async (
  world: World,
  fields: { slug: string; version: string } & Record<string, unknown>,
): Promise<PinAnswer> => (await world.request('POST', '/api/v2/pins', { body: { type: 'plugin', ...fields } })).body;

/** Removes all updates of the site, installs these versions of plugins, and offers others. */
export function offerPlugins(
  site: SimulatedSite,
  offers: Record<string, [installed: string, offered: string]>,
): { themes: [string, string] } {
  const made = removeItemsWithUpdates(site);
  for (const [plugin, [installed, offered]] of Object.entries(offers)) {
    const stored = site.state.plugins.get(plugin);
    if (!stored) throw new Error(`The site has no plugin ${plugin}.`);
    stored.version = installed;
    site.performWpAdminAction({ do: 'release-plugin', plugin, version: offered });
  }
  site.state.autoUpdates.plugin = new Set(site.state.plugins.keys());
  site.state.autoUpdates.theme = new Set(site.state.themes.keys());
  return made;
}

/** Pins the first plugin of a site to all versions of its branch. Returns the ID of the pin. */
export async function pinFirstPlugin(world: World, siteId: number): Promise<number> {
  const [plugin] = (await world.request('GET', `/api/v2/sites/${siteId}/plugins`)).body.data;
  const { data } = await setPins(world, { slug: plugin.slug, version: '<=999', websites: [siteId] });
  return data[0]?.pin_id ?? 0;
}
