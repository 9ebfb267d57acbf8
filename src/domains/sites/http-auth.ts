import { throwFieldError } from '../../shared/field-errors.ts';

export interface HttpAuth {
  user: string;
  pass: string;
}

/**
 * Returns the credentials, or null if none are set. If only one value is set, throws an `InvalidError` that names the
 * other one.
 */
export function httpAuthOf(user: string | null | undefined, pass: string | null | undefined): HttpAuth | null {
  if (user && pass) return { user, pass };
  if (!user && !pass) return null;
  return throwFieldError(user ? 'httpPass' : 'httpUser', 'must be set together with its counterpart');
}
