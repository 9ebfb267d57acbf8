import { DAY } from '../../shared/clock.ts';

/**
 * Possible states in the order of precedence. The first state that applies is used. `redemption` means that the
 * registry is about to delete the domain.
 */
const DOMAIN_STATES = [
  'unknown',
  'unsupported_tld',
  'lookup_failed',
  'redemption',
  'expired',
  'expiring',
  'active',
] as const;
export type DomainState = (typeof DOMAIN_STATES)[number];

const CONDITIONS = ['unknown', 'unsupported_tld', 'lookup_failed', 'redemption', 'registered'] as const;
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
  if (condition !== 'registered') return condition;
  if (expiresAt === null) return 'active';
  const left = daysLeft(expiresAt, now);
  return left < 0 ? 'expired' : left <= thresholdDays ? 'expiring' : 'active';
}

/** States of a known registration. In all other states, it is unknown how the registration stands. */
const SETTLED_STATES = ['active', 'expiring', 'expired', 'redemption'] as const;
export type DomainRegistrationState = (typeof SETTLED_STATES)[number];

const isDomainRegistrationState = (state: DomainState): state is DomainRegistrationState =>
  (SETTLED_STATES as readonly DomainState[]).includes(state);

/**
 * Returns the state to send an alert about, or null. `known` is the state of the last alert; null stands for `active`.
 * A failed lookup needs no alert and does not reset the last one.
 */
export function stateToAlert(
  state: DomainState,
  known: DomainRegistrationState | null,
): DomainRegistrationState | null {
  if (!isDomainRegistrationState(state) || state === (known ?? 'active')) return null;
  return state;
}
