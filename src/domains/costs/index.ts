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
} from './cost.ts';
export { CostReadModel, type SiteCosts } from './cost-read-model.ts';
export { CostService, type CostServiceParts } from './cost-service.ts';
