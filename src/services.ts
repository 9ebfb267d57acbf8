import type { AccessService } from './domains/access/index.ts';
import type { ChangeReadModel, ChildLog } from './domains/changes/index.ts';
import type { ChildUserService, FleetUsers, UserImport } from './domains/child-users/index.ts';
import type { ClientFieldService, ClientService } from './domains/clients/index.ts';
import type { CommentService } from './domains/comments/index.ts';
import type { ContentService } from './domains/content/index.ts';
import type { CostReadModel, CostService } from './domains/costs/index.ts';
import type { FanOut, SiteSelector } from './domains/fleet-reads/index.ts';
import type { IdempotentCalls } from './domains/idempotency/index.ts';
import type { InventoryReadModel, InventoryService } from './domains/inventory/index.ts';
import type { FleetRunner, JobReadModel, LaterLooks } from './domains/jobs/index.ts';
import type { ModuleService } from './domains/modules/index.ts';
import type { SecurityReadModel } from './domains/security/index.ts';
import type { SettingsService } from './domains/settings/index.ts';
import type { SitesServices } from './domains/sites/index.ts';
import type { TagService } from './domains/tags/index.ts';
import type { UpdatesServices } from './domains/updates/index.ts';
import type { UptimeCheck } from './domains/uptime/index.ts';

/** What each part owns, and others may ask for. */
export interface Services {
  access: { access: AccessService };
  changes: { changes: ChangeReadModel; childLog: ChildLog };
  childUsers: { childUsers: ChildUserService; fleetUsers: FleetUsers; userImport: UserImport };
  clients: { clients: ClientService; clientFields: ClientFieldService };
  comments: { comments: CommentService };
  content: { content: ContentService };
  costs: { costs: CostService; siteCosts: CostReadModel };
  fleetReads: { selector: SiteSelector; fanOut: FanOut };
  idempotency: { answers: IdempotentCalls };
  inventory: { inventory: InventoryService; inventoryReadModel: InventoryReadModel };
  jobs: { jobs: JobReadModel; runner: FleetRunner; looks: LaterLooks };
  modules: { modules: ModuleService };
  security: { security: SecurityReadModel };
  settings: { settings: SettingsService };
  sites: SitesServices;
  tags: { tags: TagService };
  updates: UpdatesServices;
  uptime: { uptime: UptimeCheck };
}

/** What a part, or the routes of a part, ask for of others. */
export type Needs<Names extends keyof Services> = Pick<Services, Names>;
