import type { components } from '../../../generated/abilities.ts';
import type { CostEntry, SiteCosts } from '../../domains/costs/index.ts';

type Schemas = components['schemas'];

/** Amounts are kept as cents and answered as numbers with two decimals. */
const amountOf = (minor: number): number => minor / 100;

const costView = ({ id, name, amountMinor, frequency, nextDue }: CostEntry): Schemas['SiteCost'] => ({
  id,
  name,
  amount: amountOf(amountMinor),
  frequency,
  next_due: nextDue,
});

export const siteCostsView = (siteId: number, found: SiteCosts): Schemas['GetSiteCostsOutput'] => ({
  site_id: siteId,
  costs: found.costs.map(costView),
  total_monthly: amountOf(found.monthlyMinor),
  total_yearly: amountOf(found.yearlyMinor),
});
