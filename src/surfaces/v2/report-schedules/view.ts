import type { components } from '../../../../generated/v2.ts';
import type { PreviewedMail } from '../../../domains/mail/index.ts';
import type { StoredReportRecord, ReportScheduleRecord } from '../../../domains/report-schedules/index.ts';
import { toIso } from '../../../shared/clock.ts';

type Schemas = components['schemas'];

export const scheduleView = (schedule: ReportScheduleRecord): Schemas['ReportSchedule'] => ({
  id: schedule.id,
  name: schedule.name,
  about: schedule.siteId === null ? 'client' : 'site',
  site: schedule.site,
  client: schedule.client,
  frequency: schedule.frequency,
  day: schedule.day,
  time: schedule.time,
  segments: schedule.segments && [...schedule.segments],
  recipients: [...schedule.recipients],
  sends_to: schedule.sendsTo,
  subject: schedule.subject,
  format: schedule.format,
  active: schedule.active,
  hold_first_report: schedule.holdFirstReport,
  hold_status: !schedule.holdFirstReport ? 'none' : schedule.releasedAt === null ? 'holding' : 'released',
  next_run: toIso(schedule.isSuspended ? null : schedule.nextRunAt),
  last_run: toIso(schedule.lastRunAt),
  created_at: toIso(schedule.createdAt),
  updated_at: toIso(schedule.updatedAt),
});

export const reportView = (report: StoredReportRecord): Schemas['KeptReport'] => ({
  id: report.id,
  about: report.about,
  name: report.name,
  url: report.about === 'site' ? report.url : null,
  schedule_id: report.scheduleId,
  site_id: report.siteId,
  client_id: report.clientId,
  frequency: report.frequency,
  start_date: report.startDate,
  end_date: report.endDate,
  time_zone: report.zone,
  status: report.state,
  error: report.fault,
  html_size: report.htmlSize,
  pdf_size: report.pdfSize,
  pdf_error: report.pdfFault,
  summary: [...report.summary],
  mails: report.mails.map(({ id, state, recipients, createdAt, sentAt }) => ({
    id,
    state,
    recipients: recipients.map(({ address }) => address),
    created_at: toIso(createdAt),
    sent_at: toIso(sentAt),
  })),
  links: report.links.map((link) => ({
    id: link.id,
    mail_id: link.mailId,
    created_at: toIso(link.createdAt),
    expires_at: toIso(link.expiresAt),
    revoked_at: toIso(link.revokedAt),
    openings: link.openings,
    last_opened_at: toIso(link.lastOpenedAt),
  })),
  release_status: report.releaseState ?? 'none',
  waits_since: toIso(report.heldAt),
  job_id: report.jobId,
  created_at: toIso(report.createdAt),
  made_at: toIso(report.madeAt),
});

export const mailPreview = (mail: PreviewedMail): Schemas['ReportMailPreview'] => ({
  subject: mail.subject,
  from_name: mail.fromName,
  reply_to: mail.replyTo,
  recipients: [...mail.recipients],
  html: mail.html,
  text: mail.text,
  links: mail.links.map(({ label, href }) => ({ label, href })),
  attachments: mail.attachments.map(({ name, contentType, size }) => ({ name, content_type: contentType, size })),
});
