import type { Sealing } from '../../db/sealing.ts';
import type { ItemCall, ItemHandler } from '../../queue/index.ts';
import { NotFoundError } from '../../shared/errors.ts';
import type { ReconnectCredentials } from './reconnection.ts';
import type { SiteService } from './site-service.ts';

/** The site that an item is about. Throws `svc_site_not_found` for an item without one. */
export function siteIdOf({ item }: Pick<ItemCall, 'item'>): number {
  if (item.siteId === null) throw new NotFoundError('svc_site_not_found', 'No site goes by this reference.');
  return item.siteId;
}

const CREDENTIALS = 'jobs.input:reconnect';

/** What is stored with a job of kind `reconnect`: the password is sealed for as long as the job is kept. */
export const sealCredentials = (sealing: Sealing, credentials: ReconnectCredentials): object =>
  Object.values(credentials).some(Boolean)
    ? { credentials: sealing.seal(JSON.stringify(credentials), CREDENTIALS) }
    : {};

function credentialsOf(sealing: Sealing, { item }: ItemCall): ReconnectCredentials {
  const { credentials } = item.input as { credentials?: string };
  return credentials === undefined ? {} : (JSON.parse(sealing.open(credentials, CREDENTIALS)) as ReconnectCredentials);
}

/**
 * One site of each kind of job. All of them may be run again after an interruption: a sync and a status are the same
 * the second time, and a registration first asks the site which key it accepts.
 */
export function siteJobs(
  sites: SiteService,
  sealing: Sealing,
): Record<'sync' | 'reconnect' | 'disconnect' | 'suspend', ItemHandler> {
  return {
    sync: async (call) => {
      const { id, url, name } = await sites.sync(siteIdOf(call), { oneOfMany: !call.item.alone });
      return { id, url, name };
    },
    reconnect: async (call) => {
      const options = { ...credentialsOf(sealing, call), resumed: call.resumed };
      const { id, url } = await sites.reconnect(siteIdOf(call), call.item.requestedBy, options);
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
