import type { operations } from '../../../generated/v2.ts';
import type { ContentService } from '../../domains/content/index.ts';
import type { ModuleService } from '../../domains/modules/index.ts';
import type { SettingsService } from '../../domains/settings/index.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Surface } from '../../http/pipeline.ts';
import { readContract } from '../generated.ts';
import { batch } from './batch.ts';
import { clientFields, type ClientFieldsParts } from './client-fields.ts';
import { clients, type ClientsParts } from './clients.ts';
import { comments, type CommentsParts } from './comments.ts';
import { costs, type CostsParts } from './costs.ts';
import { routeErrors } from './errors.ts';
import { jobs, type JobsParts } from './jobs.ts';
import { keys, type KeysParts } from './keys.ts';
import { modules } from './modules.ts';
import { pages } from './pages.ts';
import { posts } from './posts.ts';
import { settings } from './settings.ts';
import { sitesChanges, type SitesChangesParts } from './sites-changes.ts';
import { sitesConnection, type SitesConnectionParts } from './sites-connection.ts';
import { sitesFleet, type SitesFleetParts } from './sites-fleet.ts';
import { sitesInventory, type SitesInventoryParts } from './sites-inventory.ts';
import { sitesOwner, type SitesOwnerParts } from './sites-owner.ts';
import { sitesSecurity, type SitesSecurityParts } from './sites-security.ts';
import { sites, type SitesParts } from './sites.ts';
import { tags, type TagsParts } from './tags.ts';
import { users, type UsersParts } from './users.ts';
import { ignoredUpdates, type IgnoredUpdatesParts } from './updates-ignored.ts';
import { updates, type UpdatesParts } from './updates.ts';

export interface V2Parts
  extends
    JobsParts,
    KeysParts,
    TagsParts,
    UpdatesParts,
    IgnoredUpdatesParts,
    CommentsParts,
    UsersParts,
    SitesParts,
    SitesFleetParts,
    SitesConnectionParts,
    SitesInventoryParts,
    SitesSecurityParts,
    SitesChangesParts,
    SitesOwnerParts,
    ClientsParts,
    ClientFieldsParts,
    CostsParts {
  content: ContentService;
  settings: SettingsService;
  modules: ModuleService;
}

/** REST v2: every operation of the contract with its handler. */
export function v2Surface(parts: V2Parts): Surface {
  const handlers = {
    ...jobs(parts),
    ...settings(parts.settings),
    ...modules(parts.modules),
    ...keys(parts),
    ...tags(parts),
    ...posts(parts.content),
    ...pages(parts.content),
    ...comments(parts),
    ...batch(parts.settings),
    ...sites(parts),
    ...sitesFleet(parts),
    ...sitesConnection(parts),
    ...sitesInventory(parts),
    ...sitesSecurity(parts),
    ...sitesChanges(parts),
    ...sitesOwner(parts),
    ...users(parts),
    ...updates(parts),
    ...ignoredUpdates(parts),
    ...clients(parts),
    ...clientFields(parts),
    ...costs(parts),
  } satisfies Handlers<operations>;
  return { contract: readContract('v2'), dialect: routeErrors, handlers };
}
