import { partsOf } from '../../shared/text.ts';

/** Filters as a domain takes them: a parameter that was not sent, or an empty one, is no filter. */
export const presentFields = <T extends object>(filter: T): { [N in keyof T]?: NonNullable<T[N]> } =>
  Object.fromEntries(
    Object.entries(filter).filter(
      ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  ) as { [N in keyof T]?: NonNullable<T[N]> };

/** A list of a body, which may be written as a text with commas as it is in a query. */
export const listIn = (value: string | readonly string[] | undefined): string[] =>
  typeof value === 'string' ? partsOf(value) : (value ?? []).map((item) => item.trim()).filter(Boolean);

/** `any` is no filter. */
export const unlessAny = <T extends string>(value: T): Exclude<T, 'any'> | undefined =>
  value === 'any' ? undefined : (value as Exclude<T, 'any'>);
