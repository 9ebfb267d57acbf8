import { DAY, HOUR, SECOND } from '../../shared/clock.ts';
import { formatUtcOffset, type TimeZone } from './time-zone.ts';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];

interface ZonedInstant {
  ms: number;
  zone: TimeZone;
  offset: number;
  /** Local time, stored as if it were UTC. */
  wall: Date;
}

const padToTwoDigits = (value: number): string => String(value).padStart(2, '0');
const padToFourDigits = (value: number): string => String(value).padStart(4, '0');
const utcOffsetWithoutColon = (offset: number): string => formatUtcOffset(offset).replace(':', '');
const hour12 = ({ wall }: ZonedInstant): number => wall.getUTCHours() % 12 || 12;
const utcMidnight = (year: number, month: number, day: number): number => new Date(0).setUTCFullYear(year, month, day);
const dayOfYear = ({ wall }: ZonedInstant): number => {
  const year = wall.getUTCFullYear();
  return (utcMidnight(year, wall.getUTCMonth(), wall.getUTCDate()) - utcMidnight(year, 0, 1)) / DAY;
};
const daysInMonth = (year: number, month: number): number => new Date(utcMidnight(year, month + 1, 0)).getUTCDate();

function isoWeek({ wall }: ZonedInstant): { week: number; year: number } {
  const weekday = wall.getUTCDay() || 7;
  const thursday = new Date(utcMidnight(wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate() + 4 - weekday));
  const year = thursday.getUTCFullYear();
  return { week: Math.floor((thursday.getTime() - utcMidnight(year, 0, 1)) / (7 * DAY)) + 1, year };
}

function ordinal(day: number): string {
  if (day >= 11 && day <= 13) return 'th';
  return ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th';
}

function isDaylightSaving({ wall, zone, offset }: ZonedInstant): boolean {
  const year = wall.getUTCFullYear();
  return offset > Math.min(...[0, 6].map((month) => zone.offsetAt(utcMidnight(year, month, 1))));
}

const swatchBeat = ({ ms }: ZonedInstant): number => Math.floor(((ms + HOUR) % DAY) / (86.4 * SECOND));

/** Letters of PHP's `date()`, for dates since 1970. Other characters are copied. */
const LETTER_FORMATS: Readonly<Record<string, (moment: ZonedInstant) => string | number>> = {
  d: ({ wall }) => padToTwoDigits(wall.getUTCDate()),
  D: ({ wall }) => (DAYS[wall.getUTCDay()] ?? '').slice(0, 3),
  j: ({ wall }) => wall.getUTCDate(),
  l: ({ wall }) => DAYS[wall.getUTCDay()] ?? '',
  N: ({ wall }) => wall.getUTCDay() || 7,
  S: ({ wall }) => ordinal(wall.getUTCDate()),
  w: ({ wall }) => wall.getUTCDay(),
  z: dayOfYear,
  W: (moment) => padToTwoDigits(isoWeek(moment).week),
  F: ({ wall }) => MONTHS[wall.getUTCMonth()] ?? '',
  m: ({ wall }) => padToTwoDigits(wall.getUTCMonth() + 1),
  M: ({ wall }) => (MONTHS[wall.getUTCMonth()] ?? '').slice(0, 3),
  n: ({ wall }) => wall.getUTCMonth() + 1,
  t: ({ wall }) => daysInMonth(wall.getUTCFullYear(), wall.getUTCMonth()),
  L: ({ wall }) => (daysInMonth(wall.getUTCFullYear(), 1) === 29 ? 1 : 0),
  o: (moment) => isoWeek(moment).year,
  X: ({ wall }) => `+${padToFourDigits(wall.getUTCFullYear())}`,
  x: ({ wall }) => (wall.getUTCFullYear() > 9999 ? '+' : '') + padToFourDigits(wall.getUTCFullYear()),
  Y: ({ wall }) => padToFourDigits(wall.getUTCFullYear()),
  y: ({ wall }) => padToTwoDigits(wall.getUTCFullYear() % 100),
  a: ({ wall }) => (wall.getUTCHours() < 12 ? 'am' : 'pm'),
  A: ({ wall }) => (wall.getUTCHours() < 12 ? 'AM' : 'PM'),
  B: (moment) => String(swatchBeat(moment)).padStart(3, '0'),
  g: hour12,
  G: ({ wall }) => wall.getUTCHours(),
  h: (moment) => padToTwoDigits(hour12(moment)),
  H: ({ wall }) => padToTwoDigits(wall.getUTCHours()),
  i: ({ wall }) => padToTwoDigits(wall.getUTCMinutes()),
  s: ({ wall }) => padToTwoDigits(wall.getUTCSeconds()),
  u: ({ wall }) => String(wall.getUTCMilliseconds() * 1000).padStart(6, '0'),
  v: ({ wall }) => String(wall.getUTCMilliseconds()).padStart(3, '0'),
  e: ({ zone }) => zone.identifier,
  I: (moment) => (isDaylightSaving(moment) ? 1 : 0),
  O: ({ offset }) => utcOffsetWithoutColon(offset),
  P: ({ offset }) => formatUtcOffset(offset),
  p: ({ zone, offset }) => (zone.identifier === 'UTC' ? 'Z' : formatUtcOffset(offset)),
  T: ({ zone, ms }) => zone.abbreviationAt(ms),
  Z: ({ offset }) => offset / SECOND,
  c: (moment) => formatInstant('Y-m-d\\TH:i:sP', moment),
  r: (moment) => formatInstant('D, d M Y H:i:s O', moment),
  U: ({ ms }) => Math.floor(ms / SECOND),
};

const formatInstant = (format: string, moment: ZonedInstant): string =>
  format.replace(/\\(.?)|(.)/gsu, (_, escaped: string | undefined, sign: string) =>
    escaped === undefined ? String(LETTER_FORMATS[sign]?.(moment) ?? sign) : escaped,
  );

export function phpDate(format: string, ms: number, zone: TimeZone): string {
  const offset = zone.offsetAt(ms);
  return formatInstant(format, { ms, zone, offset, wall: new Date(ms + offset) });
}
