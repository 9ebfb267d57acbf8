/** The site that an alert is about, as a mail names it. */
export interface AlertedSite {
  id: number;
  url: string;
  name: string;
}

/** What each sort of alert tells, by the name that its mail has in the settings. Times are milliseconds since 1970. */
export interface AlertFacts {
  /** A monitor went down or came back. */
  uptime: {
    state: 'down' | 'up';
    incidentId: string;
    startedAt: number;
    /** Null while it lasts. */
    endedAt: number | null;
    /** Why, in one sentence. */
    cause: string;
    httpStatus: number;
  };
  /** The health of a site fell below the threshold. */
  site_health: { score: number; threshold: number };
  /** A home page that answered before an update answers no more. */
  http_check: {
    statusBefore: number;
    /** 0 stands for no answer. */
    statusAfter: number;
    updates: readonly { type: string; slug: string; name: string; fromVersion: string; toVersion: string }[];
    jobId: string | null;
  };
  /** A cost falls due, soon or by now. */
  cost_tracker_noti_email: {
    costId: number;
    name: string;
    /** `2026-11-21` */
    dueOn: string;
    /** In minor units of the currency. */
    priceMinor: number;
    frequency: string;
  };
  /** The certificate of a site changed its state. */
  ssl_monitor_noti_email: {
    state: CertificateState;
    /** Before; `unknown` where it was never checked. */
    from: CertificateState;
    /** Of the certificate that was shown; null where none was. */
    issuer: string | null;
    /** Of the certificate that was seen last. */
    validTo: number | null;
    daysLeft: number | null;
    /** What the check met, in one sentence. */
    problem: string | null;
  };
  /** A site is exposed by a vulnerability. */
  vulnerability: {
    vulnerabilityId: number;
    title: string;
    cve: string | null;
    severity: string;
    /** The software: plugin, theme or core. */
    type: string;
    name: string;
    version: string;
    /** Null while no version is known that mends it. */
    fixedIn: string | null;
    since: number;
  };
  /** The performance score of a page fell below the threshold. Scores are those of the devices that are audited. */
  perf_audit_noti_email: { score: number; threshold: number; desktop: number | null; mobile: number | null };
  /** The registration of a domain is about to end, has ended, or was renewed. */
  domain_monitor_noti_email: {
    state: 'active' | 'expiring' | 'expired' | 'redemption';
    /** As people write it. */
    domain: string;
    /** Null where nobody tells. */
    expiresAt: number | null;
    registrar: string | null;
  };
}

/** How a certificate stands. */
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

/** Something that people are told about. */
export interface Alert<Type extends AlertType = AlertType> {
  type: Type;
  /** Names what has happened: however often it is raised, and by however many processes, one mail tells of it. */
  key: string;
  /** Null for what is about no site, or about several. */
  site: AlertedSite | null;
  facts: AlertFacts[Type];
}
