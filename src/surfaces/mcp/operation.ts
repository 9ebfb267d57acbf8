import type { Effect, Surface } from '../../contract/index.ts';
import type { OperationPolicy } from '../../http/operation-policy.ts';
import type { InnerCall } from '../../http/operation-types.ts';

export type JsonSchema = Record<string, unknown>;
export type OperationInput = Record<string, unknown>;

export interface Operation {
  id: string;
  surface: Surface;
  title: string;
  description: string;
  instructions: string;
  group: string;
  groupDescription: string;
  /** Method and address, such as `GET /api/v2/tags`. */
  address: string;
  isDeprecated: boolean;
  effect: Effect;
  isIdempotent: boolean;
  hasDryRun: boolean;
  policy: OperationPolicy;
  fileTypes: readonly string[];
  /** Schemas without references. They are built when they are read, because there are many. */
  input: () => JsonSchema;
  output: () => JsonSchema;
  /**
   * Returns the request that runs the operation. The input is copied, because validation fills in defaults, and
   * confirmation tokens cover the original arguments. Throws `rest_invalid_param` if the input cannot be sent. The
   * pipeline validates everything else.
   */
  callOf: (input: OperationInput) => InnerCall;
}
