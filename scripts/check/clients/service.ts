import { startSimulatedService, type SimulatedService } from '../../support/simulated-service.ts';

/** Starts a service that checks its own responses, with five connected sites. */
export async function startService(): Promise<SimulatedService> {
  const service = await startSimulatedService({ sites: 5, env: { SITEFLEET_RESPONSE_CHECKS: 'refuse' } });
  for (const { url, admin, adminPassword } of service.fleet.sites)
    await service.container.services.sites.sites.add({ url, admin, password: adminPassword }, 'sdk-check');
  return service;
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
