import { DAY } from '../../shared/clock.ts';

/**
 * Possible states in the order of precedence. The first state that applies is used. `redemption` means that the
 * registry is about to delete the domain. `expired` and `expiring` come before `lookup_failed`, because a known expiry
 * date stays true if a lookup fails.
 */
const DOMAIN_STATES = [
  'unknown',
  'not_found',
  'redemption',
  'expired',
  'expiring',
  'unsupported_tld',
  'lookup_failed',
  'active',
] as const;
export type DomainState = (typeof DOMAIN_STATES)[number];

const CONDITIONS = ['unknown', 'unsupported_tld', 'lookup_failed', 'not_found', 'redemption', 'registered'] as const;
/** Result of the lookups of a domain. `DomainState` adds how near its expiry date is. */
export type DomainCondition = (typeof CONDITIONS)[number];

export interface DomainStateInput {
  condition: DomainCondition;
  expiresAt: number | null;
}

export const daysLeft = (expiresAt: number, now: number): number => Math.floor((expiresAt - now) / DAY);

export function domainStateOf(
  { condition, expiresAt }: DomainStateInput,
  thresholdDays: number,
  now: number,
): DomainState {
  if (condition === 'unknown' || isConditionOfRegistry(condition)) return condition;
  const left = expiresAt === null ? Infinity : daysLeft(expiresAt, now);
  if (left <= thresholdDays) return left < 0 ? 'expired' : 'expiring';
  return condition === 'registered' ? 'active' : condition;
}

/** True if only another answer of the registry can end the condition. */
export const isConditionOfRegistry = (condition: DomainCondition): condition is 'not_found' | 'redemption' =>
  condition === 'not_found' || condition === 'redemption';

/** States of a known registration. In all other states, it is unknown how the registration stands. */
const SETTLED_STATES = ['active', 'expiring', 'expired', 'redemption', 'not_found'] as const;
export type DomainRegistrationState = (typeof SETTLED_STATES)[number];

const isDomainRegistrationState = (state: DomainState): state is DomainRegistrationState =>
  (SETTLED_STATES as readonly DomainState[]).includes(state);

export interface AlertedDomain {
  /** State and expiry date (in milliseconds since 1970) of the last alert. A null state stands for `active`. */
  alertedState: DomainRegistrationState | null;
  alertedExpiresAt: number | null;
}

/**
 * Returns the state that replaces the last alerted one, or null if it stays. A failed lookup does not replace it.
 */
export function stateToRecord(
  state: DomainState,
  { alertedState }: Pick<AlertedDomain, 'alertedState'>,
): DomainRegistrationState | null {
  if (!isDomainRegistrationState(state) || state === (alertedState ?? 'active')) return null;
  return state;
}

/** Content of an alert. `active` means renewed, and `registered` ends an alert about a lost registration. */
export type DomainNews = DomainRegistrationState | 'registered';

/**
 * Returns the alert of a new state, or null if it needs none. `active` needs one after a renewal, which moves the
 * expiry date, and if the registry knows a domain again that was `not_found` or in `redemption`. A manual entry is no
 * answer of the registry.
 */
export function newsOf(
  state: DomainRegistrationState,
  { alertedState, alertedExpiresAt }: AlertedDomain,
  { expiresAt, isManual }: { expiresAt: number | null; isManual: boolean },
): DomainNews | null {
  if (state !== 'active') return state;
  if (alertedState === 'not_found' && !isManual) return 'registered';
  if (alertedExpiresAt !== null && expiresAt !== null && expiresAt > alertedExpiresAt) return 'active';
  return alertedState === 'redemption' && !isManual ? 'registered' : null;
}
