import type { ErrorDialect } from '../../http/errors.ts';

export const abilityErrorDialect: ErrorDialect = {
  ability: true,
  invalidInput: 'ability_invalid_input',
  invalidMethod: 'rest_ability_invalid_method',
};
