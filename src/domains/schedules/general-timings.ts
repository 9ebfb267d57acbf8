import type { CronTiming } from '../../platform/part.ts';
import type { Settings } from '../settings/index.ts';
import { timesOfDay } from './timing.ts';

type General = Settings<'general'>;

export const dailyAt = (time: string, { timezone_string }: General): CronTiming => ({
  pattern: timesOfDay(time, 1),
  timeZone: timezone_string,
});
