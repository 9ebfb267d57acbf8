import type { CronTiming } from '../../platform/part.ts';
import type { Settings } from '../settings/index.ts';
import { dailyCronPattern } from './cron-timing.ts';

type General = Settings<'general'>;

export const dailyTimingAt = (time: string, { timezone_string }: General): CronTiming => ({
  pattern: dailyCronPattern(time, 1),
  timeZone: timezone_string,
});
