import { type SiteScope } from '../../shared/site-scope.ts';
import type { V2Parts } from '../../../generated/parts.ts';
import type { SiteRef } from '../../domains/sites/index.ts';
import type { Surface } from '../../http/pipeline.ts';
import type { Services } from '../../service/services.ts';
import { readContract } from '../generated-files.ts';
import { assembleParts, type Part } from '../parts.ts';
import type { BaseAddress } from './base-address.ts';
import { v2ErrorDialect } from './errors.ts';
import type { HandlersOf } from './handlers.ts';
import * as access from './access/routes.ts';
import * as apiBackups from './api-backups/routes.ts';
import * as batch from './batch/routes.ts';
import * as changes from './changes/routes.ts';
import * as childUsers from './child-users/routes.ts';
import * as clients from './clients/routes.ts';
import * as comments from './comments/routes.ts';
import * as content from './content/routes.ts';
import * as costs from './costs/routes.ts';
import * as domainMonitor from './domain-monitor/routes.ts';
import * as inventory from './inventory/routes.ts';
import * as jobs from './jobs/routes.ts';
import * as mail from './mail/routes.ts';
import * as modules from './modules/routes.ts';
import * as packages from './packages/routes.ts';
import * as perfAudit from './perf-audit/routes.ts';
import * as pins from './pins/routes.ts';
import * as proReports from './pro-reports/routes.ts';
import * as reportTemplates from './report-templates/routes.ts';
import * as reportSchedules from './report-schedules/routes.ts';
import * as schedules from './schedules/routes.ts';
import * as security from './security/routes.ts';
import * as settings from './settings/routes.ts';
import * as sites from './sites/routes.ts';
import * as sslMonitor from './ssl-monitor/routes.ts';
import * as tags from './tags/routes.ts';
import * as timeTracker from './time-tracker/routes.ts';
import * as tools from './tools/routes.ts';
import * as updates from './updates/routes.ts';
import * as uptime from './uptime/routes.ts';
import * as vulnerabilities from './vulnerabilities/routes.ts';
import * as vulnerabilityFixes from './vulnerability-fixes/routes.ts';

const parts = {
  access,
  'api-backups': apiBackups,
  batch,
  changes,
  'child-users': childUsers,
  clients,
  comments,
  content,
  costs,
  'domain-monitor': domainMonitor,
  inventory,
  jobs,
  mail,
  modules,
  packages,
  'perf-audit': perfAudit,
  pins,
  'pro-reports': proReports,
  'report-schedules': reportSchedules,
  'report-templates': reportTemplates,
  schedules,
  security,
  settings,
  sites,
  'ssl-monitor': sslMonitor,
  tags,
  'time-tracker': timeTracker,
  tools,
  updates,
  uptime,
  vulnerabilities,
  'vulnerability-fixes': vulnerabilityFixes,
} satisfies { [Name in keyof V2Parts]: Part<Services, BaseAddress, HandlersOf<Name>> };

export function v2Surface(services: Services, context: BaseAddress): Surface {
  const scopeKey = (scope: SiteScope) => services.sites.list.scopeKey(scope);
  const resolveSite = (scope: SiteScope, reference: SiteRef) => services.sites.references.one(scope, reference);
  return {
    contract: readContract('v2'),
    dialect: v2ErrorDialect,
    ...assembleParts(parts, services, context),
    resolveSite,
    scopeKey,
  };
}
