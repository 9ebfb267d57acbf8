import type { TransactionScope } from '../../db/transaction.ts';
import type { Mailer } from '../mail/index.ts';
import type { ReportDays } from '../pro-reports/index.ts';
import type { Formats } from '../settings/index.ts';
import { CONTENT_TYPES, type StoredReport, type MadeReport } from './stored-report.ts';
import { isFullPeriod } from './recurrence-times.ts';
import { ReportTargetReadModel } from './report-target-read-model.ts';
import type { FileFormat } from './report-schedule.ts';

export type MailedReport = Pick<
  StoredReport,
  'about' | 'clientId' | 'name' | 'url' | 'frequency' | 'startDate' | 'endDate'
> &
  Pick<MadeReport, 'summary' | 'recipients' | 'subject' | 'sitesCount' | 'fileName'> & {
    format: FileFormat;
    bytes: Uint8Array;
  };

const BADGES = { weekly: 'Weekly report', monthly: 'Monthly report' } as const;

export class ReportMailer {
  readonly #mailer: Pick<Mailer, 'send'>;
  readonly #formats: Formats;
  readonly #agency: () => string;

  constructor(deps: { mailer: Pick<Mailer, 'send'>; formats: Formats; agency: () => string }) {
    this.#mailer = deps.mailer;
    this.#formats = deps.formats;
    this.#agency = deps.agency;
  }

  /** Returns the ID of the mail, or null if report mails are turned off. */
  async send(scope: TransactionScope, report: MailedReport, requestedBy: string): Promise<number | null> {
    const { about, name, url, frequency, summary, sitesCount, format, bytes } = report;
    const [first, last] = [this.#formats.day(report.startDate), this.#formats.day(report.endDate)];
    const period = periodName(report, `${first} – ${last}`);
    const sender = await new ReportTargetReadModel(scope.trx).senderHeadersOf(report.clientId);
    const whose = about === 'site' ? name : sitesCount === 1 ? 'your site' : `your ${sitesCount} sites`;
    const agency = this.#agency();
    const { mailId } = await this.#mailer.send(
      scope,
      {
        type: 'report',
        message: {
          intro: `Here is what happened on ${whose} from ${first} to ${last}.`,
          sections: [
            {
              title: null,
              items: [
                {
                  tone: 'info',
                  badge: isFullPeriod(frequency, report) ? BADGES[frequency] : 'Report',
                  title: name,
                  address: about === 'site' ? url : null,
                  facts: summary.map((value) => ({ label: '', value })),
                },
              ],
              more: 0,
            },
          ],
          note: `The full report is attached as ${format === 'pdf' ? 'a PDF' : 'a page for your browser'}.`,
          footer: agency === '' ? null : `${agency} sent this mail.`,
        },
        tokens: { site: name, period, count: String(sitesCount) },
        recipients: report.recipients,
        subject: report.subject,
        ...(sender && { sender }),
        attachments: [{ name: `${report.fileName}.${format}`, contentType: CONTENT_TYPES[format], bytes }],
      },
      requestedBy,
    );
    return mailId;
  }
}

const MONTH = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Returns the name of a whole month, such as `October 2026`, and `otherwise` for other days. */
const periodName = (days: ReportDays, otherwise: string): string =>
  isFullPeriod('monthly', days) ? MONTH.format(Date.parse(days.startDate)) : otherwise;
