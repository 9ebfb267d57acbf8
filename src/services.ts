import type { AccessServices } from './domains/access/index.ts';
import type { ApiBackupsServices } from './domains/api-backups/index.ts';
import type { BackupsServices } from './domains/backups/index.ts';
import type { ChangesServices } from './domains/changes/index.ts';
import type { ChildReportsServices } from './domains/child-reports/index.ts';
import type { ChildUsersServices } from './domains/child-users/index.ts';
import type { ClientsServices } from './domains/clients/index.ts';
import type { CommentsServices } from './domains/comments/index.ts';
import type { ContentServices } from './domains/content/index.ts';
import type { CostsServices } from './domains/costs/index.ts';
import type { DomainMonitorServices } from './domains/domain-monitor/index.ts';
import type { FleetReadsServices } from './domains/fleet-reads/index.ts';
import type { IdempotencyServices } from './domains/idempotency/index.ts';
import type { InventoryServices } from './domains/inventory/index.ts';
import type { JobsServices } from './domains/jobs/index.ts';
import type { MailServices } from './domains/mail/index.ts';
import type { ModulesServices } from './domains/modules/index.ts';
import type { PerfAuditServices } from './domains/perf-audit/index.ts';
import type { ProReportsServices } from './domains/pro-reports/index.ts';
import type { ReportPagesServices } from './domains/report-pages/index.ts';
import type { SchedulesServices } from './domains/schedules/index.ts';
import type { SecurityServices } from './domains/security/index.ts';
import type { SettingsServices } from './domains/settings/index.ts';
import type { SitesServices } from './domains/sites/index.ts';
import type { SslMonitorServices } from './domains/ssl-monitor/index.ts';
import type { TagsServices } from './domains/tags/index.ts';
import type { TimeTrackerServices } from './domains/time-tracker/index.ts';
import type { ToolsServices } from './domains/tools/index.ts';
import type { UpdatesServices } from './domains/updates/index.ts';
import type { UptimeServices } from './domains/uptime/index.ts';
import type { VulnerabilitiesServices } from './domains/vulnerabilities/index.ts';

/** What each part owns, and the surfaces may ask for. */
export interface Services {
  access: AccessServices;
  apiBackups: ApiBackupsServices;
  backups: BackupsServices;
  changes: ChangesServices;
  childReports: ChildReportsServices;
  childUsers: ChildUsersServices;
  clients: ClientsServices;
  comments: CommentsServices;
  content: ContentServices;
  costs: CostsServices;
  domainMonitor: DomainMonitorServices;
  fleetReads: FleetReadsServices;
  idempotency: IdempotencyServices;
  inventory: InventoryServices;
  jobs: JobsServices;
  mail: MailServices;
  modules: ModulesServices;
  perfAudit: PerfAuditServices;
  proReports: ProReportsServices;
  reportPages: ReportPagesServices;
  schedules: SchedulesServices;
  security: SecurityServices;
  settings: SettingsServices;
  sites: SitesServices;
  sslMonitor: SslMonitorServices;
  tags: TagsServices;
  timeTracker: TimeTrackerServices;
  tools: ToolsServices;
  updates: UpdatesServices;
  uptime: UptimeServices;
  vulnerabilities: VulnerabilitiesServices;
}

/** What the routes of a part ask for. */
export type Needs<Names extends keyof Services> = Pick<Services, Names>;
