import type { operations } from '../../../generated/abilities.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Surface } from '../../http/pipeline.ts';
import type { Services } from '../../services.ts';
import { readContract } from '../generated.ts';
import { routes as changes } from './changes/routes.ts';
import { routes as clients } from './clients/routes.ts';
import { routes as costs } from './costs/routes.ts';
import { routes as discovery } from './discovery/routes.ts';
import type { Links } from './door.ts';
import { abilityErrors } from './errors.ts';
import { routes as inventory } from './inventory/routes.ts';
import { routes as jobs } from './jobs/routes.ts';
import { routes as security } from './security/routes.ts';
import { routes as sites } from './sites/routes.ts';
import { routes as tags } from './tags/routes.ts';
import { routes as updates } from './updates/routes.ts';
import { routes as uptime } from './uptime/routes.ts';

/** The abilities: every operation of the contract with its handler. */
export function abilitiesSurface(services: Services, where: { base: string; links: Links }): Surface {
  const contract = readContract('abilities');
  const door = { contract, ...where };
  const handlers = {
    ...changes(services),
    ...clients(services),
    ...costs(services),
    ...discovery(door),
    ...inventory(services),
    ...jobs(services),
    ...security(services),
    ...sites(services, door),
    ...tags(services),
    ...updates(services, door),
    ...uptime(services, door),
  } satisfies Handlers<operations>;
  return { contract, dialect: abilityErrors, handlers };
}
