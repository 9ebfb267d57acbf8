import type { Readable } from 'node:stream';
import type { Caller } from '../shared/caller.ts';

/**
 * Types that tie handlers to a contract. `O` is the generated `operations` of one surface. A further verb of an
 * operation has the id `<id>__<verb>` and no handler of its own.
 */
export type OperationId<O> = Exclude<Extract<keyof O, string>, `${string}__${string}`>;

type Json<C> = C extends { content: { 'application/json': infer B } } ? B : never;
type PresentOrEmpty<T> = [NonNullable<T>] extends [never] ? Record<never, never> : NonNullable<T>;
type ParametersOf<O, Id extends keyof O> = O[Id] extends { parameters: infer P } ? P : never;
type QueryOf<P> = P extends { query: infer Q } ? Q : P extends { query?: infer Q } ? Q : never;
type PathOf<P> = P extends { path: infer Q } ? Q : never;
/** A form is read into the same object that a JSON body would be; a file in it is its text. */
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

/** Input of an ability, wherever the verb carries it; defaults are filled in. */
export type AbilityInput<O, Id extends keyof O> = NonNullable<
  [QueryInput<O, Id>] extends [never] ? BodyInput<O[Id]> : QueryInput<O, Id>
>;
export type AbilityOutput<O, Id extends keyof O> = O[Id] extends { responses: { 200: infer R } } ? Json<R> : never;

/** What a call knows of itself beside its input. */
export interface CallContext {
  caller: Caller;
  requestId: string;
}

export type AbilityHandler<O, Id extends keyof O, More = unknown> = (
  input: AbilityInput<O, Id>,
  context: CallContext & More,
) => Promise<AbilityOutput<O, Id>>;

/** A further call in the name of the same caller, refused or answered just as if it had come alone. */
export interface InnerCall {
  method: 'GET' | 'POST' | 'DELETE';
  /** Inside the surface, e.g. `/tags/add`. */
  path: string;
  body?: unknown;
}
export type Dispatch = (call: InnerCall) => Promise<{ status: number; body: unknown }>;

export interface RouteRequest<O, Id extends keyof O> extends CallContext {
  path: PresentOrEmpty<PathOf<ParametersOf<O, Id>>>;
  query: PresentOrEmpty<QueryOf<ParametersOf<O, Id>>>;
  body: BodyOf<O[Id]>;
  /** The header, for edits that must not overwrite what the caller has not seen. */
  ifMatch: string | undefined;
  dispatch: Dispatch;
  /** Ends when the caller hangs up before it has its answer; for work that waits for its turn. */
  disconnectSignal: () => AbortSignal;
}

/** What a handler of a route answers; the contract narrows it for each operation. */
export interface HandlerResponse {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
  contentType?: string;
  /** Tag of the record that is answered, which `If-None-Match` is compared with. */
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

/** What an operation is given beside its input: `More` has it by id. */
type MoreOf<More, Id> = Id extends keyof More ? More[Id] : unknown;

/** Total by construction: a new operation in the contract breaks the build until it is handled. */
export type Handlers<O, More = object> = {
  [Id in OperationId<O>]: Id extends `${string}-v${number}`
    ? AbilityHandler<O, Id, MoreOf<More, Id>>
    : RouteHandler<O, Id, MoreOf<More, Id>>;
};
/** A part of the map, for the file of one domain. */
export type SomeHandlers<O, Id extends OperationId<O>, More = object> = Pick<Handlers<O, More>, Id>;
