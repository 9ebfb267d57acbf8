import type { SimulatedSite } from '../../src/sandbox/index.ts';
import { ALPHA, BETA, GAMMA, installInactivePlugins } from './inventory.ts';
import { startWorld, withWorld, type World, type WorldOptions } from './world.ts';

/** What the tests of updates share. */

export { ALPHA, BETA, GAMMA };

/** Every field that any of the answers has; the contract's own check says which are there. */
export interface UpdatesResponse {
  code: string;
  site_id: number;
  site_url: string;
  updated: never;
  updates: { site_id: number; site_url: string; type: string; slug: string; new_version: string }[];
  ignored: { site_id: number; type: string; slug: string; name: string; ignored_version: string }[];
  summary: Record<string, number>;
  errors: { identifier: unknown; code: string; slug: string; type: string; message: string }[];
  total: number;
  total_updated: number;
  plugins_ignored: string[];
  themes_ignored: string[];
}

export interface UpdateEntry {
  type: string;
  slug: string;
  name: string;
  old_version: string;
  new_version: string;
}

/** The child plugin and alpha, beta and gamma, two themes, and nothing to update. */
export function removeItemsWithUpdates(site: SimulatedSite): { themes: [string, string] } {
  const { state } = site;
  installInactivePlugins(site);
  for (const plugin of state.plugins.values()) plugin.update = null;
  for (const theme of state.themes.values()) Object.assign(theme, { version: '1.1', update: null });
  Object.assign(state.core, { version: '6.8', update: null });
  state.translations = [];
  site.touch();
  const [first = '', second = ''] = [...state.themes.keys()].sort();
  return { themes: [first, second] };
}

/** A bare site, for which one update of each kind waits, and a second one of plugins; answers the theme. */
export function addPendingUpdates(site: SimulatedSite): string {
  const [theme] = removeItemsWithUpdates(site).themes;
  releaseUpdates(site, { core: '9.0', plugins: [ALPHA, BETA], themes: [theme], translations: ['akismet'] });
  return theme;
}

async function connectBare(world: World, sites: number): Promise<void> {
  for (let index = 0; index < sites; index++) await world.freshSite(removeItemsWithUpdates);
}

/** A world whose managed sites are bare. */
export async function startWorldWithoutUpdates(sites: number, options: WorldOptions = {}): Promise<World> {
  const world = await startWorld({ ...options, sites, connect: 0 });
  await connectBare(world, sites);
  return world;
}

/** Gives a suite such a world for all its tests. */
export const withWorldWithoutUpdates = (sites: number, take: (world: World) => void): void =>
  withWorld({ sites, connect: 0 }, async (world) => {
    await connectBare(world, sites);
    take(world);
  });

export function releaseUpdates(
  site: SimulatedSite,
  what: { core?: string; plugins?: string[]; themes?: string[]; translations?: string[] },
) {
  if (what.core) site.performWpAdminAction({ do: 'release-core', version: what.core });
  for (const plugin of what.plugins ?? []) site.performWpAdminAction({ do: 'release-plugin', plugin, version: '9.1' });
  for (const theme of what.themes ?? []) site.performWpAdminAction({ do: 'release-theme', theme, version: '9.2' });
  for (const slug of what.translations ?? [])
    for (const language of ['de_DE', 'fr_FR'])
      site.state.translations.push({ type: 'plugin', slug, language, version: '9.3', name: slug });
  site.touch();
}

export const itemErrorCodes = ({ errors }: { errors: UpdatesResponse['errors'] }): string[] =>
  errors.map(({ identifier, code }) => `${String(identifier)} ${code}`);

/** What the site's record and lists say of its updates, all from different readers. */
export async function readUpdates(world: World, id: number) {
  const { updates, summary } = await world.ability('get-site-updates-v1', { site_id_or_domain: id });
  const listed = await world.ability('list-updates-v1', { site_ids_or_domains: [id], per_page: 200 });
  const { stats } = await world.ability('get-site-v1', { site_id_or_domain: id, include_stats: true });
  const { plugins } = await world.ability('get-site-plugins-v1', { site_id_or_domain: id, has_update: true });
  const name = ({ type, slug }: { type: string; slug: string }): string => `${type} ${slug}`;
  return {
    site: (updates as UpdateEntry[]).map(name),
    fleet: (listed.updates as UpdateEntry[]).map(name),
    summaries: [summary, listed.summary] as Record<string, number>[],
    total: listed.total as number,
    stats: stats as { plugin_updates: number; theme_updates: number; wp_update_available: boolean },
    plugins: (plugins as UpdateEntry[]).map(({ slug }) => slug),
  };
}

/** A field of a recorded request; '' when it was not sent. */
const sent = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The calls that installed something, in order. */
export const upgradeCallsOf = (site: SimulatedSite): string[] =>
  site.requests
    .filter(({ function: name }) => name.startsWith('upgrade'))
    .map(({ function: name, fields }) => [name, sent(fields['type']), sent(fields['list'])].filter(Boolean).join(' '));
