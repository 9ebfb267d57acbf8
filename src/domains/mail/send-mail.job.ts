import {
  asWritten,
  jobKind,
  noInput,
  type ItemAnswer,
  type JobKind,
  type NoInput,
  type Reading,
} from '../../queue/index.ts';
import type { MailState } from './mail.ts';

/** What came of a mail that a job was to send. */
export interface SentMail {
  mailId: number;
  state: MailState;
}

export interface SendCall {
  mailId: number;
  /** The job that sends: it alone may take up again what it began. */
  jobId: string;
  signal: AbortSignal;
}

export type SendMail = JobKind<NoInput, SentMail, 'other'>;

export const sentMail: Reading<SentMail> = asWritten<SentMail>();

/** Each item is a mail. What an interrupted attempt had come to stands in the mail itself. */
export const sendMailJob = (sender: { send(call: SendCall): Promise<ItemAnswer<SentMail>> }): SendMail =>
  jobKind({
    name: 'send-mail',
    about: 'other',
    input: noInput,
    result: sentMail,
    whenCancelled: 'finish',
    perform: ({ subject, item, signal }) => sender.send({ mailId: Number(subject), jobId: item.jobId, signal }),
  });
