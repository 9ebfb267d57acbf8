import type { operations } from '../../../generated/v2.ts';
import type { ClientService } from '../../domains/clients/index.ts';
import type { CostReadModel } from '../../domains/costs/index.ts';
import type { SiteReferences } from '../../domains/sites/index.ts';
import type { SomeHandlers } from '../../http/operation.ts';
import { clientBriefView } from './clients.view.ts';
import { siteCostView, totalsView } from './costs.view.ts';
import { siteReferenceView } from './sites.view.ts';

export interface SitesOwnerParts {
  references: SiteReferences;
  clients: ClientService;
  siteCosts: CostReadModel;
}

/** Who owns a site, and what it costs. */
export const sitesOwner = ({
  references,
  clients,
  siteCosts,
}: SitesOwnerParts): SomeHandlers<operations, 'sites_client' | 'sites_costs'> => ({
  sites_client: async ({ path }) => {
    const site = await references.one(path.id_or_domain);
    const client = site.clientId === null ? null : await clients.brief(site.clientId);
    const data = client && clientBriefView(client);
    return { status: 200, body: { success: 1, data, site: siteReferenceView(site) } };
  },
  sites_costs: async ({ path }) => {
    const site = await references.one(path.id_or_domain);
    const found = await siteCosts.ofSite(site.id);
    const data = found.costs.map(siteCostView);
    const body = { success: 1 as const, data, total: data.length, ...totalsView(found), site: siteReferenceView(site) };
    return { status: 200, body };
  },
});
