import type { operations } from '../../../generated/abilities.ts';
import type { AbilitiesParts } from '../../../generated/parts.ts';
import type { SomeHandlers } from '../../http/operation.ts';

/** The handlers of a part: of all operations that are written down in its folder of the contract, and of no other. */
export type HandlersOf<Part extends keyof AbilitiesParts> = SomeHandlers<operations, AbilitiesParts[Part]>;
