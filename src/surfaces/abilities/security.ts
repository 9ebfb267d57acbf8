import type { operations } from '../../../generated/abilities.ts';
import type { SecurityReadModel, SiteService } from '../../domains/sites/index.ts';
import type { SomeHandlers } from '../../http/operation.ts';
import { securityView } from './security.view.ts';

export interface SecurityParts {
  sites: SiteService;
  security: SecurityReadModel;
}

/** What the last sync found amiss on a site. */
export const security = ({ sites, security }: SecurityParts): SomeHandlers<operations, 'get-site-security-v1'> => ({
  'get-site-security-v1': async ({ site_id_or_domain }) => {
    const site = await sites.get(site_id_or_domain);
    return securityView(site, await security.issuesOf(site.id));
  },
});
