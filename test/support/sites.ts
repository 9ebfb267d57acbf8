import type { Knex } from 'knex';
import type { ChildLogEntry } from '../../src/connector/child-site.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { SiteRepository } from '../../src/domains/sites/site-repository.ts';
import type { ReportedLogStore, SiteStatus } from '../../src/domains/sites/index.ts';
import type { World } from './world.ts';

type SiteRef = number | string;

export const suspendSite = (world: World, site: SiteRef) =>
  world.ability('suspend-site-v1', { site_id_or_domain: site });

export const unsuspendSite = (world: World, site: SiteRef) =>
  world.ability('unsuspend-site-v1', { site_id_or_domain: site });

export const disconnectSite = (world: World, site: SiteRef) =>
  world.ability('disconnect-site-v1', { site_id_or_domain: site });

export const reconnectSite = (world: World, site: SiteRef) =>
  world.ability('reconnect-site-v1', { site_id_or_domain: site });

export const deleteSite = (world: World, site: SiteRef) =>
  world.ability('delete-site-v1', { site_id_or_domain: site, confirm: true });

export const updateSite = (world: World, site: SiteRef, changes: object) =>
  world.ability('update-site-v1', { site_id_or_domain: site, ...changes });

/** Syncs these sites, or all connected sites if there are none. */
export const syncSites = (world: World, ...sites: SiteRef[]) =>
  world.ability('sync-sites-v1', sites.length === 0 ? undefined : { site_ids_or_domains: sites });

/** Connects all sites again and removes their faults. */
export async function restoreSites(world: World): Promise<void> {
  clearFaults(world);
  await world.ability('suspend-sites-v1', { site_ids_or_domains: world.siteIds });
  for (const id of world.siteIds) await unsuspendSite(world, id);
}

/** Removes the faults of all sites. */
export function clearFaults(world: World): void {
  for (const site of world.fleet.sites) {
    site.fault = null;
    site.faultQueue.length = 0;
    site.latencyMs = 0;
  }
}

/** Returns the number of calls to sites that are running. */
export async function countRunningCalls(world: World): Promise<number> {
  const { text } = await world.agent('nobody').get('/metrics');
  return Number(/^sitefleet_calls_running (\d+)$/m.exec(text)?.[1]);
}

export interface SeededSite {
  status?: SiteStatus;
  clientId?: number | null;
  tagIds?: number[];
}

/** Stores a site in a database, as its registration does. Returns its ID. */
export async function storeSite(knex: Knex, urlKey: string, { clientId = null, tagIds = [] }: SeededSite = {}) {
  const repository = new SiteRepository(knex, Date.now());
  const url = `https://${urlKey}/`;
  const id = await repository.insert({ url, urlKey, name: urlKey, clientId, adminUsername: 'admin' });
  await repository.setTags(id, urlKey, tagIds);
  return id;
}

/** Inserts connected sites without further data, for calls that become jobs. */
export async function insertSites(knex: Knex, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `bare-${index}.example`);
  const times = { created_at: 1, updated_at: 1 };
  const rows = names.map((name) => ({ url: `https://${name}/`, url_key: name, name, name_key: name, ...times }));
  await knex.batchInsert(
    'sites',
    rows.map((row) => ({ ...row, status: 'connected' })),
    50,
  );
}

let seeded = 0;

/** Stores a site that the fleet does not simulate. Its address sorts after those of earlier ones. */
export async function seedSite(world: World, { status = 'connected', ...seed }: SeededSite = {}) {
  const { knex } = world.container.database;
  const urlKey = `seeded-${String(++seeded).padStart(5, '0')}.example`;
  const id = await storeSite(knex, urlKey, seed);
  await knex('site_secrets').insert({ site_id: id, server: world.url });
  await new SiteRepository(knex, Date.now()).patch(id, { status });
  await knex('revisions').whereIn('name', ['sites', 'tags']).increment('value', 1);
  return { id, url: `https://${urlKey}/`, name: urlKey, status };
}

/** Stores entries that a site has sent of its logs, in a transaction. Returns the new positions in the logs. */
export const storeLogs = (
  knex: Knex,
  log: ReportedLogStore,
  siteId: number,
  entries: readonly ChildLogEntry[],
  changesRead = 0,
) =>
  inTransaction(knex, async ({ trx }) => {
    const sites = new SiteRepository(trx, Date.now());
    const stored = await sites.syncCheckpoint(siteId);
    const patch = (await log.store(trx, [{ siteId, entries, changesRead, stored }])).get(siteId) ?? {};
    await sites.patchState(siteId, patch);
    return { ...patch };
  });
