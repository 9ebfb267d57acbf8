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
  | 'moment'
  | 'day';

export type Fields = Readonly<Record<string, readonly [label: string, kind: FieldFormat]>>;

export interface SegmentLayout {
  title: string;
  /** Columns of the table. A column without any value is omitted. */
  columns?: Fields;
  facts?: Fields;
  /** Labels of the counts that are shown. By default, all counts are shown with their own names. */
  counts?: Readonly<Record<string, string>>;
  only?: (item: Readonly<Record<string, unknown>>) => boolean;
}

const ACTION = { action: ['Action', 'badge'] } as const;
const WHEN = { date: ['When', 'moment'] } as const;
const BY = { author: ['By', 'text'] } as const;
const VERSIONS = { old_version: ['From', 'text'], new_version: ['To', 'text'] } as const;

const named = (label: string): Fields => ({ name: [label, 'text'], ...ACTION, ...VERSIONS, ...WHEN, ...BY });
const titled = (label: string): Fields => ({ title: [label, 'text'], ...ACTION, ...WHEN, ...BY });
const scans: Fields = {
  ...WHEN,
  result: ['Result', 'badge'],
  status: ['Result', 'badge'],
  webtrust: ['Trust', 'badge'],
  issues: ['Issues', 'number'],
  details: ['Details', 'text'],
};
const threats: Fields = {
  name: ['Name', 'text'],
  version: ['Version', 'text'],
  title: ['Threat', 'text'],
  severity: ['Severity', 'badge'],
  fixed_in: ['Fixed in', 'text'],
};
const visits: Fields = { date: ['Day', 'day'], visits: ['Visits', 'number'], pageviews: ['Page views', 'number'] };
const ratios: Fields = {
  ratio_all: ['Online in this period', 'percent'],
  ratio_7: ['Last 7 days', 'percent'],
  ratio_30: ['Last 30 days', 'percent'],
  ratio_60: ['Last 60 days', 'percent'],
};

/** Layouts of the segments, ordered for clients: completed work, state of the site, changes, open work. */
export const SEGMENT_LAYOUTS: Readonly<Record<SegmentName, SegmentLayout>> = {
  core: { title: 'WordPress', columns: { ...ACTION, ...VERSIONS, ...WHEN, ...BY } },
  plugins: { title: 'Plugins', columns: named('Plugin') },
  themes: { title: 'Themes', columns: named('Theme') },
  uptime: {
    title: 'Availability',
    facts: {
      ...ratios,
      downtime_minutes: ['Downtime', 'minutes'],
      response_avg: ['Average response time', 'ms'],
      response_max: ['Slowest response', 'ms'],
      status: ['Now', 'badge'],
      last_check: ['Last check', 'moment'],
    },
    counts: { incidents: 'Incidents' },
    columns: {
      started_at: ['Down since', 'moment'],
      ended_at: ['Up again', 'moment'],
      downtime_minutes: ['Downtime', 'minutes'],
      cause: ['Cause', 'text'],
    },
    only: ({ kind }) => kind === 'incident',
  },
  uptime1: { title: 'Availability (external measurement)', facts: ratios },
  sslmonitor: {
    title: 'Certificate',
    facts: {
      status: ['State', 'badge'],
      days_left: ['Days left', 'number'],
      name: ['Issued for', 'text'],
      issuer: ['Issued by', 'text'],
      valid_from: ['Valid from', 'moment'],
      valid_to: ['Valid to', 'moment'],
      last_check: ['Last check', 'moment'],
    },
  },
  domainmonitor: {
    title: 'Domain',
    facts: {
      domain_name: ['Domain', 'text'],
      status: ['State', 'badge'],
      days_left: ['Days left', 'number'],
      registrar: ['Registrar', 'text'],
      creation_date: ['Registered', 'moment'],
      updated_date: ['Changed', 'moment'],
      expiry_date: ['Expires', 'moment'],
      last_check: ['Last check', 'moment'],
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
    facts: { check_date: ['Last check', 'moment'] },
    counts: { open: 'Open', resolved: 'Fixed' },
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
      last_check: ['Last audit', 'moment'],
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
  shopstatus: { title: 'Shop' },
  posts: { title: 'Posts', columns: titled('Post') },
  pages: { title: 'Pages', columns: titled('Page') },
  comments: { title: 'Comments', columns: titled('On') },
  media: { title: 'Media', columns: { name: ['File', 'text'], ...ACTION, ...WHEN, ...BY } },
  menus: { title: 'Menus', columns: titled('Menu') },
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
    columns: {
      name: ['Name', 'text'],
      kind: ['Kind', 'text'],
      current_version: ['Installed', 'text'],
      new_version: ['Available', 'text'],
    },
    counts: { core: 'WordPress', plugins: 'Plugins', themes: 'Themes', translations: 'Translations' },
  },
  abandoned: {
    title: 'Abandoned plugins and themes',
    columns: {
      name: ['Name', 'text'],
      kind: ['Kind', 'text'],
      version: ['Installed', 'text'],
      last_updated: ['Last release', 'moment'],
    },
    counts: { plugins: 'Plugins', themes: 'Themes' },
  },
  website: {
    title: 'The site',
    facts: {
      core_version: ['WordPress', 'text'],
      php_version: ['PHP', 'text'],
      db_version: ['Database', 'text'],
      ip: ['Server', 'text'],
      active_theme: ['Theme', 'text'],
      health_score: ['Site health', 'score'],
      status: ['Connection', 'badge'],
      last_sync: ['As of', 'moment'],
      tags: ['Tags', 'text'],
    },
    counts: { plugins_total: 'Plugins', plugins_active: 'Active', themes_total: 'Themes' },
  },
  misc: {
    title: 'Work and software',
    columns: {
      name: ['Name', 'text'],
      kind: ['Kind', 'text'],
      version: ['Version', 'text'],
      day: ['Day', 'day'],
      duration_seconds: ['Time', 'seconds'],
    },
    counts: { tasks: 'Tasks' },
  },
};
