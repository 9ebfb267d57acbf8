import type { operations } from '../../../generated/abilities.ts';
import type { AbilitiesOfSite, AbilitiesParts } from '../../../generated/parts.ts';
import type { SiteWithUrlKey } from '../../domains/sites/index.ts';
import type { HandlersOfOperations } from '../../http/operation-types.ts';

/** Site of the call. Null if the ability does not require a site and the caller named none. */
type SiteArguments = {
  [Id in keyof AbilitiesOfSite]: { site: AbilitiesOfSite[Id] extends 'named' ? SiteWithUrlKey : SiteWithUrlKey | null };
};

export type HandlersOf<Part extends keyof AbilitiesParts> = HandlersOfOperations<
  operations,
  AbilitiesParts[Part],
  SiteArguments
>;
