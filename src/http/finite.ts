import { refuseField, type ErrorDialect } from './errors.ts';

/**
 * The validator takes `1e999` in a path or a query for an integer: coerced it is infinite, and nothing looks at it again.
 * Throws the refusal of the surface, naming the field.
 */
export function refuseInfinite(place: 'params' | 'query', values: unknown, dialect: ErrorDialect): void {
  const found = infiniteIn(values, []);
  if (!found) return;
  const path = [...(dialect.ability ? [] : [place]), ...found].join('.');
  refuseField(dialect, path, 'must be a number that can be counted with');
}

function infiniteIn(value: unknown, path: readonly string[]): readonly string[] | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : path;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    const found = infiniteIn(inner, [...path, name]);
    if (found) return found;
  }
  return null;
}
