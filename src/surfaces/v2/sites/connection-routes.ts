import type { Site } from '../../../domains/sites/index.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { toReconnectCredentials } from './input.ts';
import { siteBriefView, siteView } from './view.ts';

const siteBriefResponse = (message: string, site: Site) => ({
  status: 200 as const,
  body: { success: 1 as const, message, data: siteBriefView(site) },
});

function suspensionResponse(message: string, site: Site) {
  const suspended = site.status === 'suspended' ? (1 as const) : (0 as const);
  return {
    status: 200 as const,
    body: { success: 1 as const, message, suspended, data: siteBriefView(site) },
  };
}

export const connectionRoutes = ({ sites: { sites } }: RequiredServices<'sites'>) =>
  ({
    sites_sync: async ({ site: { id } }) => {
      await sites.sync(id);
      const data = siteView(await sites.record(id));
      return { status: 200, body: { success: 1, message: 'The site was synced.', data } };
    },
    sites_reconnect: async ({ body, caller, site: { id } }) => {
      const site = await sites.reconnect(id, caller.name, toReconnectCredentials(body));
      return siteBriefResponse('The site was reconnected.', site);
    },
    sites_disconnect: async ({ caller, site: { id } }) => {
      return siteBriefResponse('The site was disconnected.', await sites.disconnect(id, caller.name));
    },
    sites_suspend: async ({ caller, site: { id } }) => {
      return suspensionResponse('The site was suspended.', await sites.suspend(id, caller.name));
    },
    sites_unsuspend: async ({ caller, site: { id } }) => {
      return suspensionResponse('The site is not suspended.', await sites.unsuspend(id, caller.name));
    },
  }) satisfies Partial<HandlersOf<'sites'>>;
