import { floorToSecond, MINUTE } from '../../shared/clock.ts';

export interface TimeZone {
  /** Name as in PHP, for example `Europe/Berlin`, `UTC` or `+05:30`. */
  readonly identifier: string;
  /** Difference to UTC in milliseconds, positive east of Greenwich. */
  offsetAt(ms: number): number;
  /** Returns the short name of the zone, for example `CET`, or the UTC offset if there is none. */
  abbreviationAt(ms: number): string;
}

const OFFSET = /^UTC([+-])(\d|1[0-4])(?::(30|45))?$/;

/**
 * Parses a zone from the settings, such as `UTC`, `UTC-3:30` or `Europe/Berlin`. Returns null if this system does not
 * know it.
 */
export function timeZoneOf(text: string): TimeZone | null {
  if (text === 'UTC') return fixedOffsetZone('UTC', 0);
  const [, sign, hours, minutes = 0] = OFFSET.exec(text) ?? [];
  if (sign === undefined) return namedTimeZone(text);
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE;
  return fixedOffsetZone(formatUtcOffset(offset), offset);
}

export const isTimeZone = (text: string): boolean => timeZoneOf(text) !== null;

export function formatUtcOffset(offset: number): string {
  const minutes = Math.abs(Math.trunc(offset / MINUTE));
  const [whole, rest] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return `${offset < 0 ? '-' : '+'}${whole}:${rest}`;
}

const fixedOffsetZone = (identifier: string, offset: number): TimeZone => ({
  identifier,
  offsetAt: () => offset,
  abbreviationAt: () => identifier,
});

function namedTimeZone(identifier: string): TimeZone | null {
  try {
    const wall = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: identifier, calendar: 'iso8601', numberingSystem: 'latn', hourCycle: 'h23' },
      ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
    const offsetAt = (ms: number): number => localTimeAsUtc(wall, ms) - floorToSecond(ms);
    let shortNames: Intl.DateTimeFormat[] | null = null;
    const abbreviationAt = (ms: number): string => {
      // They take milliseconds to create, and few formats need them.
      shortNames ??= ENGLISH.map(
        (language) => new Intl.DateTimeFormat(language, { timeZone: identifier, timeZoneName: 'short' }),
      );
      return timeZoneAbbreviation(shortNames, ms) ?? formatUtcOffset(offsetAt(ms));
    };
    return { identifier, offsetAt, abbreviationAt };
  } catch {
    return null;
  }
}

function localTimeAsUtc(format: Intl.DateTimeFormat, ms: number): number {
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
}

/** Each English locale has short names for different zones, so all of them are tried. */
const ENGLISH = ['en-US', 'en-GB', 'en-AU', 'en-CA', 'en-IN', 'en-NZ', 'en-ZA'];

function timeZoneAbbreviation(shortNames: readonly Intl.DateTimeFormat[], ms: number): string | null {
  for (const format of shortNames) {
    const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    if (/^[A-Z]{2,5}$/.test(name)) return name;
  }
  return null;
}
