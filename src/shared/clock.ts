/** Time as the rest of the product sees it: milliseconds since 1970, from one place that a test can hold. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** `2026-11-21T10:57:22Z`, whole seconds as the contract shows them; null stays null. */
export function toIso(ms: number): string;
export function toIso(ms: number | null): string | null;
export function toIso(ms: number | null): string | null {
  return ms === null ? null : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** `2026-11-21`, the UTC day. */
export function toDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
