import { throwFieldError } from '../../shared/field-errors.ts';

/** HTTP Basic authentication in front of a site. */
export interface HttpAuth {
  user: string;
  pass: string;
}

/** Returns null if both values are empty. If one is empty, throws an `InvalidError` that names it. */
export function httpAuthOf(user: string | null | undefined, pass: string | null | undefined): HttpAuth | null {
  if (user && pass) return { user, pass };
  if (!user && !pass) return null;
  return throwFieldError(user ? 'httpPass' : 'httpUser', 'is needed beside its counterpart');
}
