import {
  createUnvalidatedParser,
  defineJobKind,
  noInput,
  type ItemResult,
  type JobKind,
  type NoInput,
  type ParseStored,
} from '../../queue/index.ts';
import type { MailState } from './mail.ts';

export interface SentMail {
  mailId: number;
  state: MailState;
}

export interface SendCall {
  mailId: number;
  /** The job that sends the mail. Only this job may resume its own attempt. */
  jobId: string;
  signal: AbortSignal;
}

export type SendMail = JobKind<NoInput, SentMail, 'other'>;

export const parseSentMail: ParseStored<SentMail> = createUnvalidatedParser<SentMail>();

/** Sends one mail per item. The progress of an interrupted attempt is stored in the mail. */
export const sendMailJob = (sender: { send(call: SendCall): Promise<ItemResult<SentMail>> }): SendMail =>
  defineJobKind({
    name: 'send-mail',
    about: 'other',
    input: noInput,
    result: parseSentMail,
    whenCancelled: 'finish',
    perform: ({ subject, item, signal }) => sender.send({ mailId: Number(subject), jobId: item.jobId, signal }),
  });
