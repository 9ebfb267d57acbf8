import assert from 'node:assert/strict';
import type { Schema } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** The fields of the established product, by the schema that holds ours. */
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
};

describe('every field that users of such records know', () => {
  const contract = readContract('v2');
  const { description } = (contract as unknown as { info: { description: string } }).info;
  const table = description.slice(description.indexOf('## Fields that are left out'));

  for (const [name, fields] of Object.entries(FIELDS))
    it(`when a record is ${name}, then the field is served, or named with the reason why not`, () => {
      const { properties = {} } = contract.components['schemas']?.[name] as Schema;
      for (const field of fields) {
        const served = field in properties;
        const named = table.split('\n').some((line) => line.includes(`\`${field}\``) && line.split('|').length === 5);
        assert.ok(served || named, `${field} is neither`);
      }
    });
});
