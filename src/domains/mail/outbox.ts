import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { inTransaction, type TransactionScope } from '../../db/transaction.ts';
import type { Sealing } from '../../db/sealing.ts';
import type { Queue } from '../../queue/index.ts';
import { describeChangedObject } from '../../shared/changed-object.ts';
import type { Caller } from '../../shared/caller.ts';
import { DAY, type Clock } from '../../shared/clock.ts';
import { ConflictError } from '../../shared/errors.ts';
import type { ChangeLog } from '../changes/index.ts';
import { JobReadModel } from '../jobs/index.ts';
import type { DeliveryFailures } from './delivery-failures.ts';
import { MailRepository } from './mail-repository.ts';
import {
  finalState,
  JOB_CANCELLED,
  NO_MAIL_SERVER,
  NO_RECIPIENTS,
  OUTCOME_UNKNOWN,
  type MailFault,
  type MailSenderHeaders,
  type MailType,
  type RenderedMail,
} from './mail.ts';
import { sealTexts } from './sealed-texts.ts';
import { OutboxReadModel, throwMailNotFound } from './outbox-read-model.ts';
import type { SendMailJob } from './send-mail.job.ts';
import { requesterOf, type Requester } from '../../shared/requester.ts';

export const RETENTION_MS = 90 * DAY;
/** Number of mails per batch of a purge. It is small, because the files of each mail are deleted with it. */
const DELETED_AT_ONCE = 20;

export interface OutboxDeps {
  knex: Knex;
  clock: Clock;
  queue: Queue;
  changeLog: ChangeLog;
  sendMail: SendMailJob;
  failures: DeliveryFailures;
  sealing: Sealing;
  canSend: boolean;
  domain: string;
  senderHeaders: () => MailSenderHeaders;
  recipientsOf: (type: MailType) => readonly string[];
}

export class Outbox {
  readonly #deps: OutboxDeps;

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
  }

  /**
   * Stores mails in the caller's transaction and queues one job that sends them. Mails without recipients are only
   * stored, and without a mail server all mails. `jobId` is null if no mail is queued.
   */
  async add(
    scope: TransactionScope,
    mails: readonly RenderedMail[],
    requestedBy: Requester,
  ): Promise<{ mailIds: number[]; jobId: string | null }> {
    const { clock, domain, failures, sealing } = this.#deps;
    const now = clock.now();
    const repository = new MailRepository(scope.trx);
    const mailIds: number[] = [];
    const queued: number[] = [];
    for (const mail of mails) {
      const fault = this.#unsendableReason(mail.recipients);
      // If a mail whose outcome is unknown is sent again, the recipient can recognize the duplicate by this ID.
      const messageId = `<${randomUUID()}@${domain}>`;
      const sender = this.senderHeadersFor(mail.sender);
      const id = await repository.insert({ ...mail, sender }, messageId, fault ? 'kept' : 'queued', fault, now);
      if (mail.secretTexts) await repository.setSealedTexts(id, sealTexts(sealing, id, mail.secretTexts));
      mailIds.push(id);
      if (!fault) queued.push(id);
      else scope.afterCommit(() => failures.report({ id, type: mail.type, state: 'kept', fault, attempts: 0 }));
    }
    return { mailIds, jobId: queued.length > 0 ? await this.#queue(scope, queued, requestedBy) : null };
  }

  senderHeadersFor(ofClient?: MailSenderHeaders): MailSenderHeaders {
    const standard = this.#deps.senderHeaders();
    return {
      fromName: ofClient?.fromName ?? standard.fromName,
      replyTo: ofClient?.replyTo ?? standard.replyTo,
    };
  }

  /**
   * Queues a mail that was kept, has failed or was sent. It is sent to the recipients that have not got it, or again to
   * all if all have got it. Throws `svc_mail_not_found`, also if the caller does not see the mail, `svc_mail_under_way`
   * and `svc_mail_not_sendable`.
   */
  async resend(caller: Pick<Caller, 'name' | 'sites' | 'userId' | 'keyId'>, id: number): Promise<void> {
    const { sites, name: actor } = caller;
    const { knex, changeLog, clock, recipientsOf } = this.#deps;
    await inTransaction(knex, async (scope) => {
      const repository = new MailRepository(scope.trx);
      // A mail that the caller does not see costs the same SQL statements as a missing one, and is not locked.
      if (!(await new OutboxReadModel(scope.trx).isInScope(sites, id))) throwMailNotFound();
      const mail = await repository.lock(id);
      if (!mail) throwMailNotFound();
      if (mail.state === 'queued' || mail.state === 'sending')
        throw new ConflictError('svc_mail_under_way', 'The mail is already being sent. Read it again later.');
      const added = mail.recipients.length === 0 ? recipientsOf(mail.type) : [];
      const addresses = [...mail.recipients.map(({ address }) => address), ...added];
      const hindrance = this.#unsendableReason(addresses);
      if (hindrance) throw new ConflictError('svc_mail_not_sendable', hindrance.message);
      await repository.setRecipients(id, added);
      const isSent = mail.recipients.every(({ state }) => state === 'accepted');
      await repository.moveRecipients(id, isSent ? ['accepted'] : ['refused'], 'pending');
      await repository.update([id], { state: 'queued', fault: null, tries: 0 }, clock.now());
      await this.#queue(scope, [id], requesterOf(caller));
      const description = `Mail ${id} was queued again.`;
      const thing = describeChangedObject({ name: mail.type, key: id }, { state: mail.state }, { state: 'queued' });
      await changeLog.append(scope.trx, { siteId: null, type: 'mail.resent', description, actor, thing });
    });
  }

  /** Ends mails whose job was canceled, or was deleted after its retention time. */
  async settle({ trx, afterCommit }: TransactionScope): Promise<void> {
    const { clock, failures } = this.#deps;
    const repository = new MailRepository(trx);
    const underWay = await repository.underWay();
    const alive = await new JobReadModel(trx).unfinishedAmong(underWay.flatMap(({ jobId }) => jobId ?? []));
    for (const { id, jobId } of underWay) {
      if (jobId !== null && alive.has(jobId)) continue;
      const mail = await repository.lock(id);
      if (!mail || mail.jobId !== jobId || !/^(queued|sending)$/.test(mail.state)) continue;
      const fault = mail.phase === 'content' ? OUTCOME_UNKNOWN : JOB_CANCELLED;
      const end = finalState(mail, fault);
      await repository.update([id], { ...end, phase: null, nextAttemptAt: null }, clock.now());
      const { type, attempts } = mail;
      afterCommit(() => failures.report({ id, type, state: end.state, fault, attempts }));
    }
  }

  prune(): Promise<number> {
    const { knex, clock } = this.#deps;
    return new MailRepository(knex).deleteOlder(clock.now() - RETENTION_MS, DELETED_AT_ONCE);
  }

  async #queue(scope: TransactionScope, mailIds: readonly number[], requestedBy: Requester): Promise<string> {
    const { queue, sendMail, clock } = this.#deps;
    const items = mailIds.map((identifier) => ({ identifier }));
    const jobId = await queue.enqueue(scope, sendMail, { input: {}, items, requestedBy });
    await new MailRepository(scope.trx).update(mailIds, { jobId }, clock.now());
    return jobId;
  }

  #unsendableReason(recipients: readonly string[]): MailFault | null {
    if (recipients.length === 0) return NO_RECIPIENTS;
    return this.#deps.canSend ? null : NO_MAIL_SERVER;
  }
}
