import type { operations } from '../../../generated/v2.ts';
import type { UptimeCheck } from '../../domains/monitors/index.ts';
import type { Site, SiteReferences, SiteService } from '../../domains/sites/index.ts';
import type { SomeHandlers } from '../../http/operation.ts';
import { checkView } from './sites-fleet.view.ts';
import { credentialsOf } from './sites.input.ts';
import { siteBriefView, siteView } from './sites.view.ts';

type Names =
  'sites_sync' | 'sites_check' | 'sites_reconnect' | 'sites_disconnect' | 'sites_suspend' | 'sites_unsuspend';

export interface SitesConnectionParts {
  sites: SiteService;
  references: SiteReferences;
  uptime: UptimeCheck;
}

const stateOf = (message: string, site: Site) => ({
  status: 200 as const,
  body: { success: 1 as const, message, data: siteBriefView(site) },
});

function suspensionOf(message: string, site: Site) {
  const suspended = site.status === 'suspended' ? (1 as const) : (0 as const);
  return {
    status: 200 as const,
    body: { success: 1 as const, message, suspended, data: siteBriefView(site) },
  };
}

/** The connection of a site, one at a time. */
export const sitesConnection = ({
  sites,
  references,
  uptime,
}: SitesConnectionParts): SomeHandlers<operations, Names> => ({
  sites_sync: async ({ path }) => {
    const { id } = await sites.sync((await references.one(path.id_or_domain)).id);
    const data = siteView(await sites.record(id));
    return { status: 200, body: { success: 1, message: 'The site was synced.', data } };
  },
  sites_check: async ({ path }) => {
    const site = await references.one(path.id_or_domain);
    const data = checkView(site, await uptime.check(site.id));
    return { status: 200, body: { success: 1, message: 'The site was checked.', data } };
  },
  sites_reconnect: async ({ path, body, caller }) => {
    const { id } = await references.one(path.id_or_domain);
    const site = await sites.reconnect(id, caller.name, credentialsOf(body));
    return stateOf('The site was reconnected.', site);
  },
  sites_disconnect: async ({ path, caller }) => {
    const { id } = await references.one(path.id_or_domain);
    return stateOf('The site was disconnected.', await sites.disconnect(id, caller.name));
  },
  sites_suspend: async ({ path, caller }) => {
    const { id } = await references.one(path.id_or_domain);
    return suspensionOf('The site was suspended.', await sites.suspend(id, caller.name));
  },
  sites_unsuspend: async ({ path, caller }) => {
    const { id } = await references.one(path.id_or_domain);
    return suspensionOf('The site is not suspended.', await sites.unsuspend(id, caller.name));
  },
});
