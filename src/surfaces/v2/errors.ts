import type { ErrorDialect } from '../../http/errors.ts';

/** The codes by which this surface calls what the machinery refuses. */
export const routeErrors: ErrorDialect = {
  ability: false,
  invalidInput: 'rest_invalid_param',
  invalidMethod: 'rest_invalid_method',
};
