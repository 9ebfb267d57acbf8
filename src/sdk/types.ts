import type { ErrorCode } from '../../generated/sdk/errors.ts';
import type { Operation } from '../../generated/sdk/operation.ts';

/** Maps the ID of each operation to its types: arguments (`input`, `args` or `file`), `answer`, `item` and `errors`. */
export type TypesOf<All extends readonly Operation[]> = {
  [Each in All[number] as Each['id']]: NonNullable<Each['types']>;
};

export type AbilityName<M> = {
  [Id in keyof M]: M[Id] extends { input?: unknown } ? HasKey<M[Id], 'input', Id> : never;
}[keyof M];
export type RouteId<M> = { [Id in keyof M]: HasKey<M[Id], 'args', Id> }[keyof M];
export type FileRouteId<M> = { [Id in keyof M]: HasKey<M[Id], 'file', Id> }[keyof M];
export type PagedId<M> = { [Id in keyof M]: HasKey<M[Id], 'item', Id> }[keyof M];

export type AnswerOf<T> = T extends { answer: infer Answer } ? Answer : never;
export type ItemOf<T> = T extends { item: infer Item } ? Item : never;
export type CodesOf<T> = T extends { errors: infer Codes extends ErrorCode } ? Codes : never;

export type AbilityArguments<T, Options> = T extends { input: infer Input }
  ? [input: Input, options?: Options]
  : T extends { input?: infer Input }
    ? [input?: Input, options?: Options]
    : never;

export type RouteArguments<T, Options> = T extends { args: infer Args }
  ? [args: Args, options?: Options]
  : T extends { args?: infer Args }
    ? [args?: Args, options?: Options]
    : never;

export type FileArguments<T, Options> = T extends { file: infer Args }
  ? [args: Args, options?: Options]
  : T extends { file?: infer Args }
    ? [args?: Args, options?: Options]
    : never;

export type PagedArguments<T, Options> = 'input' extends keyof T
  ? AbilityArguments<T, Options>
  : RouteArguments<T, Options>;

type HasKey<T, Key extends string, Id> = Key extends keyof T ? Id : never;
