import type { Readable } from 'node:stream';
import type { Caller } from '../shared/caller.ts';
import type { CallWait } from '../shared/call-wait.ts';

/**
 * Types that connect handlers to a contract. `O` is the generated `operations` of one surface. If an operation has
 * further HTTP methods, their IDs are `<id>__<verb>`, and they have no handler of their own.
 */
export type OperationId<O> = Exclude<Extract<keyof O, string>, `${string}__${string}`>;

type Json<C> = C extends { content: { 'application/json': infer B } } ? B : never;
type PresentOrEmpty<T> = [NonNullable<T>] extends [never] ? Record<never, never> : NonNullable<T>;
type ParametersOf<O, Id extends keyof O> = O[Id] extends { parameters: infer P } ? P : never;
type QueryOf<P> = P extends { query: infer Q } ? Q : P extends { query?: infer Q } ? Q : never;
type PathOf<P> = P extends { path: infer Q } ? Q : never;
type ContentOf<C> = C extends { content: { 'multipart/form-data': infer B } } ? B : Json<C>;
type BodyOf<Op> = Op extends { requestBody: infer B }
  ? ContentOf<B>
  : Op extends { requestBody?: infer B }
    ? ContentOf<NonNullable<B>> | undefined
    : undefined;

type QueryInput<O, Id extends keyof O> =
  QueryOf<ParametersOf<O, Id>> extends infer Q
    ? Q extends { input: infer I }
      ? I
      : Q extends { input?: infer I }
        ? I
        : never
    : never;
type BodyInput<Op> = NonNullable<BodyOf<Op>> extends { input?: infer I } ? I : never;

export type AbilityInput<O, Id extends keyof O> = NonNullable<
  [QueryInput<O, Id>] extends [never] ? BodyInput<O[Id]> : QueryInput<O, Id>
>;
export type AbilityOutput<O, Id extends keyof O> = O[Id] extends { responses: { 200: infer R } } ? Json<R> : never;

export interface CallContext {
  caller: Caller;
  requestId: string;
}

export type AbilityHandler<O, Id extends keyof O, More = unknown> = (
  input: AbilityInput<O, Id>,
  context: CallContext & More,
) => Promise<AbilityOutput<O, Id>>;

/**
 * A call that a batch or an MCP tool makes for the same caller. It is authorized and validated like a separate request.
 */
export interface InnerCall {
  method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Path inside the surface with its query, e.g. `/tags/add`. */
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** ID of the operation that is meant. A path that leads to another one fails with `rest_no_route`. */
  operationId?: string;
  wait?: CallWait;
  /** True if the call may end when the caller disconnects. Other calls continue. */
  endsWithCaller?: boolean;
  /** True if the call is authorized and validated, but not run. The response then has no body. */
  checkOnly?: boolean;
  /** True if the service makes the call for itself. It then does not count as use of the API key. */
  isUncounted?: boolean;
}
export type Dispatch = (call: InnerCall) => Promise<HandlerResponse>;

export interface RateLimitState {
  limit: number;
  remaining: number;
  resetAt: number | null;
}

export interface RouteRequest<O, Id extends keyof O> extends CallContext {
  rateLimit: RateLimitState | null;
  path: PresentOrEmpty<PathOf<ParametersOf<O, Id>>>;
  query: PresentOrEmpty<QueryOf<ParametersOf<O, Id>>>;
  body: BodyOf<O[Id]>;
  ifMatch: string | undefined;
  dispatch: Dispatch;
  disconnectSignal: () => AbortSignal;
}

export interface HandlerResponse {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
  contentType?: string;
  etag?: string;
}
type ResponseExtras = Pick<HandlerResponse, 'headers' | 'contentType' | 'etag'>;
type SuccessStatus = 200 | 201 | 202;
export type RouteResponse<O, Id extends keyof O> = O[Id] extends { responses: infer R }
  ? {
      [S in keyof R]: S extends SuccessStatus
        ? { status: S; body: Json<R[S]> | Readable } & ResponseExtras
        : S extends 204
          ? { status: S } & ResponseExtras
          : never;
    }[keyof R]
  : never;
export type RouteHandler<O, Id extends keyof O, More = unknown> = (
  request: RouteRequest<O, Id> & More,
) => Promise<RouteResponse<O, Id>>;

type ExtraContextOf<More, Id> = Id extends keyof More ? More[Id] : unknown;

/** The build fails if the contract has an operation without a handler. */
export type Handlers<O, More = object> = {
  [Id in OperationId<O>]: Id extends `${string}-v${number}`
    ? AbilityHandler<O, Id, ExtraContextOf<More, Id>>
    : RouteHandler<O, Id, ExtraContextOf<More, Id>>;
};
export type HandlersOfOperations<O, Id extends OperationId<O>, More = object> = Pick<Handlers<O, More>, Id>;
