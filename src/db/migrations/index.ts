import type { Knex } from 'knex';
import { StartupError } from '../../shared/startup-error.ts';
import { isMysql, withoutStatementTimeout } from '../dialect.ts';
import { inTransaction } from '../transaction.ts';
import { createAccess } from './20261121T1100_create_access.ts';
import { createSites } from './20261121T1110_create_sites.ts';
import { createSyncedState } from './20261121T1120_create_synced_state.ts';
import { createCosts } from './20261121T1130_create_costs.ts';
import { createOperation } from './20261121T1140_create_operation.ts';
import { createIgnoredUpdates } from './20261121T1230_create_ignored_updates.ts';
import { createIdempotentCalls } from './20261121T1500_create_idempotent_calls.ts';
import { createSiteTurns } from './20261121T1510_create_site_turns.ts';
import { extendClients } from './20261121T1610_extend_clients.ts';
import { extendCosts } from './20261121T1620_extend_costs.ts';
import { widenItemIdentifiers } from './20261122T0230_widen_item_identifiers.ts';
import { postponeJobItems } from './20261122T0240_postpone_job_items.ts';
import { readChangesByFractions } from './20261122T0245_read_changes_by_fractions.ts';
import { namePendingAdministrators } from './20261122T0250_name_pending_administrators.ts';
import { rememberEndpoints } from './20261122T0255_remember_endpoints.ts';
import { createSelfChecks } from './20261122T0300_create_self_checks.ts';
import { spellChangesOneWay } from './20261122T0310_spell_changes_one_way.ts';
import { createAlerts } from './20261122T0820_create_alerts.ts';
import { dateKeys } from './20261122T0830_date_keys.ts';
import { createDismissedMessages } from './20261122T0831_create_dismissed_messages.ts';
import { knowBackups } from './20261122T0832_know_backups.ts';
import { moveDaysOfAbandoned } from './20261122T0835_move_days_of_abandoned.ts';
import { createSchedules } from './20261122T0850_create_schedules.ts';
import { markBrokenSites } from './20261122T0855_mark_broken_sites.ts';
import { createMails } from './20261122T0900_create_mails.ts';
import { countRenewals } from './20261122T0905_count_renewals.ts';
import { createMonitors } from './20261122T0915_create_monitors.ts';
import { stageJobs } from './20261122T0925_stage_jobs.ts';
import { createBackupProviders } from './20261122T0930_create_backup_providers.ts';
import { createCostOptions } from './20261122T0945_create_cost_options.ts';
import { nameHoldersOfMonitors } from './20261122T1200_name_holders_of_monitors.ts';
import { createSiteLeases } from './20261122T1210_create_site_leases.ts';
import { createSslMonitors } from './20261122T1215_create_ssl_monitors.ts';
import { createDomainMonitor } from './20261122T1220_create_domain_monitor.ts';
import { createPerformanceAudits } from './20261122T1225_create_performance_audits.ts';
import { createTimeTracker } from './20261122T1230_create_time_tracker.ts';
import { createVulnerabilities } from './20261122T1235_create_vulnerabilities.ts';
import { nameChangedThings } from './20261122T1240_name_changed_things.ts';
import { countChanges } from './20261122T1245_count_changes.ts';
import { countChangesByTime } from './20261122T1500_count_changes_by_time.ts';
import { tellChangesApart } from './20261122T1505_tell_changes_apart.ts';
import { attachFilesToMails } from './20261122T1530_attach_files_to_mails.ts';
import { createReportSchedules } from './20261122T1535_create_report_schedules.ts';
import { countSettingsChanges } from './20261122T1550_count_settings_changes.ts';
import { writeFeedsAside } from './20261122T1555_write_feeds_aside.ts';
import { knowServerOfSite } from './20261122T1640_know_server_of_site.ts';
import { findSoftwareWithoutIndex } from './20261123T0840_find_software_without_index.ts';
import { mergeAffectedSoftware } from './20261124T1330_merge_affected_software.ts';
import { compareSoftwareAgain } from './20261124T1335_compare_software_again.ts';
import { composeNames } from './20261124T1340_compose_names.ts';
import { nameInternationalSites } from './20261124T1345_name_international_sites.ts';
import { countEndedItems } from './20261124T1425_count_ended_items.ts';
import { judgeStages } from './20261124T1430_judge_stages.ts';
import { numberReportsOfSites } from './20261124T1430_number_reports_of_sites.ts';
import { createCallLeases } from './20261124T1700_create_call_leases.ts';
import { storeReportedAddresses } from './20261124T1740_store_reported_addresses.ts';
import { storeWatchedSpans } from './20261124T1800_store_watched_spans.ts';
import { giveClientsTimeZones } from './20261124T1820_give_clients_time_zones.ts';
import { createReportTemplates } from './20261127T0230_create_report_templates.ts';
import { markRecentItems } from './20261127T0230_mark_recent_items.ts';
import { keepOpenUpdates } from './20261127T0320_keep_open_updates.ts';
import { nameMailSenders } from './20261127T0900_name_mail_senders.ts';
import { shareReports } from './20261127T0930_share_reports.ts';
import { holdFirstReports } from './20261127T1000_hold_first_reports.ts';
import { storeReportLanguages } from './20261127T1030_store_report_languages.ts';
import { indexChangesByTypeAndActor } from './20261127T1100_index_changes_by_type_and_actor.ts';
import { storeMailLooks } from './20261127T1200_store_mail_looks.ts';
import { dateSiteStates } from './20261127T1700_date_site_states.ts';
import { createRoles } from './20261128T0050_create_roles.ts';
import { limitApiKeys } from './20261128T0110_limit_api_keys.ts';
import { countKeyUsage } from './20261128T0120_count_key_usage.ts';
import { limitCredentials } from './20261128T0130_limit_credentials.ts';
import { limitJobs } from './20261128T0330_limit_jobs.ts';
import { limitMadeKeys } from './20261128T0340_limit_made_keys.ts';
import { orderLists } from './20261128T0420_order_lists.ts';
import { markCountedChanges } from './20261128T0530_mark_counted_changes.ts';
import { ownReportSchedules } from './20261128T0540_own_report_schedules.ts';
import { createMailSites } from './20261128T0550_create_mail_sites.ts';
import { createKeptReportSites } from './20261128T0600_create_kept_report_sites.ts';
import { judgeDomainDates } from './20261128T0610_judge_domain_dates.ts';
import { createVersionPins } from './20261128T0620_create_version_pins.ts';
import { createPackages } from './20261128T0710_create_packages.ts';
import { createPackageInstalls } from './20261128T0730_create_package_installs.ts';
import { createPackageDeliveries } from './20261128T0720_create_package_deliveries.ts';
import { keepPriceDigits } from './20261128T0810_keep_price_digits.ts';
import { storeShownClients } from './20261128T1050_store_shown_clients.ts';
import { createGuardFiles } from './20261129T1000_create_guard_files.ts';
import { holdNewReleases } from './20261129T5000_hold_new_releases.ts';
import { clockVulnerabilities } from './20261129T5010_clock_vulnerabilities.ts';
import { createVulnerabilityFixes } from './20261130T5000_create_vulnerability_fixes.ts';
import { recordPluginSwitches } from './20261201T1000_record_plugin_switches.ts';
import { timeChangedFixes } from './20261201T5010_time_changed_fixes.ts';
import { guardActivations } from './20261202T1000_guard_activations.ts';
import { guardFilesPerSite } from './20261202T3010_guard_files_per_site.ts';
import { rereadUnsureFeeds } from './20261202T6010_reread_unsure_feeds.ts';
import { createUserCreations } from './20261203T3010_create_user_creations.ts';
import { repairLastRenewals } from './20261203T4010_repair_last_renewals.ts';
import { markExpiringChanges } from './20261204T2010_mark_expiring_changes.ts';
import { appliedMigrations, MIGRATIONS_TABLE, recordMigration, withMigrationLock } from './migration-tables.ts';
import { ensureProgressTable, resumeMigration } from './resumed-migration.ts';
import type { Migration, MigrationLog } from './columns.ts';

/** In the order in which they are applied. Never edit a released migration: add a new one. */
export const MIGRATIONS: readonly Migration[] = [
  createAccess,
  createSites,
  createSyncedState,
  createCosts,
  createOperation,
  createIgnoredUpdates,
  createIdempotentCalls,
  createSiteTurns,
  extendClients,
  extendCosts,
  widenItemIdentifiers,
  postponeJobItems,
  readChangesByFractions,
  namePendingAdministrators,
  rememberEndpoints,
  createSelfChecks,
  spellChangesOneWay,
  createAlerts,
  dateKeys,
  createDismissedMessages,
  knowBackups,
  moveDaysOfAbandoned,
  createSchedules,
  markBrokenSites,
  createMails,
  countRenewals,
  createMonitors,
  stageJobs,
  createBackupProviders,
  createCostOptions,
  nameHoldersOfMonitors,
  createSiteLeases,
  createSslMonitors,
  createDomainMonitor,
  createPerformanceAudits,
  createTimeTracker,
  createVulnerabilities,
  nameChangedThings,
  countChanges,
  countChangesByTime,
  tellChangesApart,
  attachFilesToMails,
  createReportSchedules,
  countSettingsChanges,
  writeFeedsAside,
  knowServerOfSite,
  findSoftwareWithoutIndex,
  mergeAffectedSoftware,
  compareSoftwareAgain,
  composeNames,
  nameInternationalSites,
  countEndedItems,
  judgeStages,
  numberReportsOfSites,
  createCallLeases,
  storeReportedAddresses,
  storeWatchedSpans,
  giveClientsTimeZones,
  createReportTemplates,
  markRecentItems,
  keepOpenUpdates,
  nameMailSenders,
  shareReports,
  holdFirstReports,
  storeReportLanguages,
  indexChangesByTypeAndActor,
  storeMailLooks,
  dateSiteStates,
  createRoles,
  limitApiKeys,
  countKeyUsage,
  limitCredentials,
  limitJobs,
  limitMadeKeys,
  orderLists,
  markCountedChanges,
  ownReportSchedules,
  createMailSites,
  createKeptReportSites,
  judgeDomainDates,
  createVersionPins,
  createPackages,
  createPackageDeliveries,
  createPackageInstalls,
  keepPriceDigits,
  storeShownClients,
  createGuardFiles,
  holdNewReleases,
  clockVulnerabilities,
  createVulnerabilityFixes,
  recordPluginSwitches,
  timeChangedFixes,
  guardActivations,
  guardFilesPerSite,
  rereadUnsureFeeds,
  createUserCreations,
  repairLastRenewals,
  markExpiringChanges,
];

const source: Knex.MigrationSource<Migration> = {
  getMigrations: () => Promise.resolve([...MIGRATIONS]),
  getMigrationName: (migration) => migration.name,
  getMigration: ({ down }) => Promise.resolve({ up: () => Promise.resolve(), down }),
};

/**
 * Knex only reverts migrations here. It must not apply them: it lists the missing ones before it takes its lock, so two
 * processes could apply the same one.
 */
const options: Knex.MigratorConfig = {
  migrationSource: source,
  // MySQL commits DDL implicitly, so a transaction around it would have no effect.
  disableTransactions: true,
  tableName: MIGRATIONS_TABLE,
};

export interface MigrationStatus {
  name: string;
  applied: boolean;
}

/**
 * Applies the missing migrations and returns their names. If several processes call this at once, one applies them and
 * the others wait. Once `signal` is aborted, no further migration begins. Throws `StartupError` if a later release has
 * migrated the database.
 */
export async function migrateUp(
  database: Knex,
  log: MigrationLog = () => undefined,
  signal?: AbortSignal,
): Promise<string[]> {
  // On SQLite, each migration waits for other writers as a whole.
  const run = isMysql(database) ? withoutStatementTimeout : runDirectly;
  return run(database, async (knex) => {
    if ((await missingMigrations(knex)).length === 0) return [];
    return withMigrationLock(knex, async () => {
      const applied: string[] = [];
      if (isMysql(knex)) await ensureProgressTable(knex);
      for (const migration of await missingMigrations(knex)) {
        if (signal?.aborted) break;
        await apply(knex, migration, log);
        applied.push(migration.name);
      }
      return applied;
    });
  });
}

const runDirectly = <T>(knex: Knex, work: (knex: Knex) => Promise<T>): Promise<T> => work(knex);

const apply = (knex: Knex, { name, up }: Migration, log: MigrationLog): Promise<void> =>
  inTransaction(knex, async ({ trx }) => {
    await (isMysql(knex) ? resumeMigration(trx, name, () => up(trx, log)) : up(trx, log));
    await recordMigration(trx, name);
  });

async function missingMigrations(knex: Knex): Promise<Migration[]> {
  const applied = await appliedMigrations(knex);
  const unknown = applied.find((name) => !MIGRATIONS.some((known) => known.name === name));
  if (unknown !== undefined)
    throw new StartupError(
      `A later release has migrated the database (${unknown}). Start that release, or restore a backup from before.`,
    );
  return MIGRATIONS.filter(({ name }) => !applied.includes(name));
}

export async function migrateDown(knex: Knex): Promise<string[]> {
  return withoutStatementTimeout(knex, async (migrating) => {
    const [, names] = (await migrating.migrate.down(options)) as [number, string[]];
    return names;
  });
}

export async function migrationStatus(knex: Knex): Promise<MigrationStatus[]> {
  const applied = new Set(await appliedMigrations(knex));
  return MIGRATIONS.map(({ name }) => ({ name, applied: applied.has(name) }));
}
