import type { CostOptionService } from './cost-option-service.ts';
import type { CostReadModel } from './cost-read-model.ts';
import type { CostService } from './cost-service.ts';

export interface CostsServices {
  costs: CostService;
  siteCosts: CostReadModel;
  options: CostOptionService;
}
