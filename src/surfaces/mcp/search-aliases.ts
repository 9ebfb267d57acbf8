/**
 * Words of users for what operations do, by group or operation ID. The contract does not use them, because each thing
 * has one name there.
 */
const ALIASES: Readonly<Record<string, string>> = {
  'add-site-v1 sites_add': 'connect onboard pair',
  'get-abandoned-plugins-v1 sites_plugins_abandoned get-abandoned-themes-v1 sites_themes_abandoned':
    'maintained unmaintained dead old stale',
  'reconnect-site-v1 reconnect-sites-v1 sites_reconnect sites_reconnect_all': 'connect again lost connection repair',
  'suspend-site-v1 suspend-sites-v1 sites_suspend suspend-client-v1 clients_suspend': 'hold pause exclude',
  'unsuspend-site-v1 sites_unsuspend unsuspend-client-v1 clients_unsuspend': 'resume continue reactivate',
  'check-site-v1 check-sites-v1 sites_check sites_check_all': 'up alive responds',
  'sync-sites-v1 sites_sync_all sites_sync': 'refresh reload fetch data',
  'get-site-changes-v1 sites_changes changes_list': 'who audit happened log history activity',
  'sites_security get-site-security-v1': 'hardening',
  'activate-site-plugins-v1 sites_plugins_activate activate-site-theme-v1 sites_themes_activate': 'enable turn switch',
  'deactivate-site-plugins-v1 sites_plugins_deactivate': 'disable turn switch off',
  'monitors_list monitors_get monitors_list_basic monitors_get_basic':
    'online offline reachable outage availability percentage',
  'monitors_incidents monitors_heartbeat': 'outage downtime when was down',
  'sites_vulnerabilities vulnerabilities_exposures vulnerabilities_list': 'security hole holes weakness insecure risk',
  'time_tracker_list time_tracker_clients_get time_tracker_clients_tasks time_tracker_clients_list':
    'hours worked billable timesheet',
  'time_tracker_buckets_list time_tracker_buckets_get': 'retainer prepaid remaining hours',
  'costs_list get-site-costs-v1 sites_costs get-client-costs-v1 clients_costs':
    'hosting licence license bill spend spending pay renewal expenses yearly monthly',
  'tags_add add-tag-v1 update-site-v1 sites_edit': 'tag label assign group categorise move client',
  'comments_act comments_act_bulk': 'approve unapprove spam trash reply moderate delete',
  users_update_admin_password: 'reset password administrator wordpress',
  users_list: 'accounts editors administrators access who',
  users_create: 'account',
  users_import: 'csv spreadsheet excel bulk',
  pins_set: 'freeze hold lock keep version',
  updates_plan: 'test preview dry run before what would',
  'run-updates-v1 updates_run': 'install upgrade rings staged canary rollout',
  'update-all-v1': 'everything',
  'list-updates-v1 updates_list': 'outdated old available pending plugins themes core versions',
  'ignore-site-plugins-v1 updates_ignore_plugins ignore-site-themes-v1 updates_ignore_themes set-ignored-updates-v1':
    'skip hide exclude',
  'packages_rollback sites_packages_rollback': 'downgrade revert undo old previous version earlier',
  'packages_install sites_packages_install': 'downgrade new plugin theme zip uploaded',
  packages_add: 'upload zip file premium',
  packages_upload: 'zip file premium own',
  'ssl_monitor_info_list ssl_monitor_info_get': 'https expire expiring expiry soon invalid',
  'domain_monitor_profiles_list domain_monitor_profiles_get': 'registrar registration expire expiring expiry soon',
  'perf_audit_list perf_audit_get': 'slow slowest fast score loading',
  jobs_cancel: 'stop abort running kill',
  'jobs_get get-batch-job-status-v1': 'result happened progress finished outcome',
  jobs_retry_failed: 'repeat again',
  'schedules_list schedules_get': 'automatic cron when nightly daily',
  settings_general_edit: 'automatic auto updates backup required rings window',
  settings_advanced_edit: 'retention keep days logs delete old data',
  settings_emails_edit: 'notifications alerts recipients smtp sender',
  'reports_file pro_reports_get pro_reports_clients': 'download pdf print',
  reports_send: 'email mail deliver',
  reports_release: 'approve',
  report_schedules_run: 'create generate now',
  report_schedules_add: 'monthly weekly automatic recurring',
  'report_schedules_preview report_templates_preview': 'look monthly draft',
  'report_templates_add report_templates_edit': 'layout logo branding text design',
  'outbox_list outbox_get': 'arrive arrived delivered failed sent bounced notification',
  me_get: 'whoami current user my permissions rights allowed identity caller',
  keys_add: 'token credential access api colleague',
  keys_rotate: 'renew replace new secret',
  service_users_add: 'colleague teammate invite account',
  roles_add: 'permission rights',
  tools_destroy_sessions: 'log out logout sign logins wordpress',
  tools_renew_connections: 'rotate key certificate',
  modules_edit: 'switch turn on off disable feature',
  'pages_update_status posts_update_status': 'publish unpublish draft trash',
  'posts_list pages_list comments_list': 'newest latest',
  posts_create: 'write article blog publish new',
  'posts_edit pages_edit': 'update content text',
};

/** Words by operation ID. */
export const ALIASES_BY_OPERATION: ReadonlyMap<string, string> = new Map(
  Object.entries(ALIASES).flatMap(([ids, words]) => ids.split(' ').map((id): [string, string] => [id, words])),
);
