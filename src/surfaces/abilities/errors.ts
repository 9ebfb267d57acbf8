import type { ErrorDialect } from '../../http/errors.ts';

/** The codes by which this surface calls what the machinery refuses. */
export const abilityErrorDialect: ErrorDialect = {
  ability: true,
  invalidInput: 'ability_invalid_input',
  invalidMethod: 'rest_ability_invalid_method',
};
