import { SYNC_SECTIONS } from '../connector/child-site.ts';
import { accessPart } from '../domains/access/part.ts';
import { apiBackupsPart } from '../domains/api-backups/part.ts';
import { backupMethodOf, FIRST_SYNC_BACKUP_METHOD } from '../domains/backups/index.ts';
import { backupsPart } from '../domains/backups/part.ts';
import { changesPart } from '../domains/changes/part.ts';
import { childReportsPart } from '../domains/child-reports/part.ts';
import { childUsersPart } from '../domains/child-users/part.ts';
import { countClientsWithTemplate } from '../domains/clients/index.ts';
import { clientsPart } from '../domains/clients/part.ts';
import { commentsPart } from '../domains/comments/part.ts';
import { contentPart } from '../domains/content/part.ts';
import { costsPart } from '../domains/costs/part.ts';
import { digestPart } from '../domains/digest/part.ts';
import { domainMonitorPart } from '../domains/domain-monitor/part.ts';
import { fleetReadsPart } from '../domains/fleet-reads/part.ts';
import { guardFilesPart } from '../domains/guard-files/part.ts';
import { idempotencyPart } from '../domains/idempotency/part.ts';
import { inventoryPart } from '../domains/inventory/part.ts';
import { jobsPart } from '../domains/jobs/part.ts';
import type { ScopeOfOwner } from '../domains/mail/index.ts';
import { mailPart } from '../domains/mail/part.ts';
import { modulesPart } from '../domains/modules/part.ts';
import { packagesPart } from '../domains/packages/part.ts';
import { perfAuditPart } from '../domains/perf-audit/part.ts';
import { pinsPart } from '../domains/pins/part.ts';
import { proReportsPart } from '../domains/pro-reports/part.ts';
import { reportPagesPart } from '../domains/report-pages/part.ts';
import { reportTemplatesPart } from '../domains/report-templates/part.ts';
import { reportSchedulesPart } from '../domains/report-schedules/part.ts';
import { schedulesPart } from '../domains/schedules/part.ts';
import { securityPart } from '../domains/security/part.ts';
import type { Settings } from '../domains/settings/index.ts';
import { settingsPart } from '../domains/settings/part.ts';
import { sitesPart } from '../domains/sites/part.ts';
import { createSslProbe } from '../domains/ssl-monitor/index.ts';
import { sslMonitorPart } from '../domains/ssl-monitor/part.ts';
import { tagsPart } from '../domains/tags/part.ts';
import { timeTrackerPart } from '../domains/time-tracker/part.ts';
import { toolsPart } from '../domains/tools/part.ts';
import { updatesPart } from '../domains/updates/part.ts';
import { uptimePart } from '../domains/uptime/part.ts';
import { vulnerabilitiesPart } from '../domains/vulnerabilities/part.ts';
import { vulnerabilityFixesPart } from '../domains/vulnerability-fixes/part.ts';
import type { Parts } from '../platform/part.ts';
import type { Platform } from '../platform/platform.ts';

export function addServiceParts(parts: Parts, platform: Platform) {
  /*
   * `changesPart` needs a setting, and `settingsPart` needs the change log. The setting is read after both parts exist,
   * so `changes` is added first.
   */
  const changes = parts.add(changesPart(platform, (): number => general().svc_changes_retention_days));
  const settings = parts.add(settingsPart(platform, { changes }));
  const modules = parts.add(modulesPart(platform, { changes }));
  // `accessPart` needs `mail`, and `mail` needs `scopeOfOwner`, which is only called later. So `mail` is added first.
  const scopeOfOwner: ScopeOfOwner = (owner) => access.access.scopeOfOwner(owner);
  const mail = parts.add(mailPart(platform, { changes, modules, settings, scopeOfOwner }));
  const advanced = () => settings.settings.current('advanced');
  const general = (): Settings<'general'> => settings.settings.current('general');
  const deletionCounts = () => parts.all('deletionCounts');
  const sites = parts.add(
    sitesPart(platform, {
      sections: () => parts.all('sections'),
      onReport: () => parts.all('onReport'),
      onSiteDeleted: () => parts.all('onSiteDeleted'),
      deletionCounts,
      changes: changes.changeLog,
      log: changes.childLog,
      probeSsl: createSslProbe(platform.outbound, platform.clock),
      verifyByDefault: () => advanced().svc_ssl_verify_certificate === 1,
      abandonedAfterDays: () => general().numberdays_outdate_plugin_theme,
      wantedSections: () => new Set(SYNC_SECTIONS.filter((name) => advanced().sync_data[name] === 1)),
      countsTranslations: () => general().show_language_updates === 1,
      backupMethodOf,
      likeliestBackupMethod: FIRST_SYNC_BACKUP_METHOD,
    }),
  );
  const jobs = parts.add(jobsPart(platform));
  const reportTemplates = parts.add(
    reportTemplatesPart(platform, { changes, settings, countClients: countClientsWithTemplate }),
  );
  const clients = parts.add(
    clientsPart(platform, {
      changes,
      reportTemplates,
      onClientDeleted: () => parts.all('onClientDeleted'),
      deletionCounts,
      onClientMailChanged: () => parts.all('onClientMailChanged'),
    }),
  );
  const tags = parts.add(tagsPart(platform, { changes, deletionCounts }));
  const uptime = parts.add(uptimePart(platform, { changes, settings, mail, sites }));
  const backups = parts.add(backupsPart(platform));
  const childReports = parts.add(childReportsPart(platform, { sites }));
  const vulnerabilities = parts.add(vulnerabilitiesPart(platform, { changes, mail, modules, settings }));
  parts.add(digestPart(platform, { mail, modules, settings }));
  const access = parts.add(accessPart(platform, { changes, mail }));
  const fleetReads = parts.add(fleetReadsPart(platform, { sites, clients, tags }));
  const inventory = parts.add(inventoryPart(platform, { settings, sites, jobs }));
  const updates = parts.add(
    updatesPart(platform, { backups, changes, jobs, mail, settings, sites, uptime, vulnerabilities }),
  );
  const pins = parts.add(pinsPart(platform, { changes, fleetReads, jobs, sites }));
  const packages = parts.add(packagesPart(platform, { changes, fleetReads, jobs, pins, sites, updates, uptime }));
  const guardFiles = parts.add(guardFilesPart(platform, { mail, packages, settings, sites, updates, uptime }));
  const domainMonitor = parts.add(domainMonitorPart(platform, { changes, settings, mail }));
  const perfAudit = parts.add(perfAuditPart(platform, { clients, mail, modules, settings, sites, tags }));
  const sslMonitor = parts.add(sslMonitorPart(platform, { changes, mail, modules, settings, sites }));
  const timeTracker = parts.add(timeTrackerPart(platform, { changes, settings }));
  const reported = { changes, clients, domainMonitor, inventory, modules, perfAudit, settings, sites, sslMonitor };
  const proReports = parts.add(
    proReportsPart(platform, { ...reported, backups, childReports, timeTracker, updates, uptime, vulnerabilities }),
  );
  const reportPages = parts.add(reportPagesPart(platform, { clients, proReports, reportTemplates, settings }));
  return {
    backups,
    changes,
    childReports,
    settings,
    mail,
    sites,
    jobs,
    clients,
    tags,
    uptime,
    vulnerabilities,
    vulnerabilityFixes: parts.add(
      vulnerabilityFixesPart(platform, {
        guardFiles,
        inventory,
        jobs,
        mail,
        packages,
        settings,
        sites,
        updates,
        vulnerabilities,
      }),
    ),
    fleetReads,
    access,
    apiBackups: parts.add(apiBackupsPart(platform, { backups, changes, settings, sites })),
    childUsers: parts.add(childUsersPart(platform, { sites, jobs, fleetReads })),
    comments: parts.add(commentsPart(platform, { sites })),
    content: parts.add(contentPart(platform, { sites, fleetReads })),
    costs: parts.add(costsPart(platform, { changes, mail, settings })),
    domainMonitor,
    guardFiles,
    idempotency: parts.add(idempotencyPart(platform)),
    inventory,
    modules,
    packages,
    perfAudit,
    pins,
    proReports,
    reportPages,
    reportTemplates,
    reportSchedules: parts.add(
      reportSchedulesPart(platform, { access, changes, mail, modules, proReports, reportPages, settings }),
    ),
    schedules: parts.add(
      schedulesPart(platform, {
        modules,
        settings,
        sites,
        schedules: () => parts.all('schedules'),
        retentions: () => parts.all('retentions'),
      }),
    ),
    security: parts.add(securityPart(platform)),
    timeTracker,
    sslMonitor,
    tools: parts.add(toolsPart(platform, { sites, jobs })),
    updates,
  };
}
