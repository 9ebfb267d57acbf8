import { OPERATIONS, type Operations } from '../../generated/sdk/operations.ts';
import { Client } from './client.ts';
import type { SitefleetError } from './errors.ts';
import type { TransportOptions } from './transport.ts';
import type * as types from './types.ts';

export type Sitefleet = Client<Operations>;

export const createClient = (options: TransportOptions): Sitefleet => new Client<Operations>(OPERATIONS, options);

export type AbilityName = types.AbilityName<Operations>;
export type RouteId = types.RouteId<Operations>;
export type PagedId = types.PagedId<Operations>;
export type OperationId = keyof Operations;
export type InputOf<Id extends AbilityName> = types.AbilityArguments<Operations[Id], never>[0];
export type ArgumentsOf<Id extends RouteId> = types.RouteArguments<Operations[Id], never>[0];
export type AnswerOf<Id extends OperationId> = types.AnswerOf<Operations[Id]>;
export type ItemOf<Id extends PagedId> = types.ItemOf<Operations[Id]>;
export type ErrorsOf<Id extends OperationId> = SitefleetError<types.CodesOf<Operations[Id]>>;

export { OPERATIONS } from '../../generated/sdk/operations.ts';
export type { Operation } from '../../generated/sdk/operation.ts';
export type * from '../../generated/sdk/operations.ts';
export {
  Client,
  ConnectionError,
  ERROR_STATUSES,
  isRefusal,
  SitefleetError,
  TimeoutError,
  type CallOptions,
  type ClientOptions,
  type Credential,
  type ErrorCode,
  type ErrorDetails,
  type FullAnswer,
  type WaitOptions,
} from './core.ts';
