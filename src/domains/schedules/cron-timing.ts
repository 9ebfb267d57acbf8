import { Cron } from 'croner';
import type { CronTiming } from '../../platform/part.ts';

const MINUTES_AN_HOUR = 60;

const OFFSET = /^UTC([+-])(\d{1,2})(?::(\d{2}))?$/;

/**
 * Converts a time zone of the settings: a name, or an offset such as `UTC-3:30`. The cron library accepts offsets only
 * in minutes.
 */
function cronZoneOptions(timeZone: string): { timezone: string } | { utcOffset: number } {
  const [, sign, hours, minutes = '0'] = OFFSET.exec(timeZone) ?? [];
  if (hours === undefined) return { timezone: timeZone };
  return { utcOffset: (sign === '-' ? -1 : 1) * (Number(hours) * MINUTES_AN_HOUR + Number(minutes)) };
}

/**
 * Returns the first run after `after` in milliseconds since 1970, or null if there is none, as for an unknown time
 * zone.
 */
export function nextRun({ pattern, timeZone }: CronTiming, after: number): number | null {
  try {
    const place = { ...cronZoneOptions(timeZone), mode: '5-part' } as const;
    const runs = pattern.split('|').map((each) => new Cron(each.trim(), place).nextRun(new Date(after)));
    return runs.flatMap((run) => run?.getTime() ?? []).sort((a, b) => a - b)[0] ?? null;
  } catch {
    return null;
  }
}

/**
 * Returns a function like `nextRun` for times from `from` on. It calculates each run once, so use it for many times
 * that are close to `from`.
 */
export function createRunFinder(timing: CronTiming, from: number): (after: number) => number | null {
  const runs: number[] = [];
  return (after) => {
    for (let last = runs.at(-1) ?? from - 1; last <= after;) {
      const next = nextRun(timing, last);
      if (next === null) return null;
      runs.push((last = next));
    }
    return runs.find((run) => run > after) ?? null;
  };
}

export const timingFingerprintOf = (timing: CronTiming | null): string =>
  timing ? `${timing.pattern} ${timing.timeZone}` : '';

/**
 * Returns the pattern of `times` runs a day. The first one is at `first`; the others follow at intervals that are as
 * even as whole hours allow.
 */
export function dailyCronPattern(first: string, times: number): string {
  const [hour = 0, minute = 0] = first.split(':').map(Number);
  const hours = Array.from({ length: times }, (_, at) => (hour + Math.floor((24 * at) / times)) % 24);
  return `${minute} ${hours.sort((a, b) => a - b).join(',')} * * *`;
}
