import type { DomainCheckError } from './watched-domain.ts';
import { noFacts, type DomainFacts } from './domain-facts.ts';
import { daysLeft, domainStateOf, type DomainState } from './domain-state.ts';
import type { StoredProfile, StateContext } from './profile-read-model.ts';

export interface DomainProfile {
  stored: StoredProfile;
  domainName: string | null;
  state: DomainState;
  source: 'rdap' | 'whois' | 'manual' | null;
  facts: DomainFacts;
  daysLeft: number | null;
  error: DomainCheckError | null;
  thresholdDays: number;
  checkedAt: number | null;
  nextCheckAt: number | null;
}

const NO_DOMAIN: DomainCheckError = {
  code: 'unsupported_tld',
  message: 'The URL of the site has no registrable domain. Enter a domain manually.',
};

export function toDomainProfile(
  known: StoredProfile,
  { now, thresholdDays }: StateContext,
): Omit<DomainProfile, 'nextCheckAt'> {
  const { watch, expiresAt } = known;
  const threshold = watch?.thresholdDays ?? thresholdDays;
  return {
    stored: known,
    ...(watch?.manual ? enteredFacts(known) : lookedUpFacts(known)),
    state: domainStateOf(known, threshold, now),
    // If the registry does not know the domain, the stored date is that of an earlier registration.
    daysLeft: expiresAt === null || known.condition === 'not_found' ? null : daysLeft(expiresAt, now),
    thresholdDays: threshold,
  };
}

type DomainProfileFacts = Pick<DomainProfile, 'domainName' | 'source' | 'facts' | 'error' | 'checkedAt'>;

function enteredFacts({ watch }: StoredProfile): DomainProfileFacts {
  const { domainName, statuses, nameServers, dnssec, enteredAt, ...entered } = watch?.manual ?? { enteredAt: null };
  return {
    domainName: domainName ?? watch?.domain ?? null,
    source: 'manual',
    facts: {
      ...noFacts(),
      ...entered,
      statuses: statuses ?? [],
      nameServers: nameServers ?? [],
      dnssec: dnssec ?? 'unknown',
    },
    error: null,
    checkedAt: enteredAt,
  };
}

function lookedUpFacts({ watch, domain }: StoredProfile): DomainProfileFacts {
  const hasNone = watch !== null && watch.domain === null;
  return {
    domainName: watch?.domain ?? null,
    source: domain?.source ?? null,
    facts: domain?.facts ?? noFacts(),
    error: hasNone ? NO_DOMAIN : (domain?.error ?? null),
    checkedAt: domain?.askedAt ?? null,
  };
}
