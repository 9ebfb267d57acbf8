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
    /** null while the incident lasts. */
    endedAt: number | null;
    /** Reason in one sentence. */
    cause: string;
    httpStatus: number;
  };
  site_health: { score: number; threshold: number };
  /** A home page that worked before an update does not work after it. */
  http_check: {
    statusBefore: number;
    /** 0 if there was no response. */
    statusAfter: number;
    updates: readonly { type: string; slug: string; name: string; fromVersion: string; toVersion: string }[];
    jobId: string | null;
  };
  /** A cost falls due soon, or has fallen due. */
  cost_tracker_noti_email: {
    costId: number;
    name: string;
    /** A day such as `2026-11-21`. */
    dueOn: string;
    /** Price in minor units of the currency. */
    priceMinor: number;
    frequency: string;
  };
  ssl_monitor_noti_email: {
    state: CertificateState;
    /** Previous state. `unknown` if the certificate was never checked. */
    from: CertificateState;
    /** Issuer of the certificate that the site presented, or null if there was none. */
    issuer: string | null;
    /** End of validity of the certificate that was seen last. */
    validTo: number | null;
    daysLeft: number | null;
    /** Problem that the check found, in one sentence. */
    problem: string | null;
  };
  vulnerability: {
    vulnerabilityId: number;
    title: string;
    cve: string | null;
    severity: string;
    /** Type of the software: plugin, theme or core. */
    type: string;
    name: string;
    version: string;
    /** null if no fixed version is known. */
    fixedIn: string | null;
    since: number;
  };
  /** The performance score of a page fell below the threshold. The score of a device that is not audited is null. */
  perf_audit_noti_email: { score: number; threshold: number; desktop: number | null; mobile: number | null };
  /** The registration of a domain is about to end, has ended or was renewed. */
  domain_monitor_noti_email: {
    state: 'active' | 'expiring' | 'expired' | 'redemption';
    /** The domain in Unicode. */
    domain: string;
    /** null if no source reports it. */
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
  /** null if the alert concerns no site, or several sites. */
  site: AlertedSite | null;
  facts: AlertFacts[Type];
}
