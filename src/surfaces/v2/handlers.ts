import type { operations } from '../../../generated/v2.ts';
import type { V2OfSite, V2Parts } from '../../../generated/parts.ts';
import type { SiteWithUrlKey } from '../../domains/sites/index.ts';
import type { HandlersOfOperations } from '../../http/operation-types.ts';

type SiteArguments = {
  [Id in keyof V2OfSite]: { site: V2OfSite[Id] extends 'named' ? SiteWithUrlKey : SiteWithUrlKey | null };
};

export type HandlersOf<Part extends keyof V2Parts> = HandlersOfOperations<operations, V2Parts[Part], SiteArguments>;
