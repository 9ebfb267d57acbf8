import { FieldErrors } from '../../shared/field-errors.ts';
import type { ReportDays } from '../pro-reports/index.ts';
import { lastCompletePeriod, periodUpTo } from './recurrence-times.ts';
import type { Frequency } from './report-schedule.ts';

export interface PeriodChoice {
  period?: 'previous' | 'current';
  startDate?: string;
  endDate?: string;
}

/**
 * Returns the days of a period. `today` is the day in the time zone of the report. Throws `InvalidError` if `period` is
 * set together with days, if only one day is set, or if the first day is in the future. Does not check the order of the
 * days.
 */
export function chosenDays(
  { period, startDate, endDate }: PeriodChoice,
  frequency: Frequency,
  today: string,
): ReportDays {
  new FieldErrors()
    .require('period', period === undefined || (!startDate && !endDate), 'must not be set together with days')
    .require('startDate', !endDate || startDate !== undefined, 'must be set with the last day')
    .require('startDate', !startDate || startDate <= today, 'must not be in the future')
    .require('endDate', !startDate || endDate !== undefined, 'must be set with the first day')
    .throwIfAny();
  if (startDate && endDate) return { startDate, endDate };
  return period === 'current' ? periodUpTo(frequency, today) : lastCompletePeriod(frequency, today);
}
