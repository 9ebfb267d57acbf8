import { DAY, HOUR, SECOND } from '../../shared/clock.ts';
import { offsetInWords, type TimeZone } from './time-zone.ts';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];

interface Moment {
  ms: number;
  zone: TimeZone;
  offset: number;
  /** Local time, stored as if it were UTC. */
  wall: Date;
}

const two = (value: number): string => String(value).padStart(2, '0');
const four = (value: number): string => String(value).padStart(4, '0');
const withoutColon = (offset: number): string => offsetInWords(offset).replace(':', '');
const hour12 = ({ wall }: Moment): number => wall.getUTCHours() % 12 || 12;
const utcMidnight = (year: number, month: number, day: number): number => new Date(0).setUTCFullYear(year, month, day);
const dayOfYear = ({ wall }: Moment): number => {
  const year = wall.getUTCFullYear();
  return (utcMidnight(year, wall.getUTCMonth(), wall.getUTCDate()) - utcMidnight(year, 0, 1)) / DAY;
};
const daysIn = (year: number, month: number): number => new Date(utcMidnight(year, month + 1, 0)).getUTCDate();

function isoWeek({ wall }: Moment): { week: number; year: number } {
  const weekday = wall.getUTCDay() || 7;
  const thursday = new Date(utcMidnight(wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate() + 4 - weekday));
  const year = thursday.getUTCFullYear();
  return { week: Math.floor((thursday.getTime() - utcMidnight(year, 0, 1)) / (7 * DAY)) + 1, year };
}

function ordinal(day: number): string {
  if (day >= 11 && day <= 13) return 'th';
  return ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th';
}

function isDaylightSaving({ wall, zone, offset }: Moment): boolean {
  const year = wall.getUTCFullYear();
  return offset > Math.min(...[0, 6].map((month) => zone.offsetAt(utcMidnight(year, month, 1))));
}

const swatchBeat = ({ ms }: Moment): number => Math.floor(((ms + HOUR) % DAY) / (86.4 * SECOND));

/** Letters of PHP's `date()`, for dates since 1970. Other characters are copied. */
const LETTER_FORMATS: Readonly<Record<string, (moment: Moment) => string | number>> = {
  d: ({ wall }) => two(wall.getUTCDate()),
  D: ({ wall }) => (DAYS[wall.getUTCDay()] ?? '').slice(0, 3),
  j: ({ wall }) => wall.getUTCDate(),
  l: ({ wall }) => DAYS[wall.getUTCDay()] ?? '',
  N: ({ wall }) => wall.getUTCDay() || 7,
  S: ({ wall }) => ordinal(wall.getUTCDate()),
  w: ({ wall }) => wall.getUTCDay(),
  z: dayOfYear,
  W: (moment) => two(isoWeek(moment).week),
  F: ({ wall }) => MONTHS[wall.getUTCMonth()] ?? '',
  m: ({ wall }) => two(wall.getUTCMonth() + 1),
  M: ({ wall }) => (MONTHS[wall.getUTCMonth()] ?? '').slice(0, 3),
  n: ({ wall }) => wall.getUTCMonth() + 1,
  t: ({ wall }) => daysIn(wall.getUTCFullYear(), wall.getUTCMonth()),
  L: ({ wall }) => (daysIn(wall.getUTCFullYear(), 1) === 29 ? 1 : 0),
  o: (moment) => isoWeek(moment).year,
  X: ({ wall }) => `+${four(wall.getUTCFullYear())}`,
  x: ({ wall }) => (wall.getUTCFullYear() > 9999 ? '+' : '') + four(wall.getUTCFullYear()),
  Y: ({ wall }) => four(wall.getUTCFullYear()),
  y: ({ wall }) => two(wall.getUTCFullYear() % 100),
  a: ({ wall }) => (wall.getUTCHours() < 12 ? 'am' : 'pm'),
  A: ({ wall }) => (wall.getUTCHours() < 12 ? 'AM' : 'PM'),
  B: (moment) => String(swatchBeat(moment)).padStart(3, '0'),
  g: hour12,
  G: ({ wall }) => wall.getUTCHours(),
  h: (moment) => two(hour12(moment)),
  H: ({ wall }) => two(wall.getUTCHours()),
  i: ({ wall }) => two(wall.getUTCMinutes()),
  s: ({ wall }) => two(wall.getUTCSeconds()),
  u: ({ wall }) => String(wall.getUTCMilliseconds() * 1000).padStart(6, '0'),
  v: ({ wall }) => String(wall.getUTCMilliseconds()).padStart(3, '0'),
  e: ({ zone }) => zone.identifier,
  I: (moment) => (isDaylightSaving(moment) ? 1 : 0),
  O: ({ offset }) => withoutColon(offset),
  P: ({ offset }) => offsetInWords(offset),
  p: ({ zone, offset }) => (zone.identifier === 'UTC' ? 'Z' : offsetInWords(offset)),
  T: ({ zone, ms }) => zone.abbreviationAt(ms),
  Z: ({ offset }) => offset / SECOND,
  c: (moment) => formatted('Y-m-d\\TH:i:sP', moment),
  r: (moment) => formatted('D, d M Y H:i:s O', moment),
  U: ({ ms }) => Math.floor(ms / SECOND),
};

const formatted = (format: string, moment: Moment): string =>
  format.replace(/\\(.?)|(.)/gsu, (_, escaped: string | undefined, sign: string) =>
    escaped === undefined ? String(LETTER_FORMATS[sign]?.(moment) ?? sign) : escaped,
  );

export function phpDate(format: string, ms: number, zone: TimeZone): string {
  const offset = zone.offsetAt(ms);
  return formatted(format, { ms, zone, offset, wall: new Date(ms + offset) });
}
