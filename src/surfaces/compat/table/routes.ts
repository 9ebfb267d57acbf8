import type { OperationRow } from './rows.ts';

/** REST routes whose input or output differs from that of the established product. */
export const ROUTE_ROWS: readonly OperationRow[] = [
  {
    surface: 'v2',
    operations: ['*'],
    allowsUnknown: true,
    prefix: { mainwp_: 'svc_', non_mainwp_: 'non_svc_', 'non-mainwp-': 'non-svc-' },
    note: 'Settings whose names begin with `svc_` begin with `mainwp_`, in what is sent and in what is answered; \
unknown fields of bodies and queries are ignored at every depth.',
  },
  {
    surface: 'v2',
    operations: ['*'],
    input: { paged: 'page', pre_page: 'per_page' },
    note: 'Pages are also asked for by `paged` and `pre_page`; who sends both spellings means `page` and `per_page`.',
  },
  {
    surface: 'v2',
    operations: ['sites_list', 'sites_get'],
    defaults: { full_data: true },
    note: 'Sites are answered with their plugins, themes and waiting updates unless `full_data=0` or `_fields` is \
sent.',
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
    note: 'An edit of a site takes `note`.',
  },
  {
    surface: 'v2',
    operations: ['sites_add', 'sites_edit'],
    valueMaps: { ssl_verify: { 0: false, 1: true, 2: null } },
    note: '`ssl_verify` of a site is 0, 1 or 2, which means the setting for all.',
  },
  {
    surface: 'v2',
    operations: ['sites_add'],
    input: { admin_username: 'admin' },
    ignoredFields: ['force_use_ipv4', 'sslversion'],
    note: '`force_use_ipv4` and `sslversion` are taken when a site is added, and rule nothing: IPv4 is a setting for \
all sites, and TLS picks its own version.',
  },
  {
    surface: 'v2',
    operations: ['sites_edit'],
    ignoredFields: [
      ...['protocol', 'sslversion', 'force_use_ipv4', 'disablehealthchecking', 'healththreshold', 'automatic_update'],
      ...['backup_before_upgrade', 'monitoring_emails'],
    ],
    note: '`protocol`, `sslversion`, `force_use_ipv4`, `disablehealthchecking`, `healththreshold`, \
`automatic_update`, `backup_before_upgrade` and `monitoring_emails` of a site are taken and rule nothing: they are \
settings for all sites.',
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
    note: 'Costs take `payment_type`, `cost_tracker_status`, `product_color` and `product_slug`; an edit may leave \
fields out.',
  },
  {
    surface: 'v2',
    operations: [
      ...['updates_list', 'updates_get', 'updates_ignored', 'updates_ignored_site', 'updates_run'],
      ...['updates_run_site', 'batch_run'],
    ],
    valueMaps: { type: { wp: 'core' } },
    note: 'The type of updates of WordPress itself may be called `wp`.',
  },
  {
    surface: 'v2',
    operations: ['settings_tools_edit'],
    input: { chatbase: 'chat_widget' },
    note: 'The setting `chat_widget` is taken as `chatbase`.',
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
    note: 'The signature algorithm may be labelled `OPENSSL_ALGO_SHA256 (Default)`; `mainwp_chunksitesnumber`, \
`mainwp_chunksleepinterval`, `mainwp_optimize` and `mainwp_wp_cron` are taken and rule nothing.',
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
    note: '`automatic_daily_update` and `trans_automatic_daily_update` may be lists such as `["1"]`; the fields of \
the legacy backups are taken and rule nothing.',
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
    note: 'A report without dates is of the last year.',
  },
  {
    surface: 'v2',
    operations: ['monitors_count', 'sites_count'],
    note: 'Counts are answered in `count`, and in `total` as well.',
  },
];
