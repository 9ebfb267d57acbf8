import assert from 'node:assert/strict';
import type { Schema } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Fields of the established product, by the schema of the same record. */
const FIELDS: Readonly<Record<string, string[]>> = {
  Site: words(`id name url tags note ip client_id is_staging wp_version php_version child_version mysql_version
    memory_limit database_size active_theme status sync_errors http_status health_status health_score icon last_sync
    plugins themes last_post_time recent_posts recent_pages recent_comments categories wp_upgrades plugin_upgrades
    premium_upgrades theme_upgrades translation_upgrades ignored_plugins ignored_themes is_ignoreCoreUpdates
    is_ignorePluginUpdates is_ignoreThemeUpdates verify_certificate force_use_ipv4 ssl_version suspended`),
  SiteAdd: words(
    `url admin adminpassword uniqueid name groupids client_id ssl_verify force_use_ipv4 http_user http_pass`,
  ),
  SiteEdit: words(`name adminname groupids client_id uniqueid http_user http_pass protocol sslversion force_use_ipv4
    disablehealthchecking healththreshold suspended automatic_update backup_before_upgrade ignore_core_updates
    ignore_plugin_updates ignore_theme_updates monitoring_emails`),
  Cost: words(`id name url type product_type slug license_type cost_status payment_method price renewal_type
    last_renewal next_renewal last_alert cost_icon cost_color sites groups clients note`),
  CostAdd: words(`name price payment_type product_type license_type cost_tracker_status product_color payment_method
    renewal_type last_renewal sites groups clients product_slug url note icon_hidden`),
  GeneralSettings:
    words(`time_daily_update frequency_daily_update date_format time_format timezone_string sidebar_position
    hide_update_everything svc_widgets plugin_automatic_daily_update theme_automatic_daily_update
    trans_automatic_daily_update automatic_daily_update frequency_auto_update time_auto_update dayinweek_auto_update
    dayinmonth_auto_update delay_autoupdate show_language_updates disable_update_confirmations check_http_response
    check_http_response_method backup_before_upgrade backup_before_upgrade_days numberdays_outdate_plugin_theme
    svc_primary_backup svc_enable_legacy_backup_feature svc_backups_on_server svc_backup_on_external_sources
    svc_archive_format svc_notification_on_backup_fail svc_notification_on_backup_start svc_chunked_backup_tasks`),
  AdvancedSettings: words(`svc_maximum_requests svc_minimum_delay svc_maximum_ip_requests svc_minimum_ip_delay
    svc_chunksitesnumber svc_chunksleepinterval svc_maximum_sync_requests svc_maximum_install_update_requests
    svc_maximum_uptime_monitoring_requests svc_optimize svc_cron svc_ssl_verify_certificate svc_verify_connection_method
    svc_connect_signature_algo svc_force_use_ipv4 sync_data`),
  SyncDataSettings: words(`core_updates plugin_updates theme_updates translation_updates recent_comments
    recent_posts recent_pages security_stats directories categories totalsize dbsize plugins themes users
    plugins_outdate_info themes_outdate_info health_site_status child_site_actions_data othersData`),
  MonitoringSettings: words(`svc_uptime_monitoring_active svc_uptime_monitoring_type svc_uptime_monitoring_method
    svc_uptime_monitoring_interval svc_uptime_monitoring_timeout svc_uptime_monitoring_up_status_codes
    svc_uptime_monitoring_down_confirmation_check svc_uptime_monitoring_keyword svc_disable_sites_health_monitoring
    svc_sitehealth_threshold`),
  EmailSettings: words('type heading subject recipients disable deactivated_license_alert time_tracker_noti_email'),
  BackupProviderEdit: words(`enabled url site_path username password account_email company_id secrets`),
  BackupProviderMap: words('cloudways gridpane vultr linode digitalocean cpanel plesk kinsta'),
  CostTrackerSettings: words(`currency currency_position thousand_separator decimal_separator decimals`),
  DashboardInsightsSettings: words('enable_insights_logging'),
  ToolsSettings: words('svc_theme guided_tours chat_widget guided_video'),
};

describe('fields that users of similar APIs know', () => {
  const contract = readContract('v2');
  const { description } = (contract as unknown as { info: { description: string } }).info;
  const table = description.slice(description.indexOf('## Omitted fields'));

  for (const [name, fields] of Object.entries(FIELDS))
    it(`when a record is ${name}, then each such field is served or is listed with a reason`, () => {
      const { properties = {} } = (contract.components['schemas']?.[name] ?? assert.fail()) as Schema;
      for (const field of fields) {
        const served = field in properties;
        const named = table.split('\n').some((line) => line.includes(`\`${field}\``) && line.split('|').length === 5);
        assert.ok(served || named, `${field} is neither`);
      }
    });
});
