import type { operations } from '../../../generated/abilities.ts';
import type { AbilitiesOfSite, AbilitiesParts } from '../../../generated/parts.ts';
import type { KeyedSite } from '../../domains/sites/index.ts';
import type { SomeHandlers } from '../../http/operation.ts';

/** The site that a call is about; null where its caller may name none, and did not. */
type SiteArguments = {
  [Id in keyof AbilitiesOfSite]: { site: AbilitiesOfSite[Id] extends 'named' ? KeyedSite : KeyedSite | null };
};

/** The handlers of a part: of all operations that are written down in its folder of the contract, and of no other. */
export type HandlersOf<Part extends keyof AbilitiesParts> = SomeHandlers<
  operations,
  AbilitiesParts[Part],
  SiteArguments
>;
