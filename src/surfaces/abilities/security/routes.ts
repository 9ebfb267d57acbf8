import type { Needs } from '../../../services.ts';
import type { HandlersOf } from '../handlers.ts';
import { securityView } from './view.ts';

/** What the last sync found amiss on a site. */
export const routes = ({
  sites: { sites },
  security: { security },
}: Needs<'sites' | 'security'>): HandlersOf<'security'> => ({
  'get-site-security-v1': async ({ site_id_or_domain }) => {
    const site = await sites.get(site_id_or_domain);
    return securityView(site, await security.issuesOf(site.id));
  },
});
