import { throwFieldError } from '../../shared/field-errors.ts';

export interface HttpAuth {
  user: string;
  pass: string;
}

export function httpAuthOf(user: string | null | undefined, pass: string | null | undefined): HttpAuth | null {
  if (user && pass) return { user, pass };
  if (!user && !pass) return null;
  return throwFieldError(user ? 'httpPass' : 'httpUser', 'must be set together with its counterpart');
}
