import { throwFieldError, type ErrorDialect } from './errors.ts';

/**
 * Refuses query parameters with names that every object inherits, such as `__proto__` and `constructor`. The parser
 * drops them, so the validator does not see them, and no operation has such a parameter.
 */
export function rejectPrototypePropertyNames(query: string, dialect: ErrorDialect): void {
  for (const name of new URLSearchParams(query).keys()) {
    const path = name.split(/[[\]]+/).filter(Boolean);
    if (path.some((part) => part in Object.prototype))
      throwFieldError(dialect, [...(dialect.ability ? [] : ['query']), ...path].join('.'), 'is not a known parameter');
  }
}
