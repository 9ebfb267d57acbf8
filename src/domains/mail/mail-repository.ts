import type { Knex } from 'knex';
import { chunks } from '../../db/chunks.ts';
import { deleteOldest } from '../../db/delete-oldest.ts';
import { lockForUpdate } from '../../db/dialect.ts';
import { toJson } from '../../db/json.ts';
import { truncate } from '../../shared/text.ts';
import { AttachmentRepository } from './attachment-repository.ts';
import type { MailFault, MailSenderHeaders, MailState, MailWithContent, RenderedMail, RecipientState } from './mail.ts';
import {
  BODY_COLUMNS,
  MAIL_COLUMNS,
  RECIPIENT_COLUMNS,
  toRecipient,
  toMailWithContent,
  type MailBodies,
  type MailRow,
  type DeliveryPhase,
  type RecipientRow,
} from './mail-rows.ts';

export interface LockedMail extends MailWithContent {
  phase: DeliveryPhase | null;
  tries: number;
}

export interface MailPatch {
  state?: MailState;
  phase?: DeliveryPhase | null;
  attempts?: number;
  tries?: number;
  fault?: MailFault | null;
  jobId?: string;
  nextAttemptAt?: number | null;
  sentAt?: number;
}

const LONGEST = 500;

export class MailRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async insert(
    mail: RenderedMail & { sender: MailSenderHeaders },
    messageId: string,
    state: MailState,
    fault: MailFault | null,
    now: number,
  ): Promise<number> {
    const [id] = await this.#db('mails').insert({
      type: mail.type,
      message_id: messageId,
      subject: truncate(mail.subject, LONGEST),
      from_name: mail.sender.fromName,
      reply_to: mail.sender.replyTo,
      html: mail.html,
      text: mail.text,
      links: toJson(mail.links),
      shown_client_id: mail.shownClientId ?? null,
      state,
      ...faultRow(fault),
      created_at: now,
      updated_at: now,
    });
    const mailId = Number(id);
    await this.setRecipients(mailId, mail.recipients);
    await this.#setSites(mailId, mail.siteIds ?? []);
    await new AttachmentRepository(this.#db).insert(mailId, mail.attachments ?? []);
    return mailId;
  }

  async setSealedTexts(id: number, sealed: string): Promise<void> {
    await this.#db('mails').where({ id }).update({ sealed_texts: sealed });
  }

  async sealedTexts(id: number): Promise<string | null> {
    const row = await this.#db('mails')
      .where({ id })
      .first<{ sealed_texts: string | null } | undefined>('sealed_texts');
    return row?.sealed_texts ?? null;
  }

  async setRecipients(mailId: number, addresses: readonly string[]): Promise<void> {
    const rows = addresses.map((address, position) => ({ mail_id: mailId, position, address, state: 'pending' }));
    for (const chunk of chunks(rows)) await this.#db('mail_recipients').insert(chunk);
  }

  async #setSites(mailId: number, siteIds: readonly number[]): Promise<void> {
    const rows = siteIds.map((siteId) => ({ mail_id: mailId, site_id: siteId }));
    for (const chunk of chunks(rows)) await this.#db('mail_sites').insert(chunk);
  }

  async lock(id: number): Promise<LockedMail | null> {
    const [row] = (await lockForUpdate(
      this.#db,
      this.#db('mails')
        .where({ id })
        .select(...MAIL_COLUMNS, ...BODY_COLUMNS, 'phase', 'tries'),
    )) as (MailRow & MailBodies & { phase: DeliveryPhase | null; tries: number })[];
    if (!row) return null;
    const recipients = await this.#db<RecipientRow>('mail_recipients')
      .where({ mail_id: id })
      .orderBy('position')
      .select(...RECIPIENT_COLUMNS);
    const attachments = (await new AttachmentRepository(this.#db).ofMails([id])).get(id) ?? [];
    const beside = { recipients: recipients.map(toRecipient), attachments };
    return { ...toMailWithContent(row, beside), phase: row.phase, tries: row.tries };
  }

  async update(ids: readonly number[], patch: MailPatch, now: number): Promise<void> {
    const { nextAttemptAt, sentAt, jobId, fault, ...same } = patch;
    await this.#db('mails')
      .whereIn('id', [...ids])
      .update({
        ...same,
        ...(fault !== undefined && faultRow(fault)),
        ...(jobId !== undefined && { job_id: jobId }),
        ...(nextAttemptAt !== undefined && { next_attempt_at: nextAttemptAt }),
        ...(sentAt !== undefined && { sent_at: sentAt }),
        updated_at: now,
      });
  }

  /**
   * Records that the content of the mail is about to be sent. Returns false if a newer attempt has replaced this one.
   */
  async markContentPhase(id: number, attempt: number): Promise<boolean> {
    const entered = await this.#db('mails')
      .where({ id, state: 'sending', phase: 'connecting', attempts: attempt })
      .update({ phase: 'content' });
    return entered === 1;
  }

  async updateRecipient(
    mailId: number,
    address: string,
    { state, smtpStatus, message }: { state: RecipientState; smtpStatus: number | null; message: string | null },
  ): Promise<void> {
    await this.#db('mail_recipients')
      .where({ mail_id: mailId, address })
      .update({ state, smtp_status: smtpStatus, message: message && truncate(message, LONGEST) });
  }

  async moveRecipients(mailId: number, from: readonly RecipientState[], to: RecipientState): Promise<void> {
    await this.#db('mail_recipients')
      .where({ mail_id: mailId })
      .whereIn('state', [...from])
      .update({ state: to, ...(to === 'pending' && { smtp_status: null, message: null }) });
  }

  async underWay(): Promise<{ id: number; jobId: string | null }[]> {
    const rows = await this.#db('mails')
      .whereIn('state', ['queued', 'sending'])
      .select<{ id: number; job_id: string | null }[]>('id', 'job_id');
    return rows.map(({ id, job_id: jobId }) => ({ id, jobId }));
  }

  deleteOlder(before: number, most: number): Promise<number> {
    return deleteOldest(this.#db, {
      ...{ table: 'mails', column: 'created_at', before, most },
      where: (rows) => rows.whereIn('state', ['sent', 'failed', 'kept']),
    });
  }
}

const faultRow = (fault: MailFault | null) => ({
  error_code: fault?.code ?? null,
  error_message: fault && truncate(fault.message, LONGEST),
  smtp_status: fault?.smtpStatus ?? null,
});
