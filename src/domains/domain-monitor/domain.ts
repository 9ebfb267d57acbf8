import type { DomainFacts } from './domain-facts.ts';
import type { Condition, SettledState } from './domain-state.ts';
import type { LookupFaultCode } from './lookup-fault.ts';

/** A registrable domain as it was last looked up. Times are milliseconds since 1970. */
export interface WatchedDomain {
  name: string;
  condition: Condition;
  /** Of the last good look-up. */
  facts: DomainFacts | null;
  source: 'rdap' | 'whois' | null;
  /** Why the last look-up brought nothing. */
  error: DomainError | null;
  askedAt: number | null;
  /** When the registry last gave an answer that is good for a day. */
  answeredAt: number | null;
  leaseUntil: number | null;
}

export interface DomainError {
  code: LookupFaultCode;
  message: string;
}

/** What was entered by hand; null stands for what was not. */
export interface ManualEntry {
  /** Where the address of the site does not say it. */
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

/** How the domain of one site is watched. */
export interface SiteDomain {
  siteId: number;
  /** Null where the address of the site has no registrable domain. */
  domain: string | null;
  /** Null follows the settings. */
  thresholdDays: number | null;
  manual: ManualEntry | null;
  /** What people were last told of it. */
  toldState: SettledState | null;
  toldCount: number;
}
