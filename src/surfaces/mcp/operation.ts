import type { Effect, Surface } from '../../contract/index.ts';
import type { OperationPolicy } from '../../http/operation-policy.ts';
import type { InnerCall } from '../../http/operation-types.ts';

export type JsonSchema = Record<string, unknown>;
export type OperationInput = Record<string, unknown>;

/** An ability or a route of REST v2, as agents see it. */
export interface Operation {
  id: string;
  surface: Surface;
  title: string;
  description: string;
  instructions: string;
  /** Tag of the contract. */
  group: string;
  groupDescription: string;
  /** Method and address, such as `GET /api/v2/tags`. */
  address: string;
  /** A deprecated operation can be called, but the search does not find it. */
  isDeprecated: boolean;
  effect: Effect;
  isIdempotent: boolean;
  hasDryRun: boolean;
  policy: OperationPolicy;
  /** Media types of files that the operation can return. */
  fileTypes: readonly string[];
  /** Schemas without references. They are built when they are read, because there are many. */
  input: () => JsonSchema;
  output: () => JsonSchema;
  /** Throws `rest_invalid_param` if the input cannot be sent. The pipeline validates everything else. */
  callOf: (input: OperationInput) => InnerCall;
}
