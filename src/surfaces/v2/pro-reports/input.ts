import type { ReportRange, ReportService } from '../../../domains/pro-reports/index.ts';

export const rangeIn = (
  { start_date: startDate, end_date: endDate }: { start_date: string; end_date: string },
  reports: ReportService,
): ReportRange => reports.range({ startDate, endDate });
