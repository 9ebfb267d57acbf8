import type { operations } from '../../../generated/abilities.ts';
import type { AbilitiesOfSite, AbilitiesParts } from '../../../generated/parts.ts';
import type { SiteDetail, SiteWithUrlKey } from '../../domains/sites/index.ts';
import type { HandlersOfOperations } from '../../http/operation-types.ts';

/** Abilities that get the stored state together with the site, because a second statement would double their cost. */
const WITH_STATE = ['get-site-v1', 'get-site-security-v1'] as const;
type WithState = (typeof WITH_STATE)[number];

export const getsState = (ability: string): ability is WithState => WITH_STATE.includes(ability as WithState);

/** Site of the call. Null if the ability does not require a site and the caller named none. */
type SiteArguments = {
  [Id in keyof AbilitiesOfSite]: {
    site: Id extends WithState
      ? SiteDetail
      : AbilitiesOfSite[Id] extends 'named'
        ? SiteWithUrlKey
        : SiteWithUrlKey | null;
  };
};

export type HandlersOf<Part extends keyof AbilitiesParts> = HandlersOfOperations<
  operations,
  AbilitiesParts[Part],
  SiteArguments
>;
