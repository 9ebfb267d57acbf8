import { InvalidError } from '../../shared/errors.ts';

/**
 * Says what a domain refused in the words of this surface: the fields where the caller wrote them. `names` are those
 * that the contract calls otherwise.
 */
export const refusedIn =
  (place: 'body' | 'query', names: Readonly<Record<string, string>> = {}) =>
  (error: unknown): never => {
    if (!(error instanceof InvalidError) || !error.data.errors) throw error;
    const errors = error.data.errors.map(({ path, message }) => {
      const [first = '', ...inner] = path.split('.');
      return { path: [place, names[first] ?? first, ...inner].join('.'), message };
    });
    throw new InvalidError(error.code, error.message, { errors }, { cause: error });
  };

/** Refuses what the contract cannot say by itself: `path` is the field, place included. */
export function refuseField(path: string, message: string): never {
  throw new InvalidError('rest_invalid_param', `${path} ${message}.`, { errors: [{ path, message }] });
}

/** Filters as a domain takes them: a parameter that was not sent, or an empty one, is no filter. */
export const given = <T extends object>(filter: T): { [N in keyof T]?: NonNullable<T[N]> } =>
  Object.fromEntries(
    Object.entries(filter).filter(
      ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  ) as { [N in keyof T]?: NonNullable<T[N]> };

/** A list of a body, which may be written as a text with commas as it is in a query. */
export const listIn = (value: string | readonly string[] | undefined): string[] =>
  (typeof value === 'string' ? value.split(',') : [...(value ?? [])]).map((item) => item.trim()).filter(Boolean);

/** `any` is no filter. */
export const unlessAny = <T extends string>(value: T): Exclude<T, 'any'> | undefined =>
  value === 'any' ? undefined : (value as Exclude<T, 'any'>);
