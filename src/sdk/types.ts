import type { operations as Abilities } from '../../generated/sdk/abilities.ts';
import type { operations as Routes } from '../../generated/sdk/v2.ts';

/** Types of calls, read off the contract: fields with a default may be left out. */
type Json<C> = C extends { content: { 'application/json': infer B } } ? B : never;
/** A form is given as an object, too; a file in it is its text. */
type Sent<C> = C extends { content: { 'multipart/form-data': infer B } } ? B : Json<C>;
type Body<O> = O extends { requestBody: infer B }
  ? Sent<B>
  : O extends { requestBody?: infer B }
    ? Sent<NonNullable<B>>
    : never;
type Main<O> = Exclude<Extract<keyof O, string>, `${string}__${string}`>;
type InputOf<O> = O extends { parameters: { query: { input: infer I } } }
  ? I
  : O extends { parameters: { query?: { input?: infer I } } }
    ? unknown extends I
      ? BodyInput<O>
      : I | undefined
    : BodyInput<O>;
type BodyInput<O> =
  Body<O> extends { input: infer I } ? I : Body<O> extends { input?: infer I } ? I | undefined : never;
type Success<O> = O extends { responses: infer R }
  ? { [S in keyof R]: S extends 200 | 201 | 202 ? Json<R[S]> : S extends 204 ? undefined : never }[keyof R]
  : never;
type Part<O, Name extends string> = O extends { parameters: infer P }
  ? P extends Record<Name, infer V>
    ? { [K in Name]: V }
    : P extends Partial<Record<Name, infer V>>
      ? [V] extends [never]
        ? unknown
        : { [K in Name]?: V }
      : unknown
  : unknown;

export type AbilityName = Extract<Main<Abilities>, `${string}-v${number}`>;
export type AbilityInput<N extends AbilityName> = InputOf<Abilities[N]>;
export type AbilityOutput<N extends AbilityName> = Success<Abilities[N]>;

export type RouteId = Main<Routes>;
export type RouteArguments<Id extends RouteId> = Part<Routes[Id], 'path'> &
  Part<Routes[Id], 'query'> &
  ([Body<Routes[Id]>] extends [never] ? unknown : { body: Body<Routes[Id]> });
export type RouteOutput<Id extends RouteId> = Success<Routes[Id]>;

/** Abilities that answer a page of something under a name. */
export type PagedAbility = {
  [N in AbilityName]: AbilityOutput<N> extends { items: unknown[]; total: number } ? N : never;
}[AbilityName];
export type ItemOf<N extends PagedAbility> = AbilityOutput<N> extends { items: (infer I)[] } ? I : never;
