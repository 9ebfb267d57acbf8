import type { operations } from '../../../generated/abilities.ts';
import type { CostReadModel } from '../../domains/costs/index.ts';
import type { SiteReferences } from '../../domains/sites/index.ts';
import type { SomeHandlers } from '../../http/operation.ts';
import { siteCostsView } from './costs.view.ts';

export interface CostsParts {
  references: SiteReferences;
  costs: CostReadModel;
}

/** What sites cost. */
export const costs = ({ references, costs }: CostsParts): SomeHandlers<operations, 'get-site-costs-v1'> => ({
  'get-site-costs-v1': async ({ site_id_or_domain }) => {
    const { id } = await references.one(site_id_or_domain);
    return siteCostsView(id, await costs.ofSite(id));
  },
});
