/**
 * Client for selected operations, so that a bundle does not contain the others:
 *
 *   import { createClient } from '@sitefleet/sdk/core';
 *   import { sites_get } from '@sitefleet/sdk/parts/sites';
 *   const fleet = createClient({ url, key, operations: [sites_get] });
 */
import type { Operation } from '../../generated/sdk/operation.ts';
import { Client } from './client.ts';
import type { TransportOptions } from './transport.ts';
import type { TypesOf } from './types.ts';

export function createClient<const All extends readonly Operation[]>({
  operations,
  ...options
}: TransportOptions & { operations: All }): Client<TypesOf<All>> {
  return new Client(operations, options);
}

export type { FullAnswer } from './answer.ts';
export { Client } from './client.ts';
export type { Credential } from './credential.ts';
export { ConnectionError, ERROR_STATUSES, isRefusal, SitefleetError, TimeoutError } from './errors.ts';
export type { WaitOptions } from './jobs.ts';
export type { CallOptions, TransportOptions as ClientOptions } from './transport.ts';
export type { ErrorCode, ErrorDetails } from '../../generated/sdk/errors.ts';
