import type { Knex } from 'knex';
import { part, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ChangesServices } from '../changes/index.ts';
import type { MailServices } from '../mail/index.ts';
import type { ModulesServices } from '../modules/index.ts';
import type { ProReportsServices } from '../pro-reports/index.ts';
import type { ReportPagesServices } from '../report-pages/index.ts';
import type { SettingsServices } from '../settings/index.ts';
import { KeptReportRepository } from './kept-report-repository.ts';
import { KeptReportService } from './kept-report-service.ts';
import { makeReportJob } from './make-report.job.ts';
import { ReportLetters } from './report-letters.ts';
import { reportLog } from './report-log.ts';
import { ReportMaker } from './report-maker.ts';
import { Press } from './report-press.ts';
import { ReportScheduleRepository } from './report-schedule-repository.ts';
import { ReportScheduleService } from './report-schedule-service.ts';
import { ReportRuns, reportsSchedule } from './reports-schedule.ts';

interface Needs {
  changes: ChangesServices;
  mail: MailServices;
  modules: ModulesServices;
  proReports: ProReportsServices;
  reportPages: ReportPagesServices;
  settings: SettingsServices;
}

/** Makes reports by schedule, stores them and sends them to clients. */
export function reportSchedulesPart(
  { knex, clock, queue }: Platform,
  {
    changes,
    mail,
    modules: { modules },
    proReports,
    reportPages: { reportPages: pages },
    settings: { settings, formats },
  }: Needs,
) {
  const press = new Press(proReports.reports, pages);
  const group = () => settings.current('pro-reports');
  const dayOf = (ms: number): string => formats.dayOf(ms);
  const log = reportLog(changes.changeLog);
  const letters = new ReportLetters({ letters: mail.letters, formats, agency: () => group().agency_name });
  const range = proReports.reports.range.bind(proReports.reports);
  const maker = new ReportMaker({ knex, clock, press, letters, range, log });
  const makeReport = modules.whileActive(
    'pro-reports',
    makeReportJob((reportId, signal) => maker.make(reportId, signal)),
  );
  const runs = new ReportRuns({ clock, queue, makeReport, general: () => settings.current('general'), dayOf });
  const reports = new KeptReportService({
    knex,
    clock,
    log,
    letters,
    mails: mail.mails,
    keptDays: () => group().keep_reports_days,
  });
  return part({
    name: 'report-schedules',
    own: { schedules: new ReportScheduleService({ knex, clock, log, runs, maker, dayOf }), reports },
    jobs: [makeReport],
    schedules: [reportsSchedule(runs)],
    retentions: [{ name: 'kept-reports', prune: () => reports.prune() }],
    onSiteDeleted: [(trx, siteId) => dropOf('site_id', siteId, trx)],
    onClientDeleted: [(trx, clientId) => dropOf('client_id', clientId, trx)],
  });
}

/** Deletes the schedules of a site or client and their queued reports. Finished reports are kept. */
async function dropOf(target: 'site_id' | 'client_id', id: number, trx: Knex.Transaction): Promise<void> {
  const schedules = new ReportScheduleRepository(trx);
  await new KeptReportRepository(trx).dropQueuedOf(await schedules.idsOf(target, id));
  await schedules.dropOf(target, id);
}

export type ReportSchedulesServices = OwnOf<typeof reportSchedulesPart>;
