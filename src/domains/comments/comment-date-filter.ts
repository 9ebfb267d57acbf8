import { DAY, HOUR, SECOND } from '../../shared/clock.ts';

/**
 * This file computes times for the date filter of the child plugin. The filter compares them with the local time of the
 * site, whose time zone is unknown here, and excludes both ends (protocol 4.5).
 */

const formatUtcDateTime = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** Margin for the unknown time zone: more than the UTC offset of any zone. */
const ZONE = 15 * HOUR;

export const earliestLocalTime = (ms: number): string => formatUtcDateTime(ms - ZONE);
export const latestLocalTime = (ms: number): string => formatUtcDateTime(ms + ZONE);

export const secondBeforeDay = (day: string): string => formatUtcDateTime(Date.parse(day) - SECOND);
export const secondAfterDay = (day: string): string => formatUtcDateTime(Date.parse(day) + DAY);
