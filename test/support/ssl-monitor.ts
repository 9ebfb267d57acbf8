import type { World } from './world.ts';

// The bodies have been checked against the contract.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

/** Has a managed site be at another address. */
export async function moveSite(world: World, siteId: number, url: string): Promise<void> {
  const urlKey = url.replace(/^https?:\/\//, '').replace(/\/$/, '');
  await world.container.knex('sites').where({ id: siteId }).update({ url, url_key: urlKey });
}

/** Checks the certificate of a site; its status behind that. */
export const checkCertificate = async (world: World, siteId: number, expect = 200): Promise<Json> =>
  (await world.request('POST', `/api/v2/ssl-monitor/${siteId}`, { expect })).body.data;

export const readCertificate = async (world: World, siteId: number): Promise<Json> =>
  (await world.request('GET', `/api/v2/ssl-monitor/info/${siteId}`)).body.data;

/** The records of a list, in its order. */
export async function listCertificates(world: World, query = ''): Promise<Json[]> {
  const { body } = await world.request('GET', `/api/v2/ssl-monitor/info?per_page=500${query}`);
  return Object.values(body.data as Record<string, Json[]>).flat();
}

/** What a site has shown, the newest first. */
export const seenCertificates = async (world: World, siteId: number): Promise<Json[]> =>
  (await world.request('GET', `/api/v2/ssl-monitor/info/${siteId}/certificates`)).body.data;
