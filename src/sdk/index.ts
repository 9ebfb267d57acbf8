export { SitefleetClient, SitefleetError, type ClientOptions } from './client.ts';
export type {
  AbilityInput,
  AbilityName,
  AbilityOutput,
  ItemOf,
  PagedAbility,
  RouteArguments,
  RouteId,
  RouteOutput,
} from './types.ts';
