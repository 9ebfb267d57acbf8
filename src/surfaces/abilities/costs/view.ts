import type { components } from '../../../../generated/abilities.ts';
import type { ClientBrief } from '../../../domains/clients/index.ts';
import {
  toCurrencyAmount,
  type ClientCosts,
  type CostShare,
  type CostTotals,
  type SiteCosts,
} from '../../../domains/costs/index.ts';
import { mapInTurns } from '../../../shared/event-loop.ts';

type Schemas = components['schemas'];

const costView = ({ id, name, amountUnits, frequency, nextDue }: CostShare): Schemas['SiteCost'] => ({
  id,
  name,
  amount: toCurrencyAmount(amountUnits),
  frequency,
  next_due: nextDue,
});

const totalsView = ({ monthlyUnits, yearlyUnits }: CostTotals): { total_monthly: number; total_yearly: number } => ({
  total_monthly: toCurrencyAmount(monthlyUnits),
  total_yearly: toCurrencyAmount(yearlyUnits),
});

export const siteCostsView = (siteId: number, siteCosts: SiteCosts): Schemas['GetSiteCostsOutput'] => ({
  site_id: siteId,
  costs: siteCosts.costs.map(costView),
  ...totalsView(siteCosts),
});

export const clientCostsView = async (
  { id, name }: ClientBrief,
  clientCosts: ClientCosts,
): Promise<Schemas['GetClientCostsOutput']> => ({
  client_id: id,
  client_name: name,
  costs: await mapInTurns(clientCosts.costs, (cost) => ({
    ...costView(cost),
    ...{ site_id: cost.siteId, site_name: cost.siteName },
  })),
  ...totalsView(clientCosts),
});
