import type { Knex } from 'knex';
import { DEFAULT_LANGUAGE, languageOf } from '../../languages/index.ts';
import { unlimitedRequester, type Requester } from '../../shared/requester.ts';
import type { Logger } from '../../shared/logger.ts';
import type { TransactionScope } from '../../db/transaction.ts';
import type { MailBranding, Mailer, PreviewedMail, UnrenderedMail } from '../mail/index.ts';
import { ReportFormats } from '../report-pages/index.ts';
import type { Formats } from '../settings/index.ts';
import { CONTENT_TYPES, type StoredReport, type MadeReport } from './stored-report.ts';
import { isFullPeriod } from './recurrence-times.ts';
import { ReportTargetReadModel } from './report-target-read-model.ts';
import { StoredReportRepository } from './stored-report-repository.ts';
import { TOKEN_PLACEHOLDER } from './report-link.ts';
import type { ReportLinks } from './report-links.ts';
import type { FileFormat } from './report-schedule.ts';

export type MailedReport = Pick<
  StoredReport,
  'id' | 'about' | 'clientId' | 'name' | 'url' | 'frequency' | 'startDate' | 'endDate' | 'zone'
> &
  Pick<MadeReport, 'summary' | 'language' | 'recipients' | 'subject' | 'sitesCount' | 'fileName'> & {
    format: FileFormat;
    bytes: Uint8Array;
  };

export interface ReportMailerDeps {
  mailer: Pick<Mailer, 'send' | 'preview'>;
  formats: Formats;
  /** Branding from the settings, for a report that was stored without its own look. */
  branding: () => MailBranding;
  links: ReportLinks;
  /**
   * First part of the URL of links for clients. Null if the service has no public address: the report is then attached
   * to the mail.
   */
  linkBase: string | null;
  logger: Logger;
}

export class ReportMailer {
  readonly #deps: ReportMailerDeps;

  constructor(deps: ReportMailerDeps) {
    this.#deps = deps;
  }

  /** Returns the ID of the mail, or null if report mails are turned off. */
  async send(scope: TransactionScope, report: MailedReport, requestedBy: Requester): Promise<number | null> {
    const { mailer, links, linkBase } = this.#deps;
    const link = linkBase === null ? null : links.newToken();
    const siteIds = await new StoredReportRepository(scope.trx).siteIds(report.id);
    const mail = { ...(await this.#compose(scope.trx, report, link)), siteIds, shownClientId: report.clientId };
    const { mailId } = await mailer.send(scope, mail, requestedBy);
    if (mailId === null) return null;
    if (link) await links.add(scope.trx, { ...link, reportId: report.id, mailId });
    else scope.afterCommit(() => this.#warnAboutAttachment(report.id, mailId));
    return mailId;
  }

  async preview(knex: Knex, report: MailedReport): Promise<PreviewedMail> {
    const { mailer, links, linkBase } = this.#deps;
    return mailer.preview(await this.#compose(knex, report, linkBase === null ? null : links.newToken()));
  }

  /** Tells staff that a report waits for its release. */
  async sendNotice(
    scope: TransactionScope,
    report: StoredReport,
    { isReminder }: { isReminder: boolean },
  ): Promise<void> {
    const { mailer, formats } = this.#deps;
    const { name, about, url, recipients, heldAt } = report;
    const period = isFullPeriod('monthly', report)
      ? languageOf(DEFAULT_LANGUAGE).month(Date.parse(report.startDate))
      : `${formats.day(report.startDate)} – ${formats.day(report.endDate)}`;
    const status = isReminder ? 'Still waits for release' : 'Waits for release';
    await mailer.send(
      scope,
      {
        type: 'report_waiting',
        message: {
          intro: isReminder
            ? `A report for ${name} still waits. The client does not get it before it is released.`
            : `A report for ${name} is ready. The client does not get it before it is released.`,
          sections: [
            {
              title: null,
              items: [
                {
                  tone: 'warn',
                  badge: status,
                  title: name,
                  address: about === 'site' ? url : null,
                  facts: [
                    { label: 'Period', value: period },
                    { label: 'Report', value: `No. ${report.id}` },
                    ...(heldAt === null ? [] : [{ label: 'Waits since', value: formats.dateTime(heldAt) }]),
                    { label: 'Goes to', value: recipients.join(', ') },
                  ],
                },
              ],
              more: 0,
            },
          ],
          note: 'Read the report and its mail, then release or discard it. Later reports of the schedule wait for it.',
        },
        tokens: { site: name, count: '1', status },
      },
      unlimitedRequester(`report:${report.id}`),
    );
  }

  async #compose(
    trx: Knex,
    report: MailedReport,
    link: { token: string; expiresAt: number } | null,
  ): Promise<UnrenderedMail> {
    const { about, name, url, frequency, summary, sitesCount, format, bytes } = report;
    const { linkBase } = this.#deps;
    const language = languageOf(report.language);
    const formats = new ReportFormats(language, this.#deps.formats.inZone(report.zone).zone());
    const days = {
      first: formats.day(report.startDate),
      last: formats.day(report.endDate),
      isDay: String(report.startDate === report.endDate),
    };
    const sender = await new ReportTargetReadModel(trx).senderHeadersOf(report.clientId);
    const look = await new StoredReportRepository(trx).mailLook(report.id);
    const branding = look?.branding ?? this.#deps.branding();
    return {
      type: 'report',
      message: {
        language: { tag: language.tag, direction: language.direction },
        branding,
        greeting: look?.greeting ?? [],
        intro:
          about === 'site'
            ? language.text('mail.report.intro.site', { site: name, ...days })
            : language.text('mail.report.intro.sites', { count: sitesCount, ...days }),
        sections: [
          {
            title: null,
            items: [
              {
                tone: 'info',
                badge: language.text(`mail.report.${isFullPeriod(frequency, report) ? frequency : 'other'}`),
                title: name,
                address: about === 'site' ? url : null,
                facts: summary.map((value) => ({ label: '', value })),
              },
            ],
            more: 0,
          },
        ],
        note: link
          ? language.text('mail.report.link', { date: formats.date(link.expiresAt) })
          : language.text(`mail.report.${format}`),
        links: link
          ? [{ label: language.text('mail.report.open'), href: `${linkBase}/share/reports/${TOKEN_PLACEHOLDER}` }]
          : [],
        footer: branding.name === '' ? null : language.text('mail.report.footer', { agency: branding.name }),
      },
      tokens: { site: name, period: formats.period(report), count: String(sitesCount) },
      recipients: report.recipients,
      subject: report.subject,
      defaults: { heading: language.text('mail.report.heading'), subject: language.text('mail.report.subject') },
      ...(sender && { sender }),
      ...(link
        ? { secretTexts: { [TOKEN_PLACEHOLDER]: link.token } }
        : { attachments: [{ name: `${report.fileName}.${format}`, contentType: CONTENT_TYPES[format], bytes }] }),
    };
  }

  #warnAboutAttachment(reportId: number, mailId: number): void {
    this.#deps.logger.warn(
      { report_id: reportId, mail_id: mailId },
      'a report was attached to its mail, because SITEFLEET_PUBLIC_URL is not set or is no public address',
    );
  }
}
