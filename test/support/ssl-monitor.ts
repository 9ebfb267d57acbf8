import type { World } from './world.ts';

// The contract check has already seen the bodies.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

/** Changes the address of a managed site. */
export async function moveSite(world: World, siteId: number, url: string): Promise<void> {
  const urlKey = url.replace(/^https?:\/\//, '').replace(/\/$/, '');
  await world.container.knex('sites').where({ id: siteId }).update({ url, url_key: urlKey });
}

/** Checks the certificate of a site. Returns its new status. */
export const checkCertificate = async (world: World, siteId: number, expect = 200): Promise<Json> =>
  (await world.request('POST', `/api/v2/ssl-monitor/${siteId}`, { expect })).body.data;

export const readCertificate = async (world: World, siteId: number): Promise<Json> =>
  (await world.request('GET', `/api/v2/ssl-monitor/info/${siteId}`)).body.data;

/** Returns the records of a list in its order. */
export async function listCertificates(world: World, query = ''): Promise<Json[]> {
  const { body } = await world.request('GET', `/api/v2/ssl-monitor/info?per_page=500${query}`);
  return Object.values(body.data as Record<string, Json[]>).flat();
}

/** Returns the certificates that a site has shown, newest first. */
export const seenCertificates = async (world: World, siteId: number): Promise<Json[]> =>
  (await world.request('GET', `/api/v2/ssl-monitor/info/${siteId}/certificates`)).body.data;
