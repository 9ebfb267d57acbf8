import type { components, operations } from '../../../../generated/v2.ts';
import type {
  StoredReportFilter,
  NewReportSchedule,
  PeriodChoice,
  ReportScheduleFilter,
  ReportSchedulePatch,
} from '../../../domains/report-schedules/index.ts';
import { dropEmptyFilters } from '../query-helpers.ts';

type Schemas = components['schemas'];
type QueryOf<Id extends keyof operations> = operations[Id] extends { parameters: { query?: infer Q } }
  ? NonNullable<Q>
  : never;

export const fieldNames = {
  siteId: 'site_id',
  clientId: 'client_id',
  startDate: 'start_date',
  endDate: 'end_date',
  holdFirstReport: 'hold_first_report',
};

export const newScheduleOf = ({
  site_id: siteId,
  client_id: clientId,
  hold_first_report: holdFirstReport,
  ...fields
}: Schemas['ReportScheduleAdd']): NewReportSchedule => ({
  ...fields,
  ...(holdFirstReport !== undefined && { holdFirstReport }),
  ...(siteId !== undefined && { siteId }),
  ...(clientId !== undefined && { clientId }),
});

export const schedulePatchOf = ({
  hold_first_report: holdFirstReport,
  ...fields
}: Schemas['ReportScheduleEdit']): ReportSchedulePatch =>
  Object.fromEntries(Object.entries({ ...fields, holdFirstReport }).filter(([, value]) => value !== undefined));

export const periodChoiceOf = ({
  period,
  start_date: startDate,
  end_date: endDate,
}: Schemas['ReportScheduleRun'] = {}): PeriodChoice => ({
  ...(period !== undefined && { period }),
  ...(startDate !== undefined && { startDate }),
  ...(endDate !== undefined && { endDate }),
});

export const scheduleFilterOf = (query: QueryOf<'report_schedules_list'>): ReportScheduleFilter => {
  const { site_id: siteId, client_id: clientId, active, frequency, search } = query;
  return dropEmptyFilters({ siteId, clientId, active, frequency, search });
};

export const reportFilterOf = (query: QueryOf<'reports_list'>): StoredReportFilter => {
  const { site_id: siteId, client_id: clientId, schedule_id: scheduleId, from, to } = query;
  const { status: state, mail_status: mailState } = query;
  return dropEmptyFilters({ siteId, clientId, scheduleId, state, mailState, from, to });
};
