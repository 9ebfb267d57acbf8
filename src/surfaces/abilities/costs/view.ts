import type { components } from '../../../../generated/abilities.ts';
import type { ClientBrief } from '../../../domains/clients/index.ts';
import {
  toCurrencyAmount,
  type ClientCosts,
  type CostShare,
  type CostTotals,
  type SiteCosts,
} from '../../../domains/costs/index.ts';

type Schemas = components['schemas'];

const costView = ({ id, name, amountMinor, frequency, nextDue }: CostShare): Schemas['SiteCost'] => ({
  id,
  name,
  amount: toCurrencyAmount(amountMinor),
  frequency,
  next_due: nextDue,
});

const totalsView = ({ monthlyMinor, yearlyMinor }: CostTotals): { total_monthly: number; total_yearly: number } => ({
  total_monthly: toCurrencyAmount(monthlyMinor),
  total_yearly: toCurrencyAmount(yearlyMinor),
});

export const siteCostsView = (siteId: number, siteCosts: SiteCosts): Schemas['GetSiteCostsOutput'] => ({
  site_id: siteId,
  costs: siteCosts.costs.map(costView),
  ...totalsView(siteCosts),
});

export const clientCostsView = (
  { id, name }: ClientBrief,
  clientCosts: ClientCosts,
): Schemas['GetClientCostsOutput'] => ({
  client_id: id,
  client_name: name,
  costs: clientCosts.costs.map((cost) => ({ ...costView(cost), site_id: cost.siteId, site_name: cost.siteName })),
  ...totalsView(clientCosts),
});
