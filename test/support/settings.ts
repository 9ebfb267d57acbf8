import type { World } from './world.ts';

/** The defaults of the advanced settings. */
export const ADVANCED_DEFAULTS = {
  svc_maximum_requests: 32,
  svc_minimum_delay: 0,
  svc_maximum_ip_requests: 4,
  svc_minimum_ip_delay: 0,
  svc_maximum_sync_requests: 32,
  svc_maximum_install_update_requests: 8,
  svc_maximum_uptime_monitoring_requests: 50,
  svc_ssl_verify_certificate: 1,
  svc_force_use_ipv4: 0,
  svc_verify_connection_method: 1,
  svc_connect_signature_algo: 'sha256',
  sync_data: {
    core_updates: 1,
    plugin_updates: 1,
    theme_updates: 1,
    translation_updates: 1,
    security_stats: 1,
    plugins: 1,
    themes: 1,
    plugins_outdate_info: 1,
    themes_outdate_info: 1,
    health_site_status: 1,
    child_site_actions_data: 1,
  },
  svc_rest_batch_items_limit: 100,
};

/** Changes settings. They apply from the next call on. */
export const editSettings = (world: World, group: string, body: object, expect = 200) =>
  world.request('PUT', `/api/v2/settings/${group}/edit`, { body, expect });
