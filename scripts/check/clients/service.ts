import { startSimulatedService, type SimulatedService } from '../../../src/demo/simulated-service.ts';
import { openLaterRelease } from './later-release.ts';

export type CheckedService = SimulatedService & { pdfBytes: () => number };

/**
 * Starts a service that checks its own responses, with five connected sites. Its URL is that of a proxy, behind which
 * jobs have a type that the contract does not list yet.
 */
export async function startService(): Promise<CheckedService> {
  const service = await startSimulatedService({ sites: 5, env: { SITEFLEET_RESPONSE_CHECKS: 'refuse' } });
  for (const { url, admin, adminPassword } of service.fleet.sites)
    await service.container.services.sites.sites.add({ url, admin, password: adminPassword }, 'sdk-check');
  const { url, pdfBytes, close } = await openLaterRelease(service.url);
  return {
    ...service,
    ...{ url, pdfBytes },
    close: async () => {
      close();
      await service.close();
    },
  };
}

/** Removes all tags, because every program adds the same one. */
export async function removeTags({ url, apiKey }: SimulatedService): Promise<void> {
  const call = async (path: string, method: string): Promise<unknown> => {
    const response = await fetch(`${url}/api/v2${path}`, { method, headers: { authorization: `Bearer ${apiKey}` } });
    if (!response.ok) throw new Error(`${method} ${path} failed (${response.status}).`);
    return response.json();
  };
  const { data } = (await call('/tags', 'GET')) as { data: { id: number }[] };
  for (const { id } of data) await call(`/tags/${id}/remove`, 'DELETE');
}
