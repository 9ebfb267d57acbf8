import { DAY, HOUR, SECOND } from '../../shared/clock.ts';

/**
 * Times for the date filter of the child plugin. It compares them with the local time of the site, whose time zone is
 * unknown here, and excludes both ends (protocol 4.5).
 */

/** Formats a time as `YYYY-MM-DD HH:MM:SS`. */
const wallClock = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** More than the UTC offset of any time zone. */
const ZONE = 15 * HOUR;

/** Returns a local time that is before `ms` in every time zone. */
export const localTimeBefore = (ms: number): string => wallClock(ms - ZONE);
/** Returns a local time that is after `ms` in every time zone. */
export const localTimeAfter = (ms: number): string => wallClock(ms + ZONE);

/** Returns the last second before a day like `2026-11-21`, in the local time of the site. */
export const secondBeforeDay = (day: string): string => wallClock(Date.parse(day) - SECOND);
/** Returns the first second after a day, in the local time of the site. */
export const secondAfterDay = (day: string): string => wallClock(Date.parse(day) + DAY);
