import type { ErrorDialect } from '../../http/errors.ts';

/** Codes of this surface for general request errors. */
export const routeErrors: ErrorDialect = {
  ability: false,
  invalidInput: 'rest_invalid_param',
  invalidMethod: 'rest_invalid_method',
};
