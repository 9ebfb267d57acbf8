import type { DomainFacts } from './domain-facts.ts';
import type { AlertedDomain, DomainCondition } from './domain-state.ts';
import type { LookupFaultCode } from './lookup-fault.ts';

export interface WatchedDomain {
  name: string;
  condition: DomainCondition;
  facts: DomainFacts | null;
  source: 'rdap' | 'whois' | null;
  error: DomainCheckError | null;
  askedAt: number | null;
  /** Time of the last lookup that found the domain, or found that it is not registered. A failed lookup keeps it. */
  answeredAt: number | null;
  leaseUntil: number | null;
}

export interface DomainCheckError {
  code: LookupFaultCode;
  message: string;
}

/** A field is null if it was not entered. Times are milliseconds since 1970. */
export interface ManualEntry {
  /** Domain that is used instead of that of the URL. Needed if the URL has no domain, for example an IP address. */
  domainName: string | null;
  registrar: string | null;
  registrarUrl: string | null;
  createdAt: number | null;
  updatedAt: number | null;
  expiresAt: number | null;
  statuses: readonly string[] | null;
  nameServers: readonly string[] | null;
  dnssec: 'signed' | 'unsigned' | null;
  enteredAt: number;
}

export interface SiteDomain extends AlertedDomain {
  siteId: number;
  /** Null if the site URL has no registrable domain. */
  domain: string | null;
  thresholdDays: number | null;
  manual: ManualEntry | null;
  alertCount: number;
}
