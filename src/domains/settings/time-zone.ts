import { MINUTE } from '../../shared/clock.ts';

/** Where it is what time: a place whose rules the system knows, or a fixed distance from UTC. */
export type TimeZone = { readonly name: string } | { readonly offsetMs: number };

const OFFSET = /^UTC([+-])(\d|1[0-4])(?::(30|45))?$/;

/** A zone as the settings write it: `UTC`, `UTC-3:30`, `Europe/Berlin`; null for one that is not known here. */
export function timeZoneOf(text: string): TimeZone | null {
  if (text === 'UTC') return { offsetMs: 0 };
  const [, sign, hours, minutes = 0] = OFFSET.exec(text) ?? [];
  if (sign !== undefined)
    return { offsetMs: (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE };
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return { name: text };
  } catch {
    return null;
  }
}

export const isTimeZone = (text: string): boolean => timeZoneOf(text) !== null;
