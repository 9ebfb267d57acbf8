import { DAY } from '../../shared/clock.ts';

/**
 * What a profile says of its domain. The first that fits: nothing is known, its TLD has no server, the look-up failed,
 * the registry is about to delete it, it has expired, it soon will, all is well.
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

/** What the last look-up, or an entry by hand, came to; the clock and the threshold tell the rest. */
const CONDITIONS = ['unknown', 'unsupported_tld', 'lookup_failed', 'redemption', 'registered'] as const;
export type Condition = (typeof CONDITIONS)[number];

export interface Standing {
  condition: Condition;
  /** Milliseconds since 1970; null where nobody tells. */
  expiresAt: number | null;
}

/** Whole days until then, negative behind it. */
export const daysLeft = (expiresAt: number, now: number): number => Math.floor((expiresAt - now) / DAY);

export function stateOf({ condition, expiresAt }: Standing, thresholdDays: number, now: number): DomainState {
  if (condition !== 'registered') return condition;
  if (expiresAt === null) return 'active';
  const left = daysLeft(expiresAt, now);
  return left < 0 ? 'expired' : left <= thresholdDays ? 'expiring' : 'active';
}

/** States that say how the registration itself stands; the others say that this is not known. */
const SETTLED_STATES = ['active', 'expiring', 'expired', 'redemption'] as const;
export type SettledState = (typeof SETTLED_STATES)[number];

const isSettled = (state: DomainState): state is SettledState =>
  (SETTLED_STATES as readonly DomainState[]).includes(state);

/**
 * The state that people are to be told of, given the last one that they know; null when there is no news. A first look
 * at a registration that is well is none, and a look-up that fails for a while hides nothing that was told.
 */
export function newsIn(state: DomainState, known: SettledState | null): SettledState | null {
  if (!isSettled(state) || state === (known ?? 'active')) return null;
  return state;
}
