export interface AlertedSite {
  id: number;
  url: string;
  name: string;
}

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
    statusBefore: number;
    /** 0 if there was no response. */
    statusAfter: number;
    updates: readonly { type: string; slug: string; name: string; fromVersion: string; toVersion: string }[];
    jobId: string | null;
  };
  cost_tracker_noti_email: {
    costId: number;
    name: string;
    /** A day such as `2026-11-21`. */
    dueOn: string;
    priceMinor: number;
    frequency: string;
  };
  ssl_monitor_noti_email: {
    state: CertificateState;
    /** Previous state. `unknown` if the certificate was never checked. */
    from: CertificateState;
    issuer: string | null;
    /** End of validity of the certificate that was seen last. */
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
  /** A device that is not audited has no score. */
  perf_audit_noti_email: { score: number; threshold: number; desktop: number | null; mobile: number | null };
  domain_monitor_noti_email: {
    state: 'active' | 'expiring' | 'expired' | 'redemption';
    /** The domain in Unicode. */
    domain: string;
    expiresAt: number | null;
    registrar: string | null;
  };
}

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

export interface Alert<Type extends AlertType = AlertType> {
  type: Type;
  /** Identifies the event. An alert that is raised repeatedly, even by several processes, is part of only one mail. */
  key: string;
  /** null if the alert concerns no site, or several. */
  site: AlertedSite | null;
  facts: AlertFacts[Type];
}
