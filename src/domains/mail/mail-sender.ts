import type { Knex } from 'knex';
import type { Sealing } from '../../db/sealing.ts';
import { inTransaction } from '../../db/transaction.ts';
import { PostponedItem, ItemWithErrors, type ItemResult } from '../../queue/index.ts';
import { HOUR, MINUTE, type Clock } from '../../shared/clock.ts';
import type { Mailbox } from '../../shared/mailbox.ts';
import type { ItemErrorCode } from '../../shared/error-codes.ts';
import { DatabaseUnavailableError } from '../../shared/errors.ts';
import type { CredentialOwner } from '../../shared/requester.ts';
import { AttachmentRepository } from './attachment-repository.ts';
import type { DeliveryFailures, FailedDelivery } from './delivery-failures.ts';
import { OutboxReadModel } from './outbox-read-model.ts';
import { MailRepository, type LockedMail, type MailPatch } from './mail-repository.ts';
import {
  finalState,
  INTERNAL_ERROR,
  NO_MAIL_SERVER,
  OUTCOME_UNKNOWN,
  OUTSIDE_LIMITS,
  type MailFault,
  type MailState,
} from './mail.ts';
import type { ScopeOfOwner, MailHandover, MailServer, RecipientRefusal, MailServerReply } from './ports.ts';
import { secretTextFiller } from './sealed-texts.ts';
import type { SendCall, SendMailResult } from './send-mail.job.ts';

/** Delays before the next attempt, one per failed attempt. If the last attempt fails, too, the mail has failed. */
const WAITS_MS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR];

/** Delay before a mail is checked again, if another attempt began while this one was running. */
const LOOK_AGAIN_MS = MINUTE;

const ITEM_CODES: Partial<Record<MailFault['code'], ItemErrorCode>> = {
  outcome_unknown: 'svc_outcome_unknown',
  cancelled: 'svc_cancelled',
  outside_limits: 'svc_outside_limits',
  internal_error: 'svc_internal_error',
};

const SOME_UNREACHED = 'The mail server did not accept the mail for all recipients.';

export interface MailSenderDeps {
  knex: Knex;
  clock: Clock;
  server: MailServer | null;
  from: Mailbox;
  failures: DeliveryFailures;
  sealing: Sealing;
  scopeOfOwner: ScopeOfOwner;
}

/** `unreached` is the number of recipients that the mail server has not accepted. */
interface DeliveryShortfall {
  fault: MailFault | null;
  unreached: number;
}

type AttemptStart =
  | { attempt: LockedMail }
  | ({ ended: SendMailResult; failure: FailedDelivery | null } & DeliveryShortfall);

interface RecordedAttempt {
  result: ItemResult<SendMailResult>;
  /** Null if all recipients got the mail, or another attempt has replaced this one. */
  failure: FailedDelivery | null;
}

/**
 * Sends a mail without sending it twice. Each attempt is stored before the server is called, and again before the first
 * byte of the content is sent. If the process dies before this byte, nothing was sent, and the mail is sent again. If
 * it dies after this byte, nobody can know if the mail was sent, so it is not sent again automatically.
 */
export class MailSender {
  readonly #deps: MailSenderDeps;

  constructor(deps: MailSenderDeps) {
    this.#deps = deps;
  }

  async send({ mailId, jobId, owner, signal }: SendCall): Promise<ItemResult<SendMailResult>> {
    const { failures } = this.#deps;
    const beginning = await this.#begin(mailId, jobId, await this.#isVisibleTo(owner, mailId));
    if ('ended' in beginning) {
      if (beginning.failure) failures.report(beginning.failure);
      return toItemResult(beginning.ended, beginning);
    }
    const { attempt: mail } = beginning;
    const handover = await this.#handOver(mail, signal).catch(async (error: unknown) => {
      if (!(error instanceof DatabaseUnavailableError)) await this.#recordInternalError(mail);
      throw error;
    });
    const { result, failure } = await this.#record(mail, handover, signal);
    if (failure) failures.report(failure);
    return result;
  }

  async #handOver(mail: LockedMail, signal: AbortSignal): Promise<MailHandover> {
    const { knex, server, from, sealing } = this.#deps;
    if (!server) throw new Error('No mail server is configured to send this mail.');
    const attachments = await new AttachmentRepository(knex).files(mail.id);
    const fillIn = secretTextFiller(sealing, mail.id, await new MailRepository(knex).sealedTexts(mail.id));
    return server.handOver(
      {
        from: { name: mail.fromName ?? from.name, address: from.address },
        replyTo: mail.replyTo,
        to: mail.recipients.map(({ address }) => address),
        recipients: pendingAddressesOf(mail),
        subject: mail.subject,
        html: fillIn(mail.html),
        text: fillIn(mail.text),
        attachments,
        messageId: mail.messageId,
        date: new Date(mail.createdAt),
      },
      {
        signal,
        beforeContent: async () => {
          const isOurs = await inTransaction(knex, ({ trx }) =>
            new MailRepository(trx).markContentPhase(mail.id, mail.attempts),
          );
          if (!isOurs) throw new Error('Another process has taken over this mail.');
        },
      },
    );
  }

  async #isVisibleTo(owner: CredentialOwner | null, mailId: number): Promise<boolean> {
    const { knex, scopeOfOwner } = this.#deps;
    return owner === null || new OutboxReadModel(knex).isInScope(await scopeOfOwner(owner), mailId);
  }

  async #begin(mailId: number, jobId: string, isVisible: boolean): Promise<AttemptStart> {
    return inTransaction(this.#deps.knex, async ({ trx }) => {
      const mails = new MailRepository(trx);
      const now = this.#deps.clock.now();
      const mail = await mails.lock(mailId);
      if (!mail) throw new Error(`There is no mail ${mailId}.`);
      const end = async (state: MailState, fault: MailFault | null, cause = fault): Promise<AttemptStart> => {
        if (state !== mail.state) await mails.update([mailId], { state, fault, phase: null }, now);
        const { type, attempts } = mail;
        const failure = state !== mail.state && cause ? { id: mailId, type, state, fault: cause, attempts } : null;
        return { ended: { mailId, state }, fault, unreached: countUnreached(mail), failure };
      };
      const giveUp = (cause: MailFault): Promise<AttemptStart> => {
        const { state, fault } = finalState(mail, cause);
        return end(state, fault, cause);
      };
      // A job that retries failed items takes over a mail only if the previous job has ended it.
      const isOurs = mail.jobId === jobId;
      const isLeft = mail.state === 'failed' || (mail.state === 'sent' && countUnreached(mail) > 0);
      const isOpen = isOurs ? /^(queued|sending)$/.test(mail.state) : isLeft;
      if (!isOpen) return end(mail.state, mail.fault);
      if (mail.state === 'sending' && mail.phase === 'content') return giveUp(OUTCOME_UNKNOWN);
      if (!isVisible) return giveUp(OUTSIDE_LIMITS);
      if (!this.#deps.server) return end('kept', NO_MAIL_SERVER);
      if (!isOurs) await mails.moveRecipients(mailId, ['refused'], 'pending');
      const [attempts, tries] = [mail.attempts + 1, isOurs ? mail.tries : 0];
      await mails.update(
        [mailId],
        { state: 'sending', phase: 'connecting', attempts, tries, jobId, nextAttemptAt: null },
        now,
      );
      const held = isOurs ? mail : await mails.lock(mailId);
      return { attempt: { ...(held ?? mail), attempts, tries } };
    });
  }

  /**
   * Stores the result of an attempt. If another attempt has replaced it, the result is stored only if the mail server
   * has accepted the mail.
   */
  async #record(mail: LockedMail, handover: MailHandover, signal: AbortSignal): Promise<RecordedAttempt> {
    const { knex, clock } = this.#deps;
    const now = clock.now();
    // The stop of this process closes the connection. Such an attempt has not failed.
    const isInterrupted = signal.aborted && handover.state === 'refused' && handover.status === null;
    const { patch, refusals, cause } = isInterrupted ? interruptedAttempt(now) : resultOfAttempt(mail, handover, now);
    return inTransaction(knex, async ({ trx }) => {
      const mails = new MailRepository(trx);
      const current = await mails.lock(mail.id);
      if (!current) return { result: { mailId: mail.id, state: 'failed' }, failure: null };
      /*
       * Another attempt has begun, but its process may have died. So this item does not end: it is postponed and checks
       * the mail again.
       */
      if (current.attempts !== mail.attempts && handover.state !== 'accepted')
        return {
          result: new PostponedItem(now + LOOK_AGAIN_MS, { mailId: mail.id, state: current.state }),
          failure: null,
        };
      for (const { address, permanent, status, message } of refusals)
        await mails.updateRecipient(mail.id, address, {
          state: permanent ? 'refused' : 'pending',
          smtpStatus: status,
          message,
        });
      const accepted =
        handover.state === 'accepted'
          ? pendingAddressesOf(mail).filter((each) => !refusals.some((other) => other.address === each))
          : [];
      for (const address of accepted)
        await mails.updateRecipient(mail.id, address, { state: 'accepted', smtpStatus: null, message: null });
      await mails.update([mail.id], { phase: null, tries: mail.tries + (isInterrupted ? 0 : 1), ...patch }, now);
      const result: SendMailResult = { mailId: mail.id, state: patch.state };
      const unreached = countUnreached(mail) - accepted.length;
      const answer = toItemResult(result, { fault: patch.fault ?? null, unreached });
      const isLater = patch.state === 'queued' && patch.nextAttemptAt;
      return {
        result: isLater ? new PostponedItem(isLater, answer) : answer,
        failure: cause && failedDelivery(mail, patch.state, cause, refusals),
      };
    });
  }

  /** Ends a mail that this service could not hand over, so that it does not stay `sending`. */
  async #recordInternalError({ id, type, attempts }: LockedMail): Promise<void> {
    const { knex, clock, failures } = this.#deps;
    const state = await inTransaction(knex, async ({ trx }) => {
      const mails = new MailRepository(trx);
      const current = await mails.lock(id);
      if (current?.attempts !== attempts || current.phase !== 'connecting') return null;
      const end = finalState(current, INTERNAL_ERROR);
      await mails.update([id], { ...end, phase: null }, clock.now());
      return end.state;
    });
    if (state) failures.report({ id, type, state, fault: INTERNAL_ERROR, attempts });
  }
}

interface AttemptResult {
  patch: MailPatch & { state: MailState };
  refusals: readonly RecipientRefusal[];
  /** Why the mail did not reach all recipients; null if it did, or if nothing has failed. */
  cause: MailFault | null;
}

const interruptedAttempt = (now: number): AttemptResult => ({
  patch: { state: 'queued', nextAttemptAt: now },
  refusals: [],
  cause: null,
});

function resultOfAttempt(mail: LockedMail, handover: MailHandover, now: number): AttemptResult {
  const refusals = handover.state === 'unknown' ? [] : handover.refused;
  const giveUp = (cause: MailFault): AttemptResult => ({ patch: finalState(mail, cause), refusals, cause });
  if (handover.state === 'unknown') return giveUp(OUTCOME_UNKNOWN);
  const postponed = refusals.filter(({ permanent }) => !permanent);
  const wait = WAITS_MS[mail.tries];
  if (handover.state === 'refused') {
    const isFinal = handover.permanent || (refusals.length > 0 && postponed.length === 0);
    if (isFinal) return giveUp(toMailFault('refused', handover));
    const fault = toMailFault('not_delivered', handover);
    if (wait === undefined) return giveUp(fault);
    return { patch: { state: 'queued', fault, nextAttemptAt: now + wait }, refusals, cause: fault };
  }
  const sentAt = mail.sentAt ?? now;
  const [deferred] = postponed;
  if (deferred && wait !== undefined) {
    const fault = toMailFault('not_delivered', deferred);
    return { patch: { state: 'queued', fault, nextAttemptAt: now + wait, sentAt }, refusals, cause: fault };
  }
  // The accepted recipients have the mail, so it counts as sent even if the other recipients never get it.
  const [first] = refusals;
  const cause = first ? toMailFault('refused', first) : null;
  return { patch: { state: 'sent', fault: null, sentAt }, refusals, cause };
}

const failedDelivery = (
  { id, type, attempts }: LockedMail,
  state: MailState,
  fault: MailFault,
  refusals: readonly RecipientRefusal[],
): FailedDelivery => ({
  ...{ id, type, state, fault, attempts },
  refusedRecipients: refusals.filter(({ permanent }) => permanent).length,
});

const toMailFault = (code: MailFault['code'], { status, message }: MailServerReply): MailFault => ({
  code,
  message: message === '' ? 'The mail server gave no reason.' : message,
  smtpStatus: status,
});

const countUnreached = ({ recipients }: LockedMail): number =>
  recipients.filter(({ state }) => state !== 'accepted').length;

const pendingAddressesOf = ({ recipients }: LockedMail): string[] =>
  recipients.flatMap(({ address, state }) => (state === 'pending' ? [address] : []));

function toItemResult(
  result: SendMailResult,
  { fault, unreached }: DeliveryShortfall,
): SendMailResult | ItemWithErrors<SendMailResult> {
  const isSent = result.state === 'sent';
  if (isSent && unreached > 0)
    return new ItemWithErrors(result, { code: 'svc_mail_not_sent', message: SOME_UNREACHED }, { partly: true });
  if (isSent || !fault) return result;
  return new ItemWithErrors(result, { code: ITEM_CODES[fault.code] ?? 'svc_mail_not_sent', message: fault.message });
}
