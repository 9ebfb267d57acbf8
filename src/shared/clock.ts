/** Times in this service are numbers of milliseconds since 1970, unless a comment says otherwise. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** True if a time is less than `maxAge` ago. False for a time in the future: the clock has been set back since then. */
export const isRecent = (time: number, now: number, maxAge: number): boolean => time <= now && now - time < maxAge;

/** A stored time that is further in the future than this was stored while a clock was wrong. */
const CLOCK_TOLERANCE = 5 * 60_000;

export const isPossibleTime = (time: number, now: number): boolean => time - now <= CLOCK_TOLERANCE;

/** Formats whole seconds, as the contract requires: `2026-11-21T10:57:22Z`. */
export function toIso(ms: number): string;
export function toIso(ms: number | null): string | null;
export function toIso(ms: number | null): string | null {
  return ms === null ? null : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

export function toDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const floorToSecond = (ms: number): number => Math.floor(ms / SECOND) * SECOND;
