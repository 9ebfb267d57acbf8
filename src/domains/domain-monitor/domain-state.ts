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

/** States in which it is known whether the domain is registered. Only these can raise an alert. */
const SETTLED_STATES = ['active', 'expiring', 'expired', 'redemption', 'not_found'] as const;
export type DomainRegistrationState = (typeof SETTLED_STATES)[number];

const isDomainRegistrationState = (state: DomainState): state is DomainRegistrationState =>
  (SETTLED_STATES as readonly DomainState[]).includes(state);

export interface AlertedDomain {
  /** State and expiry date (in milliseconds since 1970) of the last alert. A null state stands for `active`. */
  alertedState: DomainRegistrationState | null;
  alertedExpiresAt: number | null;
}

/** Returns the state to store for the last alert. Null keeps the stored one: it is the same, or the lookup failed. */
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
 * Returns the alert of a new state, or null if it needs none. Every state but `active` needs an alert. `active` needs
 * one after a renewal, which moves the expiry date. It also needs one if the last alert was `not_found` or `redemption`
 * and the registry has the domain again, but not if a manual entry says so.
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
