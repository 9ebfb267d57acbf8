import type { FieldError } from '../shared/errors.ts';
import { throwFieldError, type ErrorDialect } from './errors.ts';

/** Where a value came in; the fields of an ability are named without it. */
type Place = 'params' | 'query' | 'body';

/**
 * Refuses what a schema lets through and no database keeps: numbers that coercion made infinite (`1e999`), U+0000,
 * which SQLite cuts a text at, and halves of surrogate pairs, which no encoding has. Throws the refusal of the surface,
 * naming the field.
 */
export function rejectUnstorableValues(place: Place, values: unknown, dialect: ErrorDialect): void {
  const error = findUnstorableValue(values, dialect.ability ? [] : [place]);
  if (error) throwFieldError(dialect, error.path, error.message);
}

/** The first value, or name of one, that cannot be used. */
export function findUnstorableValue(value: unknown, path: readonly string[]): FieldError | null {
  const fault = faultIn(value);
  return fault && { path: [...path, ...fault.path].join('.'), message: fault.message };
}

/** Every request is looked through, so that nothing is made on the way to what is as it should be. */
function faultIn(value: unknown): { path: string[]; message: string } | null {
  const message = faultOf(value);
  if (message !== null) return { path: [], message };
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    const ofName = faultOf(name);
    if (ofName !== null) return { path: [], message: `has a name that ${ofName}` };
    const fault = faultIn(inner);
    if (fault) return { path: [name, ...fault.path], message: fault.message };
  }
  return null;
}

function faultOf(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'must be a number that can be counted with';
  if (typeof value !== 'string') return null;
  if (value.includes('\0')) return 'must not hold U+0000';
  return isWellFormed(value) ? null : 'must not hold half of a surrogate pair';
}

/** Node 20 has the method; the library of types that the code is compiled with has not. */
const isWellFormed = (text: string): boolean => (text as string & { isWellFormed(): boolean }).isWellFormed();
