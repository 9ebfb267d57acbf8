/**
 * Defines the settings of one mail type. The contract has one schema for all types (`EmailSettings`), so the defaults
 * of each type are here.
 */
const email = <const Heading extends string, const Subject extends string>(heading: Heading, subject: Subject) =>
  ({
    kind: 'object',
    fields: {
      heading: { kind: 'text', maxLength: 200, default: heading },
      subject: { kind: 'text', maxLength: 200, default: subject },
      recipients: { kind: 'text', maxLength: 2000, default: '' },
      disable: { kind: 'flag', default: 0 },
    },
    default: { heading, subject, recipients: '', disable: 0 },
    secret: false,
  }) as const;

export const MAIL_TYPES_GROUP = {
  id: 'emails',
  title: 'email settings',
  description: 'Headings, subjects and recipients of mails.',
  module: null,
  edit: '/settings/emails/{mail_type}/edit',
  fields: {
    daily_digest: email('Daily digest', 'Daily digest: {status}'),
    uptime: email('Uptime alert', '{status}: {site}'),
    site_health: email('Site health alert', 'Site health: {site}'),
    http_check: email('Home page broken by an update', 'Broken by an update: {site}'),
    update_failed: email('Scheduled updates that failed', '{status}: {site}'),
    cost_tracker_noti_email: email('Cost tracker alert', 'Falls due: {site}'),
    ssl_monitor_noti_email: email('Certificate alert', '{status}: {site}'),
    vulnerability: email('Vulnerability alert', 'Vulnerable: {site}'),
    perf_audit_noti_email: email('Performance alert', 'Performance: {site}'),
    domain_monitor_noti_email: email('Domain alert', 'Domain {status}: {site}'),
    report: email('Website report', 'Report on {site}: {period}'),
  },
} as const;
