import type { FieldError } from '../shared/errors.ts';
import { throwFieldError, type ErrorDialect } from './errors.ts';

/**
 * Part of the request that contains a value, and prefix of its name in errors. Fields of an ability are named without
 * the prefix.
 */
type RequestPlace = 'params' | 'query' | 'body';

/**
 * Refuses values that pass the schema but cannot be stored: infinite numbers (`1e999`), U+0000, at which SQLite cuts a
 * text, and half surrogate pairs, which UTF-8 cannot encode. In a query, a half pair also stands for bytes that are not
 * UTF-8 (`parseQuery`). The error names the field.
 */
export function rejectUnstorableValues(place: RequestPlace, values: unknown, dialect: ErrorDialect): void {
  const error = findUnstorableValue(values, dialect.ability ? [] : [place]);
  if (error) throwFieldError(dialect, error.path, error.message);
}

export function findUnstorableValue(value: unknown, path: readonly string[]): FieldError | null {
  const fault = findUnstorableInside(value);
  return fault && { path: [...path, ...fault.path].join('.'), message: fault.message };
}

/** Runs on every request, so it builds a path only for a value that cannot be stored. */
function findUnstorableInside(value: unknown): { path: string[]; message: string } | null {
  const message = unstorableReasonOf(value);
  if (message !== null) return { path: [], message };
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    const ofName = unstorableReasonOf(name);
    if (ofName !== null) return { path: [], message: `has a name that ${ofName}` };
    const fault = findUnstorableInside(inner);
    if (fault) return { path: [name, ...fault.path], message: fault.message };
  }
  return null;
}

function unstorableReasonOf(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'must be a finite number';
  if (typeof value !== 'string') return null;
  if (value.includes('\0')) return 'must not contain U+0000';
  return isWellFormed(value) ? null : 'must be valid UTF-8, without half of a surrogate pair';
}

/**
 * True if a text contains no half of a surrogate pair. Node 20 has this method, but the `lib` of the compiler does not
 * declare it.
 */
const isWellFormed = (text: string): boolean => (text as string & { isWellFormed(): boolean }).isWellFormed();
