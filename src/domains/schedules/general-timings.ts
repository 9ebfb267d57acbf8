import type { Timing } from '../../part.ts';
import type { Settings } from '../settings/index.ts';
import { timesOfDay } from './timing.ts';

type General = Settings<'general'>;

export const syncTiming = ({ time_daily_update, frequency_daily_update, timezone_string }: General): Timing => ({
  pattern: timesOfDay(time_daily_update || '0:00', frequency_daily_update),
  timeZone: timezone_string,
});

/** Returns a daily timing in the time zone of the settings. */
export const dailyAt = (time: string, { timezone_string }: General): Timing => ({
  pattern: timesOfDay(time, 1),
  timeZone: timezone_string,
});
