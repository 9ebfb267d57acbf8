import type { ItemCall, ItemHandler } from '../../queue/index.ts';
import { NotFoundError } from '../../shared/errors.ts';
import type { SiteService } from './site-service.ts';

/** The site that an item is about. Throws `svc_site_not_found` for an item without one. */
export function siteIdOf({ item }: Pick<ItemCall, 'item'>): number {
  if (item.siteId === null) throw new NotFoundError('svc_site_not_found', 'No site goes by this reference.');
  return item.siteId;
}

/**
 * One site of each kind of job. All of them may be run again after an interruption: a sync and a status are the same the
 * second time, and a registration first asks the site which key it accepts.
 */
export function siteJobs(sites: SiteService): Record<'sync' | 'reconnect' | 'disconnect' | 'suspend', ItemHandler> {
  return {
    sync: async (call) => {
      const { id, url, name } = await sites.sync(siteIdOf(call));
      return { id, url, name };
    },
    reconnect: async (call) => {
      const { id, url } = await sites.reconnect(siteIdOf(call), call.item.requestedBy, call.resumed);
      return { id, url };
    },
    disconnect: async (call) => {
      const { id, url } = await sites.disconnect(siteIdOf(call), call.item.requestedBy);
      return { id, url };
    },
    suspend: async (call) => {
      const { id, url } = await sites.suspend(siteIdOf(call), call.item.requestedBy);
      return { id, url };
    },
  };
}
