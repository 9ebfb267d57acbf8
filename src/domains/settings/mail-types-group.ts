/**
 * Defines the settings of one mail type. The contract has one schema for all types (`EmailSettings`), so the defaults
 * of each type are here.
 */
const defineMailTypeSettings = <const Heading extends string, const Subject extends string>(
  heading: Heading,
  subject: Subject,
) =>
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
    daily_digest: defineMailTypeSettings('Daily digest', 'Daily digest: {status}'),
    uptime: defineMailTypeSettings('Uptime alert', '{status}: {site}'),
    site_health: defineMailTypeSettings('Site health alert', 'Site health: {site}'),
    http_check: defineMailTypeSettings('Site broken by an update', 'Broken by an update: {site}'),
    update_failed: defineMailTypeSettings('Scheduled updates that need attention', '{status}: {site}'),
    guard_file_left: defineMailTypeSettings('Guard file left on a site', 'Guard file left: {site}'),
    cost_tracker_noti_email: defineMailTypeSettings('Cost tracker alert', 'Falls due: {site}'),
    ssl_monitor_noti_email: defineMailTypeSettings('Certificate alert', '{status}: {site}'),
    vulnerability: defineMailTypeSettings('Vulnerability alert', 'Vulnerable: {site}'),
    perf_audit_noti_email: defineMailTypeSettings('Performance alert', 'Performance: {site}'),
    domain_monitor_noti_email: defineMailTypeSettings('Domain alert', 'Domain {status}: {site}'),
    api_key_expiry: defineMailTypeSettings('API key expires', 'API key expires: {site}'),
    report_waiting: defineMailTypeSettings('Report waits for release', '{status}: report for {site}'),
    report: defineMailTypeSettings('Website report', '{site}: website report for {period}'),
  },
} as const;
