import type { components, operations } from '../../../generated/v2.ts';
import type { ClientBrief, ClientService } from '../../domains/clients/index.ts';
import type { CostEntry, CostReadModel } from '../../domains/costs/index.ts';
import type { SiteReferences } from '../../domains/sites/index.ts';
import type { SomeHandlers } from '../../http/operation.ts';
import { siteReferenceView } from './sites.view.ts';

type Schemas = components['schemas'];

export interface SitesOwnerParts {
  references: SiteReferences;
  clients: ClientService;
  costs: CostReadModel;
}

/** Who owns a site, and what it costs. */
export const sitesOwner = ({
  references,
  clients,
  costs,
}: SitesOwnerParts): SomeHandlers<operations, 'sites_client' | 'sites_costs'> => ({
  sites_client: async ({ path }) => {
    const site = await references.one(path.id_or_domain);
    const client = site.clientId === null ? null : await clients.brief(site.clientId);
    const data = client && clientView(client);
    return { status: 200, body: { success: 1, data, site: siteReferenceView(site) } };
  },
  sites_costs: async ({ path }) => {
    const site = await references.one(path.id_or_domain);
    const { costs: found, monthlyMinor, yearlyMinor } = await costs.ofSite(site.id);
    const totals = { total: found.length, total_monthly: amountOf(monthlyMinor), total_yearly: amountOf(yearlyMinor) };
    const data = found.map(costView);
    return { status: 200, body: { success: 1, data, ...totals, site: siteReferenceView(site) } };
  },
});

const clientView = ({ id, name, email, status }: ClientBrief): Schemas['SiteClient'] => ({ id, name, email, status });

/** Amounts are kept as cents and answered as numbers with two decimals. */
const amountOf = (minor: number): number => minor / 100;

const costView = ({ id, name, amountMinor, frequency, nextDue }: CostEntry): Schemas['SiteCost'] => ({
  id,
  name,
  amount: amountOf(amountMinor),
  frequency,
  next_due: nextDue,
});
