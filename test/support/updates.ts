import type { SimulatedSite } from '../../src/sandbox/index.ts';
import { ALPHA, BETA, GAMMA, installInactivePlugins } from './inventory.ts';
import { restoreSites, syncSites } from './sites.ts';
import { startWorld, withWorld, type World, type WorldOptions } from './world.ts';

export { ALPHA, BETA, GAMMA };

/** All fields of all responses. The contract check verifies which fields a response has. */
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

/** Installs the child plugin, alpha, beta, gamma and two themes, without updates. */
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

/** Like `removeItemsWithUpdates`, with one update of each kind and a second one of plugins. Returns the theme. */
export function addPendingUpdates(site: SimulatedSite): string {
  const [theme] = removeItemsWithUpdates(site).themes;
  releaseUpdates(site, { core: '9.0', plugins: [ALPHA, BETA], themes: [theme], translations: ['akismet'] });
  return theme;
}

async function connectBare(world: World, sites: number): Promise<void> {
  for (let index = 0; index < sites; index++) await world.freshSite(removeItemsWithUpdates);
}

/** Starts a world whose managed sites are like those of `removeItemsWithUpdates`. */
export async function startWorldWithoutUpdates(sites: number, options: WorldOptions = {}): Promise<World> {
  const world = await startWorld({ ...options, sites, connect: 0 });
  await connectBare(world, sites);
  return world;
}

/** Gives a suite such a world. */
export const withWorldWithoutUpdates = (sites: number, take: (world: World) => void): void =>
  withWorld({ sites, connect: 0 }, async (world) => {
    await connectBare(world, sites);
    take(world);
  });

/**
 * Gives a suite a world with six sites. Before each test, the first four have an update of alpha and no other update. A
 * site without items loses the updates of the previous test, so versions start low again.
 */
export function withAlphaUpdates(take: (world: World) => void): void {
  let world: World;
  withWorldWithoutUpdates(6, (started) => take((world = started)));
  beforeEach(async () => {
    for (const [index, site] of world.fleet.sites.entries()) {
      removeItemsWithUpdates(site);
      if (index < 4) releaseUpdates(site, { plugins: [ALPHA] });
    }
    await restoreSites(world);
    await syncSites(world);
  });
}

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

/** Returns the updates of a site from its record and from lists, which have different readers. */
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

/** Returns a field of a recorded request, or '' if it was not sent. */
const sent = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the calls that installed something, in order. */
export const upgradeCallsOf = (site: SimulatedSite): string[] =>
  site.requests
    .filter(({ function: name }) => name.startsWith('upgrade'))
    .map(({ function: name, fields }) => [name, sent(fields['type']), sent(fields['list'])].filter(Boolean).join(' '));
