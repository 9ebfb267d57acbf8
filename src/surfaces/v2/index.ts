import type { operations } from '../../../generated/v2.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Surface } from '../../http/pipeline.ts';
import type { Services } from '../../services.ts';
import { readContract } from '../generated.ts';
import type { Door } from './door.ts';
import { routeErrors } from './errors.ts';
import { routes as access } from './access/routes.ts';
import { routes as batch } from './batch/routes.ts';
import { routes as changes } from './changes/routes.ts';
import { routes as childUsers } from './child-users/routes.ts';
import { routes as clients } from './clients/routes.ts';
import { routes as comments } from './comments/routes.ts';
import { routes as content } from './content/routes.ts';
import { routes as costs } from './costs/routes.ts';
import { routes as inventory } from './inventory/routes.ts';
import { routes as jobs } from './jobs/routes.ts';
import { routes as modules } from './modules/routes.ts';
import { routes as security } from './security/routes.ts';
import { routes as settings } from './settings/routes.ts';
import { routes as sites } from './sites/routes.ts';
import { routes as tags } from './tags/routes.ts';
import { routes as updates } from './updates/routes.ts';
import { routes as uptime } from './uptime/routes.ts';

/** REST v2: every operation of the contract with its handler. */
export function v2Surface(services: Services, door: Door): Surface {
  const handlers = {
    ...access(services, door),
    ...batch(services),
    ...changes(services, door),
    ...childUsers(services),
    ...clients(services, door),
    ...comments(services),
    ...content(services),
    ...costs(services, door),
    ...inventory(services, door),
    ...jobs(services, door),
    ...modules(services),
    ...security(services),
    ...settings(services),
    ...sites(services, door),
    ...tags(services, door),
    ...updates(services, door),
    ...uptime(services, door),
  } satisfies Handlers<operations>;
  return { contract: readContract('v2'), dialect: routeErrors, handlers };
}
