import {
  createUnvalidatedParser,
  defineJobKind,
  noInput,
  type ItemResult,
  type JobKind,
  type NoInput,
  type ParseStored,
} from '../../queue/index.ts';
import type { CredentialOwner } from '../../shared/requester.ts';
import type { MailState } from './mail.ts';

export interface SendMailResult {
  mailId: number;
  state: MailState;
}

export interface SendCall {
  mailId: number;
  /** The job that sends the mail. Only this job may resume its own attempt. */
  jobId: string;
  /**
   * Limited caller that requested the mail; null for other callers. The mail fails if this caller no longer sees it.
   */
  owner: CredentialOwner | null;
  signal: AbortSignal;
}

export type SendMailJob = JobKind<NoInput, SendMailResult, 'other'>;

export const parseSendMailResult: ParseStored<SendMailResult> = createUnvalidatedParser<SendMailResult>();

/** Sends one mail per item. The progress of an interrupted attempt is stored in the mail. */
export const sendMailJob = (sender: { send(call: SendCall): Promise<ItemResult<SendMailResult>> }): SendMailJob =>
  defineJobKind({
    name: 'send-mail',
    about: 'other',
    input: noInput,
    result: parseSendMailResult,
    whenCancelled: 'finish',
    retryPermission: 'mail:write',
    checksLimits: true,
    perform: ({ subject, item: { jobId, owner }, signal }) =>
      sender.send({ mailId: Number(subject), jobId, owner, signal }),
  });
