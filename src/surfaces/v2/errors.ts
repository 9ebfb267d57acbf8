import type { ErrorDialect } from '../../http/errors.ts';

export const v2ErrorDialect: ErrorDialect = {
  ability: false,
  invalidInput: 'rest_invalid_param',
  invalidMethod: 'rest_invalid_method',
};
