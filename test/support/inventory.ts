import type { SimulatedSite } from '../../src/sandbox/index.ts';

export const CHILD_PLUGIN = 'mainwp-child/mainwp-child.php';
export const [ALPHA, BETA, GAMMA] = ['alpha/alpha.php', 'beta/beta.php', 'gamma/gamma.php'] as const;

/** Installs the child plugin, and alpha, beta and gamma, which are not active. */
export function installInactivePlugins(site: SimulatedSite): void {
  for (const file of [...site.state.plugins.keys()]) if (file !== CHILD_PLUGIN) site.state.plugins.delete(file);
  for (const folder of ['beta', 'gamma', 'alpha']) site.performWpAdminAction({ do: 'install-plugin', folder });
}

/** Like `installInactivePlugins`, but gamma is active, and an update of beta is available. */
export function installPluginsInMixedStates(site: SimulatedSite): void {
  installInactivePlugins(site);
  site.performWpAdminAction({ do: 'activate-plugin', plugin: GAMMA });
  site.performWpAdminAction({ do: 'release-plugin', plugin: BETA, version: '2.0.0' });
}
