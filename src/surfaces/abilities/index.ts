import { type SiteScope } from '../../shared/site-scope.ts';
import type { AbilitiesParts } from '../../../generated/parts.ts';
import type { Site, SiteRef } from '../../domains/sites/index.ts';
import type { Surface } from '../../http/pipeline.ts';
import type { Services } from '../../service/services.ts';
import { readContract } from '../generated-files.ts';
import { assembleParts, type Part } from '../parts.ts';
import * as changes from './changes/routes.ts';
import * as clients from './clients/routes.ts';
import * as costs from './costs/routes.ts';
import * as discovery from './discovery/routes.ts';
import type { SurfaceContext, JobLinks } from './surface-context.ts';
import { abilityErrorDialect } from './errors.ts';
import { getsState, type HandlersOf } from './handlers.ts';
import * as inventory from './inventory/routes.ts';
import * as jobs from './jobs/routes.ts';
import * as security from './security/routes.ts';
import * as sites from './sites/routes.ts';
import * as tags from './tags/routes.ts';
import * as updates from './updates/routes.ts';
import * as uptime from './uptime/routes.ts';

const parts = {
  changes,
  clients,
  costs,
  discovery,
  inventory,
  jobs,
  security,
  sites,
  tags,
  updates,
  uptime,
} satisfies { [Name in keyof AbilitiesParts]: Part<Services, SurfaceContext, HandlersOf<Name>> };

export function abilitiesSurface(services: Services, where: { base: string; links: JobLinks }): Surface {
  const contract = readContract('abilities');
  const context = { contract, ...where };
  const scopeKey = (scope: SiteScope) => services.sites.list.scopeKey(scope);
  const { references } = services.sites;
  const resolveSite = (scope: SiteScope, reference: SiteRef, ability: string): Promise<Site> =>
    getsState(ability) ? references.detail(scope, reference) : references.one(scope, reference);
  return { contract, dialect: abilityErrorDialect, ...assembleParts(parts, services, context), resolveSite, scopeKey };
}
