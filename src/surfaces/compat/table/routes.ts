import type { OperationRow } from './row-types.ts';

export const ROUTE_ROWS: readonly OperationRow[] = [
  {
    surface: 'v2',
    operations: ['*'],
    allowsUnknown: true,
    prefix: { mainwp_: 'svc_', non_mainwp_: 'non_svc_', 'non-mainwp-': 'non-svc-' },
    note: 'Names of settings start with `mainwp_` instead of `svc_`, in requests and responses. Unknown fields of bodies \
and queries are ignored at every depth.',
  },
  {
    surface: 'v2',
    operations: ['*'],
    input: { paged: 'page', pre_page: 'per_page' },
    note: '`paged` and `pre_page` are accepted for `page` and `per_page`. If a request has both spellings, `page` and \
`per_page` apply.',
  },
  {
    surface: 'v2',
    operations: ['sites_list', 'sites_get'],
    defaults: { full_data: true },
    note: 'Sites contain their plugins, themes and available updates unless the request has `full_data=0` or `_fields`.',
  },
  {
    surface: 'v2',
    operations: ['sites_list'],
    itemFields: { of: 'data', add: { note: '@.notes' } },
    note: 'Sites in a list also have `note`.',
  },
  {
    surface: 'v2',
    operations: ['sites_get', 'sites_edit'],
    responseFields: { data: { $join: ['$.data', { note: '$.data.notes' }] } },
    note: 'A site also has `note`.',
  },
  {
    surface: 'v2',
    operations: ['sites_edit'],
    input: { note: 'notes' },
    note: 'An edit of a site accepts `note`.',
  },
  {
    surface: 'v2',
    operations: ['sites_add', 'sites_edit'],
    valueMaps: { ssl_verify: { 0: false, 1: true, 2: null } },
    note: '`ssl_verify` of a site is 0, 1 or 2; 2 means the setting for all sites.',
  },
  {
    surface: 'v2',
    operations: ['sites_add'],
    input: { admin_username: 'admin' },
    ignoredFields: ['force_use_ipv4', 'sslversion'],
    note: '`force_use_ipv4` and `sslversion` are accepted when a site is added, but have no effect: IPv4 is a setting for \
all sites, and TLS negotiates its version.',
  },
  {
    surface: 'v2',
    operations: ['sites_edit'],
    ignoredFields: [
      ...['protocol', 'sslversion', 'force_use_ipv4', 'disablehealthchecking', 'healththreshold', 'automatic_update'],
      ...['backup_before_upgrade', 'monitoring_emails'],
    ],
    note: '`protocol`, `sslversion`, `force_use_ipv4`, `disablehealthchecking`, `healththreshold`, `automatic_update`, \
`backup_before_upgrade` and `monitoring_emails` of a site are accepted but have no effect: they are settings for \
all sites.',
  },
  {
    surface: 'v2',
    operations: ['costs_add', 'costs_edit'],
    input: {
      payment_type: 'type',
      cost_tracker_status: 'cost_status',
      product_color: 'cost_color',
      product_slug: 'slug',
    },
    ignoredFields: ['icon_hidden'],
    note: 'Costs accept `payment_type`, `cost_tracker_status`, `product_color` and `product_slug`; an edit may omit fields.',
  },
  {
    surface: 'v2',
    operations: [
      ...['updates_list', 'updates_get', 'updates_ignored', 'updates_ignored_site', 'updates_run'],
      ...['updates_run_site', 'batch_run'],
    ],
    valueMaps: { type: { wp: 'core' } },
    note: 'The update type of WordPress itself can also be `wp`.',
  },
  {
    surface: 'v2',
    operations: ['settings_tools_edit'],
    input: { chatbase: 'chat_widget' },
    note: 'The setting `chat_widget` is accepted as `chatbase`.',
  },
  {
    surface: 'v2',
    operations: ['settings_advanced_edit'],
    valueMaps: {
      svc_connect_signature_algo: Object.fromEntries(
        ['1', '224', '256', '384', '512'].flatMap((size) =>
          [`OPENSSL_ALGO_SHA${size}`, `OPENSSL_ALGO_SHA${size} (Default)`, `SHA${size}`].map((label) => [
            label,
            `sha${size}`,
          ]),
        ),
      ),
    },
    ignoredFields: ['mainwp_chunksitesnumber', 'mainwp_chunksleepinterval', 'mainwp_optimize', 'mainwp_wp_cron'],
    note: 'The signature algorithm can have the label `OPENSSL_ALGO_SHA256 (Default)`. `mainwp_chunksitesnumber`, \
`mainwp_chunksleepinterval`, `mainwp_optimize` and `mainwp_wp_cron` are accepted but have no effect.',
  },
  {
    surface: 'v2',
    operations: ['settings_general_edit'],
    ignoredFields: [
      ...['mainwp_primary_backup', 'mainwp_enable_legacy_backup_feature', 'mainwp_backups_on_server'],
      'mainwp_archive_format',
      ...['mainwp_backup_on_external_sources', 'mainwp_notification_on_backup_fail'],
      ...['mainwp_notification_on_backup_start', 'mainwp_chunked_backup_tasks'],
    ],
    note: '`automatic_daily_update` and `trans_automatic_daily_update` can be lists such as `["1"]`. The fields of the \
legacy backups are accepted but have no effect.',
  },
  {
    surface: 'v2',
    operations: [
      ...['plugins', 'themes', 'core', 'posts', 'pages', 'users', 'comments', 'menus', 'media', 'backups'],
      ...['maintenance', 'scanner1', 'scanner2', 'securityplugin1', 'scanner3', 'domainmonitor', 'sslmonitor'],
      ...['shopstatus', 'vulnerable', 'analytics1', 'analytics2', 'perfaudit', 'uptime1', 'uptime', 'feedback1'],
      ...['protect', 'scan', 'website', 'abandoned', 'pending', 'misc', 'get'],
    ].map((segment) => `pro_reports_${segment}`),
    defaults: { start_date: { days_ago: 365 }, end_date: { days_ago: 0 } },
    note: 'A report without dates covers the last year.',
  },
  {
    surface: 'v2',
    operations: ['monitors_count', 'sites_count'],
    note: 'Counts are returned in `count` and in `total`.',
  },
];
