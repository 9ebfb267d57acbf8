import type { GuardedItem, UpdateGuardContext } from '../../src/domains/guard-files/index.ts';
import type { SimulatedSite } from '../../src/sandbox/index.ts';
import { ALPHA_FILE } from './packages.ts';
import { editSettings } from './settings.ts';
import type { World } from './world.ts';

export const GUARDED: GuardedItem = { kind: 'plugin', folder: 'rig-alpha', name: 'Rig Alpha' };

/** Allows guard files on these sites alone. */
export const allowGuards = (world: World, ...siteIds: number[]) =>
  editSettings(world, 'general', { svc_guard_file_sites: siteIds });

/** Returns the context of an update whose job item is still running, and a function that ends the item. */
export async function runningUpdate(
  world: World,
  siteId: number,
): Promise<{ context: UpdateGuardContext; end: () => Promise<void> }> {
  await world.ability('sync-sites-v1', { site_ids_or_domains: [siteId] });
  const { knex } = world.container.database;
  const item = await knex('job_items').orderBy('id', 'desc').first<{ id: number }>('id');
  const setState = async (state: string): Promise<void> => {
    await knex('job_items').where({ id: item.id }).update({ state });
  };
  await setState('running');
  return { context: { itemId: Number(item.id), actor: 'erika' }, end: () => setState('succeeded') };
}

/** Installs the newest version as an update does, past the service. */
export function updateAlpha(site: SimulatedSite, version = '1.2'): void {
  const alpha = site.state.plugins.get(ALPHA_FILE);
  if (!alpha) throw new Error('The site has no such plugin.');
  site.state.plugins.set(ALPHA_FILE, { ...alpha, version, update: null });
  site.touch();
}

/** Refuses the requests to guard files that have one of these actions. Returns a function that ends this. */
export function loseGuardRequests({ faults, requests }: SimulatedSite, actions: readonly string[]): () => void {
  const take = faults.take.bind(faults);
  faults.take = (name, path) => {
    const message = requests.at(-1)?.fields['sitefleet_message'];
    const isLost = typeof message === 'string' && actions.includes(message.split(' ', 1)[0] ?? '');
    return isLost ? { kind: 'raw', status: 403, body: '' } : take(name, path);
  };
  return () => {
    faults.take = take;
  };
}
