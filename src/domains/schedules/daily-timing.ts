import type { CronTiming } from '../../platform/part.ts';
import type { Settings } from '../settings/index.ts';
import { dailyCronPattern } from './cron-timing.ts';

type TimeZoneSettings = Settings<'general'>;

export const dailyTimingAt = (time: string, { timezone_string }: TimeZoneSettings): CronTiming => ({
  pattern: dailyCronPattern(time, 1),
  timeZone: timezone_string,
});
