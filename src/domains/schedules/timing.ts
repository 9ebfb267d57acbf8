import { Cron } from 'croner';
import type { Timing } from '../../part.ts';

const MINUTES_AN_HOUR = 60;

/** An offset as the settings write it; `UTC+2`, `UTC-3:30`. */
const OFFSET = /^UTC([+-])(\d{1,2})(?::(\d{2}))?$/;

/** The library knows names; an offset it takes in minutes. */
function placeOf(timeZone: string): { timezone: string } | { utcOffset: number } {
  const [, sign, hours, minutes = '0'] = OFFSET.exec(timeZone) ?? [];
  if (hours === undefined) return { timezone: timeZone };
  return { utcOffset: (sign === '-' ? -1 : 1) * (Number(hours) * MINUTES_AN_HOUR + Number(minutes)) };
}

/** The first moment of a timing after another; null when there is none, as in a zone that nobody knows. */
export function nextRun({ pattern, timeZone }: Timing, after: number): number | null {
  try {
    const place = { ...placeOf(timeZone), mode: '5-part' } as const;
    const runs = pattern.split('|').map((each) => new Cron(each.trim(), place).nextRun(new Date(after)));
    return runs.flatMap((run) => run?.getTime() ?? []).sort((a, b) => a - b)[0] ?? null;
  } catch {
    return null;
  }
}

/** Tells timings apart; that of a schedule at rest is empty. */
export const fingerprintOf = (timing: Timing | null): string => (timing ? `${timing.pattern} ${timing.timeZone}` : '');

/** Times of day as a pattern: so many a day, from the first on, at hours that lie as evenly as whole hours can. */
export function timesOfDay(first: string, times: number): string {
  const [hour = 0, minute = 0] = first.split(':').map(Number);
  const hours = Array.from({ length: times }, (_, at) => (hour + Math.floor((24 * at) / times)) % 24);
  return `${minute} ${hours.sort((a, b) => a - b).join(',')} * * *`;
}
