import type { Knex } from 'knex';
import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { AccessServices } from '../access/index.ts';
import type { ChangesServices } from '../changes/index.ts';
import type { MailServices } from '../mail/index.ts';
import type { ModulesServices } from '../modules/index.ts';
import { parseReportRange, type ProReportsServices } from '../pro-reports/index.ts';
import type { ReportPagesServices } from '../report-pages/index.ts';
import type { SettingsServices } from '../settings/index.ts';
import { StoredReportRepository } from './stored-report-repository.ts';
import { StoredReportService } from './stored-report-service.ts';
import { makeReportJob } from './make-report.job.ts';
import { ReportMailer } from './report-mailer.ts';
import { createReportChangeLog } from './report-change-log.ts';
import { openingsSchedule, ReportLinks } from './report-links.ts';
import { ReportMaker } from './report-maker.ts';
import { ReportRelease } from './report-release.ts';
import { ReportRenderer } from './report-renderer.ts';
import { ReportScheduleRepository } from './report-schedule-repository.ts';
import { ReportScheduleService } from './report-schedule-service.ts';
import { ReportScheduleRunner, reportsSchedule } from './report-schedule-runner.ts';
import { whereReportVisible } from './report-scope-read-model.ts';

interface ReportSchedulesPartDeps {
  access: AccessServices;
  changes: ChangesServices;
  mail: MailServices;
  modules: ModulesServices;
  proReports: ProReportsServices;
  reportPages: ReportPagesServices;
  settings: SettingsServices;
}

export function reportSchedulesPart(
  { knex, clock, queue, sealing, linkBase, logger }: Platform,
  {
    access: { access },
    changes,
    mail,
    modules: { modules },
    proReports,
    reportPages: { reportPages: pages, reportReader },
    settings: { settings, formats },
  }: ReportSchedulesPartDeps,
) {
  const renderer = new ReportRenderer(reportReader, pages);
  const group = () => settings.current('pro-reports');
  const dayOf = (ms: number, zone = ''): string => formats.inZone(zone).dayOf(ms);
  const log = createReportChangeLog(changes.changeLog);
  const days = (): number => group().share_link_days;
  const links = new ReportLinks({ knex, clock, sealing, log, days, dayOf });
  const holdsByDefault = (): boolean => group().hold_first_report === 1;
  const mailer = new ReportMailer({ mailer: mail.mailer, formats, branding: pages.branding, links, linkBase, logger });
  const range = proReports.reports.range.bind(proReports.reports);
  const release = new ReportRelease({ knex, clock, log, mailer });
  const maker = new ReportMaker({
    ...{ knex, clock, renderer, mailer, range, log },
    scopeOfOwner: (owner) => access.scopeOfOwner(owner),
  });
  const makeReport = modules.whileActive(
    'pro-reports',
    makeReportJob((reportId, owner, signal) => maker.make(reportId, owner, signal)),
  );
  const runs = new ReportScheduleRunner({
    clock,
    queue,
    makeReport,
    general: () => settings.current('general'),
    dayOf,
    endOf: ({ startDate, endDate }, zone) =>
      parseReportRange({ startDate, endDate }, { zoneName: zone, zone: formats.inZone(zone).zone() }).until,
  });
  const reports = new StoredReportService({
    knex,
    clock,
    log,
    links,
    mailer,
    mails: mail.mails,
    retentionDays: () => group().keep_reports_days,
  });
  return definePart({
    name: 'report-schedules',
    deletionCounts: [
      { of: 'site', effect: 'report_schedules', table: 'report_schedules', column: 'site_id' },
      { of: 'client', effect: 'report_schedules', table: 'report_schedules', column: 'client_id' },
      ...(['site', 'client'] as const).flatMap((of) => {
        const reports = { of, table: 'kept_reports', column: `${of}_id`, whereVisible: whereReportVisible };
        return [
          { ...reports, effect: 'queued_reports' as const, where: { state: 'queued' } },
          { ...reports, effect: 'reports' as const, whereNot: { state: 'queued' } },
        ];
      }),
    ],
    own: {
      schedules: new ReportScheduleService({ knex, clock, log, runs, maker, renderer, dayOf, holdsByDefault }),
      reports,
      links,
      release,
    },
    jobs: [makeReport],
    schedules: [reportsSchedule(runs), openingsSchedule(links, () => settings.current('general')), release.reminders()],
    retentions: [{ name: 'kept-reports', prune: () => reports.prune() }],
    onSiteDeleted: [(trx, siteId) => deleteSchedulesOf('site_id', siteId, trx)],
    onClientDeleted: [(trx, clientId) => deleteSchedulesOf('client_id', clientId, trx)],
    // Some reports go to the client's email address. A limited caller that changes it becomes their schedule's owner.
    onClientMailChanged: [
      (trx, clientId, { owner }) => new ReportScheduleRepository(trx).setOwnerOfMailsTo(clientId, owner),
    ],
  });
}

async function deleteSchedulesOf(target: 'site_id' | 'client_id', id: number, trx: Knex.Transaction): Promise<void> {
  const schedules = new ReportScheduleRepository(trx);
  await new StoredReportRepository(trx).deleteQueuedOf(await schedules.idsOf(target, id));
  await schedules.deleteOf(target, id);
}

export type ReportSchedulesServices = OwnOf<typeof reportSchedulesPart>;
