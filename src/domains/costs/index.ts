export type {
  CostShare,
  CostPatch,
  CostRecord,
  CostTarget,
  CostTotals,
  Frequency,
  NewCost,
  SiteCostShare,
  TargetKind,
} from './cost.ts';
export type { CostOption } from './cost-option.ts';
export { CostOptionService } from './cost-option-service.ts';
export { toCurrencyAmount } from './cost-rules.ts';
export { CostShareReadModel, type ClientCosts, type SiteCosts } from './cost-share-read-model.ts';
export { parseRenewedCost } from './cost-renewals.ts';
export { CostTargetRepository } from './cost-repository.ts';
export { CostService } from './cost-service.ts';
export type { CostsServices } from './part.ts';
