import type { AddressRow } from './row-types.ts';

export const MAINWP_MOUNT_PATHS = {
  abilities: '/wp-json/wp-abilities/v1',
  v2: '/wp-json/mainwp/v2',
} as const;

export const MAINWP_ABILITY_CATEGORIES = ['sites', 'updates', 'clients', 'tags', 'batch'] as const;

export const ADDRESS_ROWS: readonly AddressRow[] = [
  {
    surface: 'abilities',
    theirs: '/abilities',
    ours: '/',
    note: 'The catalogue is at `/abilities`. It is an array without a wrapper, with the headers `X-WP-Total`, \
`X-WP-TotalPages` and `Link`.',
  },
  {
    surface: 'abilities',
    theirs: '/abilities/mainwp/{name}',
    ours: '/svc/{name}',
    note: 'Abilities have the name `mainwp/<name>`; the description of one is at `/abilities/mainwp/<name>`.',
  },
  {
    surface: 'abilities',
    theirs: '/abilities/mainwp/update-all-v1/run',
    ours: '/svc/run-updates-v1/run',
    note: '`update-all-v1` lists each installed update, like `run-updates-v1`; without types it installs all.',
  },
  {
    surface: 'abilities',
    theirs: '/abilities/mainwp/{name}/run',
    ours: '/svc/{name}/run',
    note: 'Abilities run at `/abilities/mainwp/<name>/run`.',
  },
  {
    surface: 'abilities',
    theirs: '/categories',
    ours: '/categories',
    note: 'Categories are at `/categories`; their slugs begin with `mainwp-`.',
  },
  {
    surface: 'abilities',
    theirs: '/categories/{slug}',
    ours: '/categories/{slug}',
    note: 'One category is at `/categories/<slug>`.',
  },
  ...MAINWP_ABILITY_CATEGORIES.map((name): AddressRow => ({
    surface: 'abilities',
    theirs: `/categories/mainwp-${name}`,
    ours: `/categories/svc-${name}`,
    note: `The category of ${name} is \`mainwp-${name}\`.`,
  })),
  {
    surface: 'v2',
    theirs: '/sites/{x}/non-mainwp-changes',
    ours: '/sites/{x}/non-svc-changes',
    note: 'The changes of a site are at `/sites/{site}/non-mainwp-changes`.',
  },
  {
    surface: 'v2',
    theirs: '/sites/{x}/non-mainwp-changes/monthly',
    ours: '/sites/{x}/non-svc-changes/monthly',
    note: 'The monthly counts of these changes are new; they are at `/sites/{site}/non-mainwp-changes/monthly`.',
  },
  {
    surface: 'v2',
    theirs: '/updates/{x}/update/wp',
    ours: '/updates/{x}/update/core',
    note: 'The update of WordPress itself is at `/updates/{site}/update/wp`.',
  },
  {
    surface: 'v2',
    theirs: '/updates/{x}/ignore/wp',
    ours: '/updates/{x}/ignore/core',
    note: 'The request that ignores updates of WordPress itself is at `/updates/{site}/ignore/wp`.',
  },
  {
    surface: 'v2',
    theirs: '/lighthouse/audit',
    ours: '/perf-audit/audit',
    note: 'Performance audits start at `/lighthouse/audit`.',
  },
  {
    surface: 'v2',
    theirs: '/lighthouse/audit/{x}',
    ours: '/perf-audit/audit/{x}',
    note: 'The audit of a site starts at `/lighthouse/audit/{site}`.',
  },
  {
    surface: 'v2',
    theirs: '/lighthouse/results',
    ours: '/perf-audit/results',
    note: 'Results of performance audits are at `/lighthouse/results`.',
  },
  {
    surface: 'v2',
    theirs: '/lighthouse/results/{x}',
    ours: '/perf-audit/results/{x}',
    note: 'The results of a site are at `/lighthouse/results/{site}`.',
  },
  {
    surface: 'v2',
    theirs: '/settings/emails/lighthouse_noti_email/edit',
    ours: '/settings/emails/perf_audit_noti_email/edit',
    note: 'The mail of performance audits has the type `lighthouse_noti_email`.',
  },
  ...Object.entries({
    wordpress: 'core',
    sucuri: 'scanner1',
    wordfence: 'scanner2',
    virusdie: 'scanner3',
    ithemes: 'securityplugin1',
    woocomstatus: 'shopstatus',
    ga: 'analytics1',
    matomo: 'analytics2',
    lighthouse: 'perfaudit',
    aum: 'uptime1',
    atarim: 'feedback1',
  }).map(([theirs, ours]): AddressRow => ({
    surface: 'v2',
    theirs: `/pro-reports/{x}/${theirs}`,
    ours: `/pro-reports/{x}/${ours}`,
    note: `The segment \`${theirs}\` of a report is \`${ours}\` in this service.`,
  })),
];
