import { expiryInWords } from '../../shared/calendar.ts';
import type { ModuleSlug } from '../modules/index.ts';
import type { Formats } from '../settings/index.ts';
import { durationInWords, type MailBodyBlock } from './mail-message.ts';

/** Data of each alert type. The types are named like the mails in the settings. Times are milliseconds since 1970. */
export interface AlertFacts {
  uptime: {
    state: 'down' | 'up';
    incidentId: string;
    startedAt: number;
    endedAt: number | null;
    cause: string;
    httpStatus: number;
  };
  site_health: { score: number; threshold: number };
  http_check: {
    /**
     * Probe that found the two statuses below. Missing in alerts of releases before 0.2. `statusAfter` is 0 if there
     * was no response.
     */
    probe?: string;
    statusBefore: number;
    statusAfter: number;
    updates: readonly { type: string; slug: string; name: string; fromVersion: string; toVersion: string }[];
    jobId: string | null;
  };
  update_failed: {
    /** True if an installed update broke the site, and no alert `http_check` of the same run says so. */
    isBroken: boolean;
    updates: readonly ScheduledUpdateError[];
    jobId: string;
  };
  guard_file_left: {
    /** Path below the root of WordPress. `item` is the name of the plugin or theme whose update the file protected. */
    path: string;
    item: string;
    since: number;
  };
  cost_tracker_noti_email: {
    costId: number;
    name: string;
    dueOn: string;
    price: number;
    frequency: string;
  };
  ssl_monitor_noti_email: {
    state: CertificateState;
    /** Previous state. `unknown` if the certificate was never checked. */
    from: CertificateState;
    issuer: string | null;
    validTo: number | null;
    daysLeft: number | null;
    problem: string | null;
  };
  vulnerability: {
    vulnerabilityId: number;
    title: string;
    cve: string | null;
    severity: string;
    type: string;
    name: string;
    version: string;
    fixedIn: string | null;
    since: number;
  };
  perf_audit_noti_email: { score: number; threshold: number; desktop: number | null; mobile: number | null };
  domain_monitor_noti_email: {
    state: 'active' | 'expiring' | 'expired' | 'redemption' | 'not_found' | 'registered';
    /** The domain in Unicode. */
    domain: string;
    expiresAt: number | null;
    registrar: string | null;
  };
  api_key_expiry: {
    keyId: number;
    label: string;
    hint: string;
    user: string;
    expiresAt: number;
    daysLeft: number;
  };
}

/** `type` is `site` if the site could not be updated at all. */
export interface ScheduledUpdateError {
  type: string;
  slug: string;
  message: string;
  /** Set if nobody knows whether the update was installed. */
  isUnknown?: true;
}

/**
 * Prefix of the key of an `update_failed` alert if the outcome of all its updates is unknown. The digest does not count
 * such an alert as a failure.
 */
export const UNKNOWN_UPDATES_KEY = 'update_unknown:';

export type CertificateState =
  | 'unknown'
  | 'valid'
  | 'expiring'
  | 'expired'
  | 'mismatch'
  | 'untrusted'
  | 'not_yet_valid'
  | 'unreachable'
  | 'no_tls';

export type AlertType = keyof AlertFacts;

export type SitelessAlertType = keyof typeof NOUNS;

/** `title` replaces the name of the site. An alert that is not about a site needs it. */
export type AlertBlockBuilder<Type extends AlertType> = (
  facts: readonly AlertFacts[Type][],
  formats: Formats,
) => Pick<MailBodyBlock, 'tone' | 'badge' | 'facts'> &
  (Type extends SitelessAlertType ? { title: string } : { title?: string });

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const statusInWords = (status: number): string => (status === 0 ? 'no answer' : String(status));

const scoreInWords = (score: number | null | undefined): string => (score == null ? 'not audited' : `${score} of 100`);

const PROBES: Readonly<Record<string, string>> = {
  home_page: 'Home page',
  admin_ajax: 'WordPress start (admin-ajax.php)',
  signed_stats: 'Signed request to the child plugin',
  pages: 'Home page and pages that it links to',
  admin_visit: 'Home page as the administrator sees it',
};

export const ITEM_BUILDERS: { [Type in AlertType]: AlertBlockBuilder<Type> } = {
  uptime: (facts, formats) => {
    const down = facts.find(({ state }) => state === 'down');
    const up = facts.find(({ state }) => state === 'up');
    const [first] = facts;
    const { startedAt = 0, cause = '', httpStatus = 0 } = down ?? up ?? first ?? {};
    const endedAt = up?.endedAt ?? null;
    return {
      tone: !up ? 'bad' : down ? 'warn' : 'good',
      badge: !up ? 'Down' : down ? 'Was down' : 'Up again',
      facts: [
        { label: 'Down since', value: formats.dateTime(startedAt) },
        ...(endedAt === null
          ? []
          : [
              { label: 'Up again', value: formats.dateTime(endedAt) },
              { label: 'Duration', value: durationInWords(endedAt - startedAt) },
            ]),
        { label: 'Cause', value: cause },
        { label: 'HTTP status', value: statusInWords(httpStatus) },
      ],
    };
  },
  site_health: ([facts]) => ({
    tone: 'warn',
    badge: 'Health',
    facts: [
      { label: 'Health score', value: `${facts?.score ?? 0} of 100` },
      { label: 'Threshold', value: String(facts?.threshold ?? 0) },
    ],
  }),
  http_check: ([facts]) => ({
    tone: 'bad',
    badge: 'Broken',
    facts: [
      ...factUnlessMissing('Checked', PROBES[facts?.probe ?? '']),
      { label: 'Before', value: statusInWords(facts?.statusBefore ?? 0) },
      { label: 'After', value: statusInWords(facts?.statusAfter ?? 0) },
      ...(facts?.updates ?? []).map(({ type, slug, name, fromVersion, toVersion }) => ({
        label: 'Update',
        value: `${name || slug} (${type}) ${fromVersion} to ${toVersion}`,
      })),
    ],
  }),
  update_failed: ([facts]) => ({
    ...(facts?.updates.every(({ isUnknown }) => isUnknown)
      ? ({ tone: 'warn', badge: 'Not confirmed' } as const)
      : ({ tone: 'bad', badge: facts?.isBroken ? 'Broken' : 'Failed updates' } as const)),
    facts: (facts?.updates ?? []).map(updateErrorInWords),
  }),
  guard_file_left: ([facts], formats) => ({
    tone: 'bad',
    badge: 'Guard file left',
    facts: [
      { label: 'File', value: facts?.path ?? '' },
      { label: 'Update of', value: facts?.item ?? '' },
      { label: 'Since', value: formats.dateTime(facts?.since ?? 0) },
    ],
  }),
  cost_tracker_noti_email: ([facts], formats) => ({
    tone: 'info',
    badge: 'Falls due',
    title: facts?.name ?? '',
    facts: [
      { label: 'Due on', value: facts ? formats.day(facts.dueOn) : '' },
      { label: 'Price', value: formats.money(facts?.price ?? 0) },
      { label: 'Renewal', value: facts?.frequency ?? '' },
    ],
  }),
  ssl_monitor_noti_email: ([facts], formats) => ({
    ...CERTIFICATE_BADGES[facts?.state ?? 'unknown'],
    facts: [
      ...factUnlessMissing('Before', facts && facts.from !== 'unknown' ? CERTIFICATE_BADGES[facts.from].badge : null),
      ...factUnlessMissing('Problem', facts?.problem),
      ...factUnlessMissing('Issuer', facts?.issuer),
      ...factUnlessMissing('Valid to', facts?.validTo == null ? null : formats.dateTime(facts.validTo)),
      ...factUnlessMissing('', facts?.daysLeft == null ? null : `Certificate ${expiryInWords(facts.daysLeft)}`),
    ],
  }),
  vulnerability: ([facts], formats) => ({
    tone: facts?.severity === 'critical' || facts?.severity === 'high' ? 'bad' : 'warn',
    badge: capitalised(facts?.severity ?? ''),
    facts: [
      { label: 'Software', value: `${facts?.name ?? ''} (${facts?.type ?? ''}) ${facts?.version ?? ''}` },
      { label: 'Vulnerability', value: [facts?.cve, facts?.title].filter(Boolean).join(' ') },
      { label: 'Exposed since', value: formats.dateTime(facts?.since ?? 0) },
      { label: 'Fixed in', value: facts?.fixedIn ?? 'no version is available yet' },
    ],
  }),
  perf_audit_noti_email: ([facts]) => ({
    tone: 'warn',
    badge: 'Slow',
    facts: [
      { label: 'Desktop', value: scoreInWords(facts?.desktop) },
      { label: 'Mobile', value: scoreInWords(facts?.mobile) },
      { label: 'Threshold', value: String(facts?.threshold ?? 0) },
    ],
  }),
  domain_monitor_noti_email: ([facts], formats) => ({
    ...REGISTRATION_BADGES[facts?.state ?? 'active'],
    facts: [
      { label: 'Domain', value: facts?.domain ?? '' },
      ...factUnlessMissing('Expiry', facts?.expiresAt == null ? null : formats.dateTime(facts.expiresAt)),
      ...factUnlessMissing('Registrar', facts?.registrar),
    ],
  }),
  api_key_expiry: ([facts], formats) => ({
    tone: 'warn',
    badge: `Key ${expiryInWords(facts?.daysLeft ?? 0)}`,
    title: facts?.label || `*${facts?.hint ?? ''}`,
    facts: [
      { label: 'API key', value: `*${facts?.hint ?? ''} (ID ${facts?.keyId ?? 0})` },
      { label: 'User', value: facts?.user ?? '' },
      { label: 'Expires', value: formats.dateTime(facts?.expiresAt ?? 0) },
    ],
  }),
};

export function updateErrorInWords({
  type,
  slug,
  message,
  isUnknown,
}: ScheduledUpdateError): MailBodyBlock['facts'][0] {
  const name = slug === '' ? capitalised(type) : `${capitalised(type)} ${slug}`;
  return isUnknown
    ? { label: 'Could not be confirmed', value: `${name}: ${message}` }
    : { label: name, value: message };
}

const factUnlessMissing = (label: string, value: string | null | undefined): MailBodyBlock['facts'] =>
  value == null ? [] : [{ label, value }];

const CERTIFICATE_BADGES: Record<CertificateState, { tone: MailBodyBlock['tone']; badge: string }> = {
  unknown: { tone: 'warn', badge: 'Certificate unknown' },
  valid: { tone: 'good', badge: 'Certificate valid' },
  expiring: { tone: 'warn', badge: 'Certificate expiring' },
  expired: { tone: 'bad', badge: 'Certificate expired' },
  mismatch: { tone: 'bad', badge: 'Certificate of another host' },
  untrusted: { tone: 'bad', badge: 'Certificate not trusted' },
  not_yet_valid: { tone: 'bad', badge: 'Certificate not valid yet' },
  unreachable: { tone: 'bad', badge: 'Certificate unreachable' },
  no_tls: { tone: 'bad', badge: 'No certificate' },
};

const REGISTRATION_BADGES: Record<
  AlertFacts['domain_monitor_noti_email']['state'],
  { tone: MailBodyBlock['tone']; badge: string }
> = {
  active: { tone: 'good', badge: 'Renewed' },
  expiring: { tone: 'warn', badge: 'Expiring' },
  expired: { tone: 'bad', badge: 'Expired' },
  redemption: { tone: 'bad', badge: 'About to be deleted' },
  not_found: { tone: 'bad', badge: 'Not registered' },
  registered: { tone: 'good', badge: 'Registered' },
};

export const INTROS: Record<AlertType, (count: number) => string> = {
  uptime: (count) => (count === 1 ? 'A monitor reports a change.' : `${count} monitors report a change.`),
  site_health: (count) =>
    count === 1
      ? 'The health of a site fell below the threshold.'
      : `The health of ${count} sites fell below the threshold.`,
  http_check: (count) =>
    count === 1 ? 'A site is broken after an update.' : `${count} sites are broken after an update.`,
  update_failed: (count) =>
    count === 1
      ? 'Scheduled updates of a site need your attention.'
      : `Scheduled updates of ${count} sites need your attention.`,
  guard_file_left: (count) =>
    count === 1
      ? 'A guard file could not be removed from a site. Delete the file, and the folder of its copy.'
      : `${count} guard files could not be removed from sites. Delete the files, and the folders of their copies.`,
  cost_tracker_noti_email: (count) => (count === 1 ? 'A cost falls due.' : `${count} costs fall due.`),
  ssl_monitor_noti_email: (count) =>
    count === 1 ? 'The state of a certificate changed.' : `The states of ${count} certificates changed.`,
  vulnerability: (count) =>
    count === 1
      ? 'Software on a site is vulnerable.'
      : `Software on sites is vulnerable; there are ${count} new exposures.`,
  perf_audit_noti_email: (count) =>
    count === 1
      ? 'The performance score of a site fell below the threshold.'
      : `The performance scores of ${count} sites fell below the threshold.`,
  domain_monitor_noti_email: (count) =>
    count === 1 ? 'The registration of a domain changed.' : `The registrations of ${count} domains changed.`,
  api_key_expiry: (count) => (count === 1 ? 'An API key expires soon.' : `${count} API keys expire soon.`),
};

export const ALERT_TYPES = Object.keys(INTROS) as AlertType[];

/** Nouns for the subjects of alerts that are not about sites. Only alerts of these types are raised without a site. */
export const NOUNS = {
  cost_tracker_noti_email: 'costs',
  api_key_expiry: 'API keys',
} as const satisfies Partial<Record<AlertType, string>>;

/** Module of each alert type that belongs to one. While the module is off, the mail settings of the type are hidden. */
export const MODULE_OF_ALERT: Partial<Record<AlertType, ModuleSlug>> = {
  cost_tracker_noti_email: 'cost-tracker',
  domain_monitor_noti_email: 'domain-monitor',
};
