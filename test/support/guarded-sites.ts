import type { SimulatedSite } from '../../src/sandbox/index.ts';
import { ALPHA_FILE, putAlpha, TestDirectory, type Alpha } from './packages.ts';
import { startWorld, type World } from './world.ts';

export const INSTALL = 'installplugintheme';
export const UPGRADE = 'upgradeplugintheme';
export const RIG_THEME = 'rig-theme';

/** Starts a service whose directory has the versions 1.0 and 1.2 of a plugin and a theme. */
export async function startGuardedWorld(
  sites: number,
  { allowHttpGuards = false, lookAgainMs = [5] as readonly number[] } = {},
): Promise<{ world: World; directory: TestDirectory; close: () => Promise<void> }> {
  const directory = await TestDirectory.start();
  for (const version of ['1.0', '1.2']) {
    await directory.release('plugin', 'rig-alpha', version);
    await directory.release('theme', RIG_THEME, version);
  }
  const overrides = { allowHttpGuards, deadlines: { pageAgainMs: 5, lookAgainMs } };
  const env = { SITEFLEET_DIRECTORY_URL: directory.url };
  const world = await startWorld({ sites, connect: 0, overrides, env });
  const close = async (): Promise<void> => {
    await world.close();
    directory.close();
  };
  return { world, directory, close };
}

/** Removes every update that a site offers. */
export function withdrawUpdates(site: SimulatedSite): void {
  for (const plugin of site.state.plugins.values()) plugin.update = null;
  for (const theme of site.state.themes.values()) theme.update = null;
  site.state.core.update = null;
  site.state.translations = [];
  site.touch();
}

/** Connects a site whose only update is that of the plugin from 1.0 to 1.2, or what `furnish` adds. */
export async function freshGuardedSite(
  world: World,
  { furnish, ...alpha }: Alpha & { furnish?: (site: SimulatedSite) => void } = {},
): Promise<{ id: number; site: SimulatedSite }> {
  const { id, site } = await world.freshSite((made) => {
    withdrawUpdates(made);
    putAlpha(made, alpha);
    furnish?.(made);
    made.touch();
  });
  site.requests.length = 0;
  return { id, site };
}

/** Puts the theme on a site as its active theme, with an update from 1.0 to 1.2. */
export function putTheme(site: SimulatedSite, { version = '1.0' } = {}): void {
  const { state } = site;
  const [known] = state.themes.values();
  if (!known) throw new Error('The site has no theme.');
  const definition = { ...known.definition, stylesheet: RIG_THEME, name: 'Rig Theme', versions: ['1.0', '1.1', '1.2'] };
  state.themes.set(RIG_THEME, { definition, version, update: '1.2' });
  state.activeTheme = RIG_THEME;
  site.touch();
}

/** Returns the number of job items that have a result and wait for another look. */
export const postponedItems = async ({ container }: World): Promise<number> => {
  const waiting = container.database.knex('job_items').where({ state: 'waiting' }).whereNotNull('result');
  return Number((await waiting.count({ n: '*' }).first<{ n: number | string }>()).n);
};

export const versionOf = (site: SimulatedSite): string | undefined => site.state.plugins.get(ALPHA_FILE)?.version;
export const themeVersionOf = (site: SimulatedSite): string | undefined => site.state.themes.get(RIG_THEME)?.version;
