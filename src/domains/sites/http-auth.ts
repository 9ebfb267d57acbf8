import { InvalidError } from '../../shared/errors.ts';

/** HTTP Basic authentication in front of a site. */
export interface HttpAuth {
  user: string;
  pass: string;
}

/** Both or neither; an empty text is none. Throws `rest_invalid_param`, naming the one that is missing. */
export function httpAuthOf(user: string | null | undefined, pass: string | null | undefined): HttpAuth | null {
  if (user && pass) return { user, pass };
  if (!user && !pass) return null;
  const message = 'must be sent together with the other of http_user and http_pass';
  throw new InvalidError('rest_invalid_param', 'http_user and http_pass belong together.', {
    errors: [{ path: user ? 'http_pass' : 'http_user', message }],
  });
}
