export type {
  Cost,
  CostEntry,
  CostStatus,
  CostTarget,
  CostTotals,
  CostType,
  Frequency,
  LicenseType,
  NewCost,
  RenewalType,
  SiteCostEntry,
} from './cost.ts';
export { CostReadModel, type ClientCosts, type SiteCosts } from './cost-read-model.ts';
export { CostTargetRepository } from './cost-repository.ts';
export { CostService, type CostServiceParts } from './cost-service.ts';
