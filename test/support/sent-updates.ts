import type { Fleet } from '../../src/sandbox/index.ts';
import type { ServiceFleet } from './service-fleet.ts';

/** Releases a new version of two plugins on every site, and lets the service learn of them. */
export async function releaseUpdates(services: ServiceFleet, version = '9.1.0'): Promise<void> {
  for (const site of services.fleet.sites) {
    for (const plugin of [...site.state.plugins.values()].slice(0, 2))
      site.performWpAdminAction({ do: 'release-plugin', plugin: plugin.definition.file, version });
    site.requests.length = 0;
  }
  const { job_id: jobId } = await services.request(0, 'POST', '/abilities/v1/svc/sync-sites-v1/run', { input: {} });
  await services.finishedJob(0, jobId);
}

export async function startUpdateJob(services: ServiceFleet): Promise<string> {
  const input = { types: ['plugins'] };
  return (await services.request(0, 'POST', '/abilities/v1/svc/run-updates-v1/run', { input })).job_id;
}

/** Returns the updates that reached a site, as site and list. The record of the sites alone is asked. */
const sentUpdates = (fleet: Fleet): string[] =>
  fleet.sites.flatMap(({ url, requests }) =>
    requests
      .filter(({ function: name, reached }) => name === 'upgradeplugintheme' && reached)
      .map(({ fields }) => `${url} ${String(fields['list'])}`),
  );

export const countSentUpdates = (fleet: Fleet): number => sentUpdates(fleet).length;

export function sentTwice(fleet: Fleet): string[] {
  const seen = new Set<string>();
  return sentUpdates(fleet).filter((each) => seen.size === seen.add(each).size);
}
