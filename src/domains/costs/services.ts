import type { CostOptionService } from './cost-option-service.ts';
import type { CostReadModel } from './cost-read-model.ts';
import type { CostService } from './cost-service.ts';

/** What other parts and the surfaces may ask of the costs. */
export interface CostsServices {
  costs: CostService;
  siteCosts: CostReadModel;
  options: CostOptionService;
}
