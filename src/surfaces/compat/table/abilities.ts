import { MAINWP_ABILITY_CATEGORIES } from './addresses.ts';
import type { OperationRow, Template } from './row-types.ts';

const SITE_TEMPLATE: Template = { id: '$.site_id', url: '$.site_url', status: '$.status' };

export const ABILITY_ROWS: readonly OperationRow[] = [
  {
    surface: 'abilities',
    operations: ['abilities_list'],
    valueMaps: {
      category: Object.fromEntries(MAINWP_ABILITY_CATEGORIES.map((name) => [`mainwp-${name}`, `svc-${name}`])),
    },
    note: '`category` filters the catalogue, for example `mainwp-sites`.',
  },
  {
    surface: 'abilities',
    operations: [
      ...['delete-site-v1', 'get-abandoned-plugins-v1', 'get-abandoned-themes-v1', 'get-site-security-v1'],
      ...['get-site-changes-v1', 'get-site-client-v1', 'get-site-costs-v1', 'count-sites-v1', 'get-sites-basic-v1'],
      ...['delete-site-plugins-v1', 'delete-site-themes-v1', 'activate-site-plugins-v1', 'activate-site-theme-v1'],
      ...['deactivate-site-plugins-v1', 'check-site-v1', 'reconnect-site-v1', 'disconnect-site-v1'],
      ...['suspend-site-v1', 'unsuspend-site-v1'],
      ...['list-clients-v1', 'count-clients-v1', 'get-client-v1', 'add-client-v1', 'update-client-v1'],
      ...['delete-client-v1', 'get-client-sites-v1', 'count-client-sites-v1', 'get-client-costs-v1'],
      ...['suspend-client-v1', 'unsuspend-client-v1'],
    ],
    allowsUnknown: true,
    rejectedFields: ['confirm', 'dry_run', 'client_facebook', 'client_twitter', 'client_instagram', 'client_linkedin'],
    note: 'Unknown fields are ignored in the same abilities as in the established product: all client abilities, the \
actions on one site and its plugins and themes (except adding, editing and updating the site), \
`get-site-security-v1`, `get-site-changes-v1`, `get-site-client-v1`, `get-sites-basic-v1`, the abandoned lists, \
the counts and the costs.',
  },
  {
    surface: 'abilities',
    operations: ['add-site-v1'],
    input: {
      admin_username: 'admin',
      adminpassword: 'admin_password',
      uniqueid: 'unique_id',
      tag_ids: 'tags',
      verify_certificate: 'ssl_verify',
    },
    valueMaps: { ssl_verify: { 0: false, 1: true, 2: null } },
    note: '`add-site-v1` accepts `admin_username`, `adminpassword`, `uniqueid`, `tag_ids` and `verify_certificate` (0, 1, \
2).',
  },
  {
    surface: 'abilities',
    operations: ['update-site-v1'],
    input: { tag_ids: 'tags' },
    valueMaps: { client_id: { 0: null } },
    note: '`update-site-v1` accepts `tag_ids`, and `client_id` 0 removes the site from its client.',
  },
  {
    surface: 'abilities',
    operations: ['activate-site-plugins-v1', 'deactivate-site-plugins-v1', 'delete-site-plugins-v1'],
    input: { plugins: 'slugs' },
    responseFields: {
      activated: { $each: ['$.activated', { slug: '@' }] },
      deactivated: { $each: ['$.deactivated', { slug: '@' }] },
      deleted: { $each: ['$.deleted', { slug: '@' }] },
      count: { $count: '$.deleted' },
    },
    note: 'The input names plugins in `plugins`; the response has objects with their `slug`.',
  },
  {
    surface: 'abilities',
    operations: ['delete-site-themes-v1'],
    input: { themes: 'slugs' },
    responseFields: { deleted: { $each: ['$.deleted', { slug: '@' }] }, count: { $count: '$.deleted' } },
    note: 'The input names themes in `themes`; the response has objects with their `slug`.',
  },
  {
    surface: 'abilities',
    operations: ['activate-site-theme-v1'],
    input: { theme: 'slug' },
    responseFields: { activated: true, theme: { slug: '$.activated' } },
    note: 'The input names the theme to activate in `theme`. In the response, `activated` is true and `theme` is an object \
with its `slug`.',
  },
  {
    surface: 'abilities',
    operations: ['sync-sites-v1'],
    input: { site_ids: 'site_ids_or_domains' },
    note: '`sync-sites-v1` accepts `site_ids` if `site_ids_or_domains` is missing.',
  },
  {
    surface: 'abilities',
    operations: ['check-site-v1'],
    responseFields: {
      response_time: { $seconds: '$.response_time_ms' },
      site: SITE_TEMPLATE,
      status: {
        online: '$.reachable',
        http_code: '$.http_status',
        response_time: { $seconds: '$.response_time_ms' },
      },
    },
    note: '`check-site-v1` also returns `response_time` in seconds, `site`, and `status` with `online` and `http_code`.',
  },
  {
    surface: 'abilities',
    operations: ['check-sites-v1'],
    responseFields: {
      checked: {
        $each: [
          '$.results',
          {
            id: '@.site_id',
            url: '@.site_url',
            status: {
              online: '@.reachable',
              http_code: '@.http_status',
              response_time: { $seconds: '@.response_time_ms' },
            },
          },
        ],
      },
      total_checked: '$.summary.total_checked',
      total_errors: { $count: '$.errors' },
      total: '$.sites_queued',
    },
    note: '`check-sites-v1` also returns `checked`, `total_checked` and `total_errors`.',
  },
  {
    surface: 'abilities',
    operations: ['reconnect-sites-v1', 'disconnect-sites-v1', 'suspend-sites-v1'],
    responseFields: { total: '$.sites_queued' },
    note: 'A queued request for several sites also returns `total`.',
  },
  {
    surface: 'abilities',
    operations: ['run-updates-v1'],
    responseFields: { updates_queued: '$.sites_queued' },
    note: 'Queued updates also return `updates_queued`, the number of sites.',
  },
  {
    surface: 'abilities',
    operations: ['reconnect-site-v1', 'disconnect-site-v1', 'suspend-site-v1', 'unsuspend-site-v1', 'delete-site-v1'],
    responseFields: { site: SITE_TEMPLATE },
    note: 'Actions on a site also return `site` with its `id`, `url` and `status`.',
  },
  {
    surface: 'abilities',
    operations: ['get-abandoned-plugins-v1'],
    defaults: { per_page: 200 },
    responseFields: { plugins: '$.items' },
    note: '`get-abandoned-plugins-v1` also returns `plugins`; without `site_id_or_domain` it lists the whole fleet.',
  },
  {
    surface: 'abilities',
    operations: ['get-abandoned-themes-v1'],
    defaults: { per_page: 200 },
    responseFields: { themes: '$.items' },
    note: '`get-abandoned-themes-v1` also returns `themes`; without `site_id_or_domain` it lists the whole fleet.',
  },
  {
    surface: 'abilities',
    operations: ['get-site-security-v1'],
    responseFields: {
      security_issues: { $keyed: ['$.security_issues', '@.type', 'N'] },
      total_issues: { $count: '$.security_issues' },
    },
    note: '`security_issues` of `get-site-security-v1` is an object of flags with `N` for each issue, and `total_issues` is \
their number.',
  },
  {
    surface: 'abilities',
    operations: ['get-site-changes-v1'],
    defaults: { per_page: 20 },
    responseFields: { items: '$.changes' },
    note: '`get-site-changes-v1` also returns `items`, by default 20 per page.',
  },
  {
    surface: 'abilities',
    operations: ['get-site-costs-v1'],
    responseFields: { total: { $count: '$.costs' } },
    note: '`get-site-costs-v1` also returns `total`, the number of costs.',
  },
  {
    surface: 'abilities',
    operations: ['get-client-costs-v1'],
    responseFields: { items: '$.costs', total: { $count: '$.costs' } },
    note: '`get-client-costs-v1` also returns `items` and `total`.',
  },
  {
    surface: 'abilities',
    operations: ['get-sites-basic-v1'],
    paged: { from: 'sites', as: 'items', perPage: 20, max: 100 },
    note: '`get-sites-basic-v1` accepts `page` and `per_page` (default 20, at most 100) and returns `items`, without \
`sites`.',
  },
  {
    surface: 'abilities',
    operations: ['list-clients-v1'],
    itemFields: { of: 'items', add: { suspended: { $is: ['@.status', 'suspended'] }, created: '@.created_at' } },
    note: 'Clients in `list-clients-v1` also have `suspended` (0 or 1) and `created`.',
  },
  {
    surface: 'abilities',
    operations: ['get-client-v1', 'add-client-v1', 'update-client-v1'],
    responseFields: { suspended: { $is: ['$.status', 'suspended'] }, created: '$.created_at' },
    note: 'A client also has `suspended` (0 or 1) and `created`.',
  },
  {
    surface: 'abilities',
    operations: ['suspend-client-v1'],
    responseFields: { id: '$.client_id', name: '$.client_name', suspended: 1 },
    note: '`suspend-client-v1` also returns `id` and `name` of the client, and `suspended` 1.',
  },
  {
    surface: 'abilities',
    operations: ['unsuspend-client-v1'],
    responseFields: { id: '$.client_id', name: '$.client_name', suspended: 0 },
    note: '`unsuspend-client-v1` also returns `id` and `name` of the client, and `suspended` 0.',
  },
  {
    surface: 'abilities',
    operations: ['delete-client-v1'],
    responseFields: {
      id: '$.client_id',
      name: '$.client_name',
      would_affect: {
        $join: [
          '$.would_affect',
          { associated_sites_count: '$.would_affect.sites', client: { id: '$.client_id', name: '$.client_name' } },
        ],
      },
    },
    note: '`delete-client-v1` also returns `id` and `name`; its preview contains `client` and `associated_sites_count`.',
  },
  {
    surface: 'abilities',
    operations: ['get-client-sites-v1'],
    defaults: { per_page: 100 },
    responseFields: { items: '$.sites' },
    note: '`get-client-sites-v1` also returns `items`, by default 100.',
  },
  {
    surface: 'abilities',
    operations: ['count-client-sites-v1'],
    responseFields: { total: '$.sites_count' },
    note: '`count-client-sites-v1` also returns `total`.',
  },
  {
    surface: 'abilities',
    operations: ['delete-tag-v1'],
    responseFields: {
      tag: { id: '$.tag_id', name: '$.tag_name' },
      would_affect: {
        $join: [
          '$.would_affect',
          {
            id: '$.tag_id',
            name: '$.tag_name',
            sites_count: '$.would_affect.sites',
            clients_count: '$.would_affect.clients',
          },
        ],
      },
    },
    note: '`delete-tag-v1` also returns `tag`; its preview contains `id`, `name`, `sites_count` and `clients_count`.',
  },
  {
    surface: 'abilities',
    operations: ['get-tag-sites-v1'],
    responseFields: { items: '$.sites' },
    note: '`get-tag-sites-v1` also returns `items`.',
  },
  {
    surface: 'abilities',
    operations: ['get-tag-clients-v1'],
    responseFields: {
      items: {
        $each: ['$.clients', { $join: ['@', { client_id: '@.id' }] }],
      },
    },
    note: '`get-tag-clients-v1` also returns `items`, each with `client_id`.',
  },
  {
    surface: 'abilities',
    operations: ['get-site-updates-v1'],
    responseFields: { rollback_items: { plugins: [], themes: [] } },
    note: '`get-site-updates-v1` also returns `rollback_items`, which is always empty.',
  },
  {
    surface: 'abilities',
    operations: ['update-site-core-v1'],
    responseFields: {
      updated: {
        site_id: '$.site_id',
        site_url: '$.site_url',
        type: 'core',
        slug: 'wordpress',
        name: 'WordPress',
        old_version: '$.old_version',
        new_version: '$.new_version',
      },
    },
    note: '`updated` of `update-site-core-v1` is an object with the update.',
  },
  {
    surface: 'abilities',
    operations: ['update-site-plugins-v1'],
    responseFields: {
      updated: {
        $each: ['$.updated', { $join: [{ site_id: '$.site_id', site_url: '$.site_url', type: 'plugin' }, '@'] }],
      },
      summary: { total_updated: '$.total_updated', total_errors: { $count: '$.errors' } },
    },
    note: '`update-site-plugins-v1` returns site and type of each update, and `summary`.',
  },
  {
    surface: 'abilities',
    operations: ['update-site-themes-v1'],
    responseFields: {
      updated: {
        $each: ['$.updated', { $join: [{ site_id: '$.site_id', site_url: '$.site_url', type: 'theme' }, '@'] }],
      },
      summary: { total_updated: '$.total_updated', total_errors: { $count: '$.errors' } },
    },
    note: '`update-site-themes-v1` returns site and type of each update, and `summary`.',
  },
  {
    surface: 'abilities',
    operations: ['update-site-translations-v1'],
    responseFields: { summary: { total_updated: '$.translations_updated', total_errors: { $count: '$.errors' } } },
    note: '`update-site-translations-v1` also returns `summary`.',
  },
  {
    surface: 'abilities',
    operations: ['list-ignored-updates-v1'],
    defaults: { per_page: 200 },
    note: '`list-ignored-updates-v1` returns 200 items by default.',
  },
  {
    surface: 'abilities',
    operations: ['ignore-site-core-v1'],
    defaults: { action: 'add' },
    responseFields: { ignored_count: 1 },
    note: '`ignore-site-core-v1` adds by default, and also returns `ignored_count`.',
  },
  {
    surface: 'abilities',
    operations: ['ignore-site-plugins-v1', 'ignore-site-themes-v1'],
    defaults: { action: 'add' },
    responseFields: { ignored_count: { $count: '$in.slugs' } },
    note: '`ignore-site-plugins-v1` and `ignore-site-themes-v1` add by default, and also return `ignored_count`, the number \
of slugs in the input.',
  },
  {
    surface: 'abilities',
    operations: ['get-batch-job-status-v1'],
    responseFields: { job_timed_out: false },
    note: '`get-batch-job-status-v1` also returns `job_timed_out`. It is never true, because jobs of this service do not \
time out.',
  },
];
