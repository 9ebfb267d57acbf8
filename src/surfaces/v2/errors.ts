import type { ErrorDialect } from '../../http/errors.ts';

export const routeErrors: ErrorDialect = {
  ability: false,
  invalidInput: 'rest_invalid_param',
  invalidMethod: 'rest_invalid_method',
};
