import type { operations } from '../../../generated/abilities.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Surface } from '../../http/pipeline.ts';
import { readContract } from '../generated.ts';
import { catalogue } from './catalogue.ts';
import { changes, type ChangesParts } from './changes.ts';
import { clients, type ClientsParts } from './clients.ts';
import { costs, type CostsParts } from './costs.ts';
import { abilityErrors } from './errors.ts';
import { fleet, type FleetParts } from './fleet.ts';
import { inventory, type InventoryParts } from './inventory.ts';
import { jobs, type JobsParts } from './jobs.ts';
import { monitors, type MonitorsParts } from './monitors.ts';
import { security, type SecurityParts } from './security.ts';
import { sites, type SitesParts } from './sites.ts';
import { ignoredUpdates, type IgnoredUpdatesParts } from './updates-ignored.ts';
import { updates, type UpdatesParts } from './updates.ts';
import { tags, type TagsParts } from './tags.ts';

export type AbilitiesParts = SitesParts &
  FleetParts &
  JobsParts &
  InventoryParts &
  ChangesParts &
  MonitorsParts &
  CostsParts &
  ClientsParts &
  TagsParts &
  UpdatesParts &
  IgnoredUpdatesParts &
  SecurityParts & {
    /** Absolute address of this surface. */
    base: string;
  };

/** The abilities: every operation of the contract with its handler. */
export function abilitiesSurface(parts: AbilitiesParts): Surface {
  const contract = readContract('abilities');
  const handlers = {
    ...catalogue(contract, parts.base),
    ...sites(parts),
    ...fleet(parts),
    ...inventory(parts),
    ...changes(parts),
    ...monitors(parts),
    ...costs(parts),
    ...clients(parts),
    ...tags(parts),
    ...security(parts),
    ...updates(parts),
    ...ignoredUpdates(parts),
    ...jobs(parts),
  } satisfies Handlers<operations>;
  return { contract, dialect: abilityErrors, handlers };
}
