import type { Fleet } from '../../src/sandbox/index.ts';

/** Releases a new version of two plugins on every site, and clears the records of their requests. */
export function releasePluginUpdates(fleet: Fleet, version: string): void {
  for (const site of fleet.sites) {
    for (const plugin of [...site.state.plugins.values()].slice(0, 2))
      site.performWpAdminAction({ do: 'release-plugin', plugin: plugin.definition.file, version });
    site.requests.length = 0;
  }
}

/**
 * Returns the plugin updates that reached a site, as the ID of the site and the slug. Only the records of the sites
 * count. The IDs are those that `seedSites` gives.
 */
export const findSentUpdates = (fleet: Fleet): string[] =>
  fleet.sites.flatMap(({ requests }, index) =>
    requests
      .filter(({ function: name, reached }) => name === 'upgradeplugintheme' && reached)
      .flatMap(({ fields }) => decodeURIComponent(String(fields['list'])).split(','))
      .map((slug) => `${index + 1} ${slug}`),
  );

export function findUpdatesSentTwice(fleet: Fleet): string[] {
  const seen = new Set<string>();
  return findSentUpdates(fleet).filter((each) => seen.size === seen.add(each).size);
}
