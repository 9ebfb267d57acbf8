import {
  reportScopeOf,
  type StoredReportRecord,
  type ReportScheduleRecord,
} from '../../../domains/report-schedules/index.ts';
import { etagOf, precondition } from '../../../http/etags.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { pageResponse, pageRequestOf } from '../paging.ts';
import { fileResponse } from '../pro-reports/report-files.ts';
import { listOrderOf } from '../query-helpers.ts';
import { newScheduleOf, periodChoiceOf, reportFilterOf, scheduleFilterOf, schedulePatchOf } from './input.ts';
import { mailPreview, reportView, scheduleView } from './view.ts';

export { fieldNames } from './input.ts';

export const routes = (
  { reportSchedules: { schedules, reports, release } }: RequiredServices<'reportSchedules'>,
  { base }: BaseAddress,
): HandlersOf<'report-schedules'> => ({
  report_schedules_list: async ({ caller, query }) => {
    const [filter, order] = [scheduleFilterOf(query), listOrderOf(query)];
    const page = await schedules.list(caller.sites, filter, order, pageRequestOf(query));
    return pageResponse(page, scheduleView, `${base}/report-schedules`, query);
  },
  report_schedules_add: async ({ body, caller }) =>
    scheduleResponse('added', await schedules.create(newScheduleOf(body), caller)),
  report_schedules_get: async ({ caller, path }) => {
    const data = scheduleView(await schedules.get(caller.sites, path.schedule_id));
    return { status: 200, etag: etagOf(data), body: { success: 1, data } };
  },
  report_schedules_edit: async ({ path, body, caller, ifMatch }) => {
    const unchanged = precondition(ifMatch, scheduleView);
    const patch = schedulePatchOf(body);
    return scheduleResponse('saved', await schedules.update(path.schedule_id, patch, caller, unchanged));
  },
  report_schedules_delete: async ({ path, caller, ifMatch }) => {
    const unchanged = precondition(ifMatch, scheduleView);
    return scheduleResponse('deleted', await schedules.delete(path.schedule_id, caller, unchanged));
  },
  report_schedules_run: async ({ path, body, caller }) => {
    const report = await schedules.run(path.schedule_id, periodChoiceOf(body), caller, body?.text ?? null);
    return reportResponse('The report is queued.', report);
  },
  report_schedules_preview: async ({ caller, path, query, disconnectSignal }) =>
    fileResponse(
      query.format,
      await schedules.preview(
        caller.sites,
        path.schedule_id,
        { ...periodChoiceOf(query), text: query.text ?? null },
        query.format,
        disconnectSignal,
      ),
    ),
  reports_list: async ({ caller, query }) => {
    const [filter, order] = [reportFilterOf(query), listOrderOf(query)];
    const page = await reports.list(reportScopeOf(caller), filter, order, pageRequestOf(query));
    return pageResponse(page, reportView, `${base}/reports`, query);
  },
  reports_get: async ({ caller, path }) => {
    const data = reportView(await reports.get(reportScopeOf(caller), path.report_id));
    return { status: 200, etag: etagOf(data), body: { success: 1, data } };
  },
  reports_file: async ({ caller, path, query }) => {
    const { format, name, bytes } = await reports.file(reportScopeOf(caller), path.report_id, query.format);
    return fileResponse(format, { content: bytes, name });
  },
  reports_send: async ({ path, body, caller }) =>
    reportResponse('The mail is queued.', await reports.send(path.report_id, body?.recipients, caller)),
  reports_mail: async ({ caller, path }) => ({
    status: 200,
    body: { success: 1, data: mailPreview(await release.mail(reportScopeOf(caller), path.report_id)) },
  }),
  reports_release: async ({ path, caller }) => {
    await release.release(caller, path.report_id);
    return reportResponse('The report was released.', await reports.get(reportScopeOf(caller), path.report_id));
  },
  reports_discard: async ({ path, caller }) => {
    await release.discard(caller, path.report_id);
    return reportResponse('The report was discarded.', await reports.get(reportScopeOf(caller), path.report_id));
  },
  reports_revoke_links: async ({ path, caller }) =>
    reportResponse('The links were revoked.', await reports.revokeLinks(path.report_id, caller)),
  reports_delete: async ({ path, caller, ifMatch }) => {
    const unchanged = precondition(ifMatch, reportView);
    const report = await reports.delete(path.report_id, caller, unchanged);
    return reportResponse('The report was deleted.', report);
  },
});

const scheduleResponse = (did: string, schedule: ReportScheduleRecord) => {
  const data = scheduleView(schedule);
  const body = { success: 1 as const, message: `The schedule was ${did}.`, data };
  return { status: 200 as const, etag: etagOf(data), body };
};

const reportResponse = (message: string, report: StoredReportRecord) => {
  const data = reportView(report);
  return { status: 200 as const, etag: etagOf(data), body: { success: 1 as const, message, data } };
};
