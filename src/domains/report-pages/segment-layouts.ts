import type { SegmentName } from '../pro-reports/index.ts';

export type FieldFormat =
  | 'text'
  | 'badge'
  | 'number'
  | 'score'
  | 'percent'
  | 'minutes'
  | 'seconds'
  | 'ms'
  /** Number of days until an expiry. */
  | 'expiry'
  | 'moment'
  | 'spans'
  | 'day'
  /** Time in UTC whose time of day is not reliable. */
  | 'date';

export type LabeledFields = Readonly<Record<string, readonly [label: string, kind: FieldFormat]>>;

export interface PartLayout {
  /** Columns of the table. A column without any value is omitted. */
  columns?: LabeledFields;
  facts?: LabeledFields;
  /** Labels of the counts that are shown. */
  counts?: Readonly<Record<string, string>>;
  only?: (item: Readonly<Record<string, unknown>>) => boolean;
}

/** By default, all counts are shown with their own names if there is no `state`. */
export interface SegmentLayout extends PartLayout {
  title: string;
  /** Says which changes a site does not log, so that nobody takes the counts for all changes. */
  note?: string;
  /**
   * Values that are not about the period of the report. `readAt` is the value of the summary that says when they were
   * read. By default, they were read when the report was made.
   */
  state?: PartLayout & { readAt?: string };
}

const ACTION = { action: ['Action', 'badge'] } as const;
const WHEN = { date: ['When', 'moment'] } as const;
const BY = { author: ['By', 'text'] } as const;
const VERSIONS = { old_version: ['From', 'text'], new_version: ['To', 'text'] } as const;

const columnsOfNamedItems = (label: string): LabeledFields => ({
  name: [label, 'text'],
  ...ACTION,
  ...VERSIONS,
  ...WHEN,
  ...BY,
});
const columnsOfTitledItems = (label: string): LabeledFields => ({ title: [label, 'text'], ...ACTION, ...WHEN, ...BY });
/**
 * The changes log of a child plugin can lack a post or page that a program inserts (protocol 4.9). A sync finds it in
 * the lists of recent ones.
 */
const unloggedAdditions = (items: string): string =>
  `The site does not log all ${items} that apps and other programs add. Others are found at the next sync, so private ` +
  'ones, ones that were deleted before it, and more than 30 at once can be missing.';
const scans: LabeledFields = {
  ...WHEN,
  result: ['Result', 'badge'],
  status: ['Result', 'badge'],
  webtrust: ['Trust', 'badge'],
  issues: ['Issues', 'number'],
  details: ['Details', 'text'],
};
const threats: LabeledFields = {
  name: ['Name', 'text'],
  version: ['Version', 'text'],
  title: ['Threat', 'text'],
  severity: ['Severity', 'badge'],
  fixed_in: ['Fixed in', 'text'],
};
const visits: LabeledFields = {
  date: ['Day', 'day'],
  visits: ['Visits', 'number'],
  pageviews: ['Page views', 'number'],
};
const online: LabeledFields = { ratio_all: ['Online in this period', 'percent'] };

/** Layouts of the segments, ordered for clients: completed work, state of the site, changes, open work. */
export const SEGMENT_LAYOUTS: Readonly<Record<SegmentName, SegmentLayout>> = {
  core: { title: 'WordPress', columns: { ...ACTION, ...VERSIONS, ...WHEN, ...BY } },
  plugins: { title: 'Plugins', columns: columnsOfNamedItems('Plugin') },
  themes: { title: 'Themes', columns: columnsOfNamedItems('Theme') },
  uptime: {
    title: 'Availability',
    facts: {
      ...online,
      downtime_minutes: ['Downtime', 'minutes'],
      watched_since: ['Watched since', 'moment'],
      gaps: ['Not watched', 'spans'],
      estimated_until: ['Computed from incidents until', 'moment'],
      response_avg: ['Average response time', 'ms'],
      response_max: ['Slowest response', 'ms'],
    },
    counts: { incidents: 'Incidents' },
    columns: {
      started_at: ['Down since', 'moment'],
      ended_at: ['Up again', 'moment'],
      downtime_minutes: ['Downtime', 'minutes'],
      cause: ['Cause', 'text'],
    },
    only: ({ kind }) => kind === 'incident',
    state: { readAt: 'last_check', facts: { status: ['State', 'badge'], last_check: ['Last check', 'moment'] } },
  },
  uptime1: { title: 'Availability (external measurement)', facts: online },
  sslmonitor: {
    title: 'Certificate',
    state: {
      facts: {
        status: ['State', 'badge'],
        days_left: ['Expiry', 'expiry'],
        name: ['Issued for', 'text'],
        issuer: ['Issued by', 'text'],
        valid_from: ['Valid from', 'moment'],
        valid_to: ['Valid to', 'moment'],
        last_check: ['Last check', 'moment'],
      },
    },
  },
  domainmonitor: {
    title: 'Domain',
    state: {
      facts: {
        domain_name: ['Domain', 'text'],
        status: ['State', 'badge'],
        days_left: ['Expiry', 'expiry'],
        registrar: ['Registrar', 'text'],
        creation_date: ['Registered', 'date'],
        updated_date: ['Changed', 'date'],
        expiry_date: ['Expires', 'date'],
        last_check: ['Last check', 'moment'],
      },
    },
  },
  backups: {
    title: 'Backups',
    columns: { ...WHEN, type: ['Type', 'text'], destination: ['Destination', 'text'], size: ['Size', 'text'] },
    counts: { created: 'Created' },
  },
  vulnerable: {
    title: 'Vulnerabilities',
    columns: {
      name: ['Software', 'text'],
      version: ['Version', 'text'],
      title: ['Description', 'text'],
      severity: ['Severity', 'badge'],
      detected_at: ['Known since', 'moment'],
      resolved_at: ['Fixed', 'moment'],
      fixed_in: ['Fixed in', 'text'],
    },
    counts: { open: 'Open at the end of the period', resolved: 'Fixed in the period' },
    state: { counts: { open_now: 'Open' }, facts: { check_date: ['Last check', 'moment'] } },
  },
  scanner1: { title: 'Security scans', columns: scans },
  scanner2: { title: 'Malware scans', columns: scans },
  securityplugin1: { title: 'Security checks', columns: scans },
  scanner3: { title: 'Further scans', columns: scans },
  protect: { title: 'Threats', columns: threats },
  scan: { title: 'Scan for threats', columns: threats },
  perfaudit: {
    title: 'Performance',
    facts: {
      desktop_performance: ['Performance, desktop', 'score'],
      mobile_performance: ['Performance, mobile', 'score'],
      desktop_accessibility: ['Accessibility, desktop', 'score'],
      mobile_accessibility: ['Accessibility, mobile', 'score'],
      desktop_best_practices: ['Best practices, desktop', 'score'],
      mobile_best_practices: ['Best practices, mobile', 'score'],
      desktop_seo: ['SEO, desktop', 'score'],
      mobile_seo: ['SEO, mobile', 'score'],
      last_check: ['Last audit of the period', 'moment'],
    },
    columns: {
      ...WHEN,
      device: ['Device', 'text'],
      performance: ['Performance', 'score'],
      accessibility: ['Accessibility', 'score'],
      best_practices: ['Best practices', 'score'],
      seo: ['SEO', 'score'],
    },
    counts: { audits: 'Audits' },
    only: ({ kind }) => kind === 'audit',
  },
  analytics1: { title: 'Visits', columns: visits },
  analytics2: { title: 'Visits (external measurement)', columns: visits },
  shopstatus: {
    title: 'Shop',
    facts: {
      sales: ['Sales', 'number'],
      sales_text: ['Sales, as the shop shows them', 'text'],
      top_seller: ['Top seller', 'text'],
      top_seller_quantity: ['Top seller, quantity', 'number'],
    },
    state: {
      counts: {
        awaiting_processing: 'Awaiting processing',
        on_hold: 'On hold',
        low_stock: 'Low stock',
        out_of_stock: 'Out of stock',
      },
    },
  },
  posts: { title: 'Posts', columns: columnsOfTitledItems('Post'), note: unloggedAdditions('posts') },
  pages: { title: 'Pages', columns: columnsOfTitledItems('Page'), note: unloggedAdditions('pages') },
  comments: {
    title: 'Comments',
    columns: columnsOfTitledItems('On'),
    note:
      'The site does not log new comments of visitors without an account. They are found at the next sync, so spam, ' +
      'deleted ones, and more than five at once can be missing.',
  },
  media: { title: 'Media', columns: { name: ['File', 'text'], ...ACTION, ...WHEN, ...BY } },
  menus: { title: 'Menus', columns: columnsOfTitledItems('Menu') },
  users: {
    title: 'Users',
    columns: { name: ['User', 'text'], role: ['Role', 'text'], ...ACTION, ...WHEN, ...BY },
  },
  maintenance: {
    title: 'Maintenance',
    columns: { ...WHEN, details: ['Work done', 'text'], result: ['Result', 'badge'] },
    counts: { process: 'Runs' },
  },
  feedback1: {
    title: 'Feedback',
    columns: { title: ['Task', 'text'], status: ['State', 'badge'], created_at: ['Since', 'moment'] },
  },
  pending: {
    title: 'Available updates',
    state: {
      readAt: 'last_sync',
      columns: {
        name: ['Name', 'text'],
        kind: ['Kind', 'text'],
        current_version: ['Installed', 'text'],
        new_version: ['Available', 'text'],
      },
      counts: { core: 'WordPress', plugins: 'Plugins', themes: 'Themes', translations: 'Translations' },
    },
  },
  abandoned: {
    title: 'Abandoned plugins and themes',
    state: {
      readAt: 'last_sync',
      columns: {
        name: ['Name', 'text'],
        kind: ['Kind', 'text'],
        version: ['Installed', 'text'],
        last_updated: ['Last release', 'day'],
      },
      counts: { plugins: 'Plugins', themes: 'Themes' },
    },
  },
  website: {
    title: 'The site',
    state: {
      readAt: 'last_sync',
      facts: {
        core_version: ['WordPress', 'text'],
        php_version: ['PHP', 'text'],
        db_version: ['Database', 'text'],
        ip: ['Server', 'text'],
        active_theme: ['Theme', 'text'],
        health_score: ['Site health', 'score'],
        last_sync: ['Last sync', 'moment'],
      },
      counts: { plugins_total: 'Plugins', plugins_active: 'Active', themes_total: 'Themes' },
    },
  },
  misc: {
    title: 'Work and software',
    columns: { name: ['Task', 'text'], day: ['Day', 'day'], duration_seconds: ['Time', 'seconds'] },
    counts: { tasks: 'Tasks' },
    only: ({ kind }) => kind === 'task',
    state: {
      readAt: 'last_sync',
      columns: { name: ['Software', 'text'], kind: ['Kind', 'text'], version: ['Version', 'text'] },
      only: ({ kind }) => kind !== 'task',
    },
  },
};
