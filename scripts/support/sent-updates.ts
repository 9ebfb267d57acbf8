import type { Fleet } from '../../src/sandbox/index.ts';

/** Releases a new version of two plugins on every site, and clears the records of their requests. */
export function releasePluginUpdates(fleet: Fleet, version: string): void {
  for (const site of fleet.sites) {
    for (const plugin of [...site.state.plugins.values()].slice(0, 2))
      site.performWpAdminAction({ do: 'release-plugin', plugin: plugin.definition.file, version });
    site.requests.length = 0;
  }
}

/** Returns the updates that reached a site, as site and list. Only the records of the sites count. */
const sentUpdates = (fleet: Fleet): string[] =>
  fleet.sites.flatMap(({ url, requests }) =>
    requests
      .filter(({ function: name, reached }) => name === 'upgradeplugintheme' && reached)
      .map(({ fields }) => `${url} ${String(fields['list'])}`),
  );

export const countSentUpdates = (fleet: Fleet): number => sentUpdates(fleet).length;

export function findUpdatesSentTwice(fleet: Fleet): string[] {
  const seen = new Set<string>();
  return sentUpdates(fleet).filter((each) => seen.size === seen.add(each).size);
}
