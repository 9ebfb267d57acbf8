import { DAY, HOUR, SECOND } from '../../shared/clock.ts';

/**
 * The child compares dates with the clock of its site, whose zone we are not told, and leaves out both ends (protocol
 * 4.5).
 */

/** `YYYY-MM-DD HH:MM:SS`. */
const wallClock = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** No zone is further from UTC. */
const ZONE = 15 * HOUR;

/** A time that lies before this one in every zone. */
export const surelyBefore = (ms: number): string => wallClock(ms - ZONE);
/** A time that lies after this one in every zone. */
export const surelyAfter = (ms: number): string => wallClock(ms + ZONE);

/** The last second before a day of the site, `2026-11-21`. */
export const beforeDay = (day: string): string => wallClock(Date.parse(day) - SECOND);
/** The first second after it. */
export const afterDay = (day: string): string => wallClock(Date.parse(day) + DAY);
