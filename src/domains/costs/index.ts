export type {
  Cost,
  CostEntry,
  CostFilter,
  CostPatch,
  CostRecord,
  CostStatus,
  CostTarget,
  CostTotals,
  CostType,
  Frequency,
  LicenseType,
  NewCost,
  RenewalType,
  SiteCostEntry,
  TargetKind,
} from './cost.ts';
export type { CostOption, CostOptionPatch, NewCostOption, OptionKind } from './cost-option.ts';
export { CostOptionService, type CostOptionServiceParts } from './cost-option-service.ts';
export { amountOf } from './cost-rules.ts';
export { CostReadModel, type ClientCosts, type SiteCosts } from './cost-read-model.ts';
export { renewedCost, type RenewedCost } from './cost-renewals.ts';
export { CostTargetRepository } from './cost-repository.ts';
export { CostService, type CostServiceParts } from './cost-service.ts';
export type { CostsServices } from './services.ts';
