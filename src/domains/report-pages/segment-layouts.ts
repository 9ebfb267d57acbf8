import type { TextKey } from '../../languages/index.ts';
import type { SegmentName } from '../pro-reports/index.ts';
import type { AppendixTopic } from '../report-templates/index.ts';

export type FieldFormat =
  | 'text'
  | 'badge'
  /** Value that this service defines and translates, such as `plugin`. */
  | 'word'
  | 'software'
  | 'author'
  | 'number'
  | 'score'
  | 'percent'
  | 'minutes'
  | 'seconds'
  | 'ms'
  | 'expiry'
  | 'moment'
  | 'spans'
  | 'day'
  /** Time in UTC whose time of day is not reliable. */
  | 'date';

export type LabeledFields = Readonly<Record<string, readonly [label: TextKey, kind: FieldFormat]>>;

export interface PartLayout {
  /** A column without any value is omitted. */
  columns?: LabeledFields;
  facts?: LabeledFields;
  counts?: Readonly<Record<string, TextKey>>;
  only?: (item: Readonly<Record<string, unknown>>) => boolean;
}

/** Without `counts` and `state`, all counts that have a translation `words.<name>` are shown. */
export interface SegmentLayout extends PartLayout {
  /** Says which changes a site does not log, so that nobody takes the counts for all changes. */
  note?: TextKey;
  /**
   * Values that are not about the period of the report. `readAt` is the value of the summary that says when they were
   * read. By default, they were read when the report was made.
   */
  state?: PartLayout & { readAt?: string };
}

const ACTION = { action: ['label.action', 'badge'] } as const;
const WHEN = { date: ['label.when', 'moment'] } as const;
const BY = { author: ['label.by', 'author'] } as const;
const VERSIONS = { old_version: ['label.from', 'text'], new_version: ['label.to', 'text'] } as const;

const columnsOfNamedItems = (label: TextKey): LabeledFields => ({
  name: [label, 'software'],
  ...ACTION,
  ...VERSIONS,
  ...WHEN,
  ...BY,
});
const columnsOfTitledItems = (label: TextKey): LabeledFields => ({ title: [label, 'text'], ...ACTION, ...WHEN, ...BY });
const scans: LabeledFields = {
  ...WHEN,
  result: ['label.result', 'badge'],
  status: ['label.result', 'badge'],
  webtrust: ['label.trust', 'badge'],
  issues: ['label.issues', 'number'],
  details: ['label.details', 'text'],
};
const threats: LabeledFields = {
  name: ['label.name', 'software'],
  version: ['label.version', 'text'],
  title: ['label.threat', 'text'],
  severity: ['label.severity', 'badge'],
  fixed_in: ['label.fixed_in', 'text'],
};
const visits: LabeledFields = {
  date: ['label.day', 'day'],
  visits: ['label.visits', 'number'],
  pageviews: ['label.page_views', 'number'],
};
const online: LabeledFields = { ratio_all: ['label.online', 'percent'] };

/** Layouts of the segments, ordered for clients: completed work, state of the site, changes, open work. */
export const SEGMENT_LAYOUTS: Readonly<Record<SegmentName, SegmentLayout>> = {
  core: { columns: { ...ACTION, ...VERSIONS, ...WHEN, ...BY } },
  plugins: { columns: columnsOfNamedItems('label.plugin') },
  themes: { columns: columnsOfNamedItems('label.theme') },
  uptime: {
    facts: {
      ...online,
      downtime_minutes: ['label.downtime', 'minutes'],
      watched_since: ['label.watched_since', 'moment'],
      gaps: ['label.gaps', 'spans'],
      estimated_until: ['label.estimated_until', 'moment'],
      response_avg: ['label.response_avg', 'ms'],
      response_max: ['label.response_max', 'ms'],
    },
    counts: { incidents: 'label.incidents' },
    columns: {
      started_at: ['label.down_since', 'moment'],
      ended_at: ['label.up_again', 'moment'],
      downtime_minutes: ['label.downtime', 'minutes'],
    },
    only: ({ kind }) => kind === 'incident',
    state: {
      readAt: 'last_check',
      facts: { status: ['label.state', 'badge'], last_check: ['label.last_check', 'moment'] },
    },
  },
  uptime1: { facts: online },
  sslmonitor: {
    state: {
      facts: {
        status: ['label.state', 'badge'],
        days_left: ['label.expiry', 'expiry'],
        name: ['label.issued_for', 'text'],
        issuer: ['label.issued_by', 'text'],
        valid_from: ['label.valid_from', 'moment'],
        valid_to: ['label.valid_to', 'moment'],
        last_check: ['label.last_check', 'moment'],
      },
    },
  },
  domainmonitor: {
    state: {
      facts: {
        domain_name: ['label.domain', 'text'],
        status: ['label.state', 'badge'],
        days_left: ['label.expiry', 'expiry'],
        registrar: ['label.registrar', 'text'],
        creation_date: ['label.registered', 'date'],
        updated_date: ['label.changed', 'date'],
        expiry_date: ['label.expires', 'date'],
        last_check: ['label.last_check', 'moment'],
      },
    },
  },
  backups: {
    columns: {
      ...WHEN,
      type: ['label.type', 'text'],
      destination: ['label.destination', 'text'],
      size: ['label.size', 'text'],
    },
    counts: { created: 'label.created' },
  },
  vulnerable: {
    columns: {
      name: ['label.software', 'software'],
      version: ['label.version', 'text'],
      title: ['label.description', 'text'],
      severity: ['label.severity', 'badge'],
      disclosed_at: ['label.made_public', 'date'],
      detected_at: ['label.known_since', 'moment'],
      offered_at: ['label.update_offered', 'moment'],
      resolved_at: ['label.fixed', 'moment'],
      fixed_in: ['label.fixed_in', 'text'],
    },
    counts: { open: 'label.open_at_end', resolved: 'label.fixed_in_period' },
    state: { counts: { open_now: 'label.open' }, facts: { check_date: ['label.last_check', 'moment'] } },
  },
  scanner1: { columns: scans },
  scanner2: { columns: scans },
  securityplugin1: { columns: scans },
  scanner3: { columns: scans },
  protect: { columns: threats },
  scan: { columns: threats },
  perfaudit: {
    facts: {
      desktop_performance: ['label.performance_desktop', 'score'],
      mobile_performance: ['label.performance_mobile', 'score'],
      desktop_accessibility: ['label.accessibility_desktop', 'score'],
      mobile_accessibility: ['label.accessibility_mobile', 'score'],
      desktop_best_practices: ['label.best_practices_desktop', 'score'],
      mobile_best_practices: ['label.best_practices_mobile', 'score'],
      desktop_seo: ['label.seo_desktop', 'score'],
      mobile_seo: ['label.seo_mobile', 'score'],
      last_check: ['label.last_audit', 'moment'],
    },
    columns: {
      ...WHEN,
      device: ['label.device', 'word'],
      performance: ['label.performance', 'score'],
      accessibility: ['label.accessibility', 'score'],
      best_practices: ['label.best_practices', 'score'],
      seo: ['label.seo', 'score'],
    },
    counts: { audits: 'label.audits' },
    only: ({ kind }) => kind === 'audit',
  },
  analytics1: { columns: visits },
  analytics2: { columns: visits },
  shopstatus: {
    facts: {
      sales: ['label.sales', 'number'],
      sales_text: ['label.sales_text', 'text'],
      top_seller: ['label.top_seller', 'text'],
      top_seller_quantity: ['label.top_seller_quantity', 'number'],
    },
    state: {
      counts: {
        awaiting_processing: 'label.awaiting_processing',
        on_hold: 'label.on_hold',
        low_stock: 'label.low_stock',
        out_of_stock: 'label.out_of_stock',
      },
    },
  },
  posts: { columns: columnsOfTitledItems('label.post'), note: 'note.posts' },
  pages: { columns: columnsOfTitledItems('label.page'), note: 'note.pages' },
  comments: {
    columns: columnsOfTitledItems('label.on'),
    note: 'note.comments',
  },
  media: { columns: { name: ['label.file', 'text'], ...ACTION, ...WHEN, ...BY } },
  menus: { columns: columnsOfTitledItems('label.menu') },
  users: {
    columns: { name: ['label.user', 'author'], role: ['label.role', 'text'], ...ACTION, ...WHEN, ...BY },
  },
  maintenance: {
    columns: { ...WHEN, details: ['label.work_done', 'text'], result: ['label.result', 'badge'] },
    counts: { process: 'label.runs' },
  },
  feedback1: {
    columns: { title: ['label.task', 'text'], status: ['label.state', 'badge'], created_at: ['label.since', 'moment'] },
  },
  pending: {
    state: {
      readAt: 'read_at',
      columns: {
        name: ['label.name', 'software'],
        kind: ['label.kind', 'word'],
        current_version: ['label.installed', 'text'],
        new_version: ['label.available', 'text'],
      },
      counts: {
        core: 'label.wordpress',
        plugins: 'label.plugins',
        themes: 'label.themes',
        translations: 'label.translations',
      },
    },
  },
  abandoned: {
    state: {
      readAt: 'read_at',
      columns: {
        name: ['label.name', 'software'],
        kind: ['label.kind', 'word'],
        version: ['label.installed', 'text'],
        last_updated: ['label.last_release', 'day'],
      },
      counts: { plugins: 'label.plugins', themes: 'label.themes' },
    },
  },
  website: {
    state: {
      readAt: 'read_at',
      facts: {
        core_version: ['label.wordpress', 'text'],
        php_version: ['label.php', 'text'],
        db_version: ['label.database', 'text'],
        active_theme: ['label.theme', 'text'],
        health_score: ['label.site_health', 'score'],
        last_sync: ['label.last_sync', 'moment'],
      },
      counts: { plugins_total: 'label.plugins', plugins_active: 'label.active', themes_total: 'label.themes' },
    },
  },
  misc: {
    columns: { name: ['label.task', 'text'], day: ['label.day', 'day'], duration_seconds: ['label.time', 'seconds'] },
    counts: { tasks: 'label.tasks' },
    only: ({ kind }) => kind === 'task',
    state: {
      readAt: 'read_at',
      columns: {
        name: ['label.software', 'software'],
        kind: ['label.kind', 'word'],
        version: ['label.version', 'text'],
      },
      only: ({ kind }) => kind !== 'task',
    },
  },
};

export const TOPIC_SEGMENTS: Readonly<Record<AppendixTopic, readonly SegmentName[]>> = {
  updates: ['core', 'plugins', 'themes'],
  content: ['posts', 'pages', 'media', 'menus'],
  comments: ['comments'],
  users: ['users'],
  availability: ['uptime', 'uptime1'],
  speed: ['perfaudit'],
  security: ['vulnerable', 'scanner1', 'scanner2', 'securityplugin1', 'scanner3', 'protect', 'scan'],
  monitoring: ['sslmonitor', 'domainmonitor'],
  backups: ['backups'],
  maintenance: ['maintenance'],
  work: ['misc', 'feedback1'],
  inventory: ['website', 'misc'],
  pending: ['pending', 'abandoned'],
  shop: ['shopstatus'],
  visits: ['analytics1', 'analytics2'],
};
