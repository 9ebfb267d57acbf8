import { plausibleTime } from './json-reading.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Matches `2027-01-31`, `2027/01/31`, `2027.01.31`, `2027. 01. 31.` and `20270131`. */
const YEAR_FIRST = /^(\d{4})(?:[-/]|\.\s?)?(\d{2}|[a-z]{3})(?:[-/]|\.\s?)?(\d{2})(?!\d)/i;
/** Matches `31.1.2027`, `31-01-2027`, `31/01/2027`, `31-Jan-2027` and `31 January 2027`. */
const DAY_FIRST = /^(\d{1,2})(?:st|nd|rd|th)?[-/. ]+(\d{1,2}|[a-z]{3,9})[-/. ]+(\d{4})(?!\d)/i;
const WEEKDAY_FIRST = /^[a-z]{3},? ([a-z]{3}) +(\d{1,2}) (?:\d{2}:\d{2}:\d{2} )?(?:[a-z]{3,4} )?(\d{4})/i;
const TIME_OF_DAY = /[T ](\d{2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?/i;

/** Parses the date of a WHOIS record. Each registry has its own format. A time without a zone is in UTC. */
export function parseWhoisDate(text: string): number | null {
  const line = text.trim();
  const [year, month, day] = calendarDate(line);
  if (year === undefined || month === undefined || day === undefined) return null;
  const ms = Date.UTC(year, month - 1, day);
  const date = new Date(ms);
  // `Date.UTC` turns an invalid day such as February 31 into another day.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return plausibleTime(ms + timeOfDay(line));
}

function calendarDate(line: string): [year?: number, month?: number, day?: number] {
  const yearFirst = YEAR_FIRST.exec(line);
  if (yearFirst) return [Number(yearFirst[1]), parseMonth(yearFirst[2]), Number(yearFirst[3])];
  const dayFirst = DAY_FIRST.exec(line);
  if (dayFirst) return [Number(dayFirst[3]), parseMonth(dayFirst[2]), Number(dayFirst[1])];
  const weekdayFirst = WEEKDAY_FIRST.exec(line);
  return weekdayFirst ? [Number(weekdayFirst[3]), parseMonth(weekdayFirst[1]), Number(weekdayFirst[2])] : [];
}

function parseMonth(text = ''): number | undefined {
  const month = /^\d+$/.test(text) ? Number(text) : MONTHS.indexOf(text.slice(0, 3).toLowerCase()) + 1;
  return month >= 1 && month <= 12 ? month : undefined;
}

function timeOfDay(line: string): number {
  const [, hours = '0', minutes = '0', seconds = '0', zone = 'Z'] = TIME_OF_DAY.exec(line) ?? [];
  const [, sign, zoneHours = '0', zoneMinutes = '0'] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  const offset = (sign === '-' ? -1 : 1) * (Number(zoneHours) * 60 + Number(zoneMinutes));
  return ((Number(hours) * 60 + Number(minutes) - offset) * 60 + Number(seconds)) * 1000;
}
