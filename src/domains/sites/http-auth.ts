import { refuseField } from '../../shared/fields.ts';

/** HTTP Basic authentication in front of a site. */
export interface HttpAuth {
  user: string;
  pass: string;
}

/** Both or neither; an empty text is none. Throws `InvalidError`, naming the one that is missing. */
export function httpAuthOf(user: string | null | undefined, pass: string | null | undefined): HttpAuth | null {
  if (user && pass) return { user, pass };
  if (!user && !pass) return null;
  return refuseField(user ? 'httpPass' : 'httpUser', 'is needed beside its counterpart');
}
