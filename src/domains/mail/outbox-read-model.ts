import type { Knex } from 'knex';
import { longRead } from '../../db/long-read.ts';
import { limitToPage } from '../../db/page-limit.ts';
import { countRows } from '../../db/count-rows.ts';
import { NotFoundError } from '../../shared/errors.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { AttachmentRepository } from './attachment-repository.ts';
import type { Mail, MailState, MailType, MailWithContent, Recipient } from './mail.ts';
import {
  BODY_COLUMNS,
  MAIL_COLUMNS,
  RECIPIENT_COLUMNS,
  toMail,
  toRecipient,
  toMailWithContent,
  type MailRelations,
  type MailBodies,
  type MailRow,
  type RecipientRow,
} from './mail-rows.ts';
import { whereMailInScope } from './mail-scope-read-model.ts';

export interface OutboxFilter {
  state?: MailState;
  type?: MailType;
  recipient?: string;
  since?: number;
}

export function throwMailNotFound(): never {
  throw new NotFoundError('svc_mail_not_found', 'No mail has this ID, or the mail is older than 90 days.');
}

export class OutboxReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  async list(
    scope: SiteScope,
    filter: OutboxFilter,
    request: PageRequest,
    { withBodies }: { withBodies: boolean },
  ): Promise<Page<Mail | MailWithContent>> {
    const rows = await longRead(this.#chosen(scope, filter), isLimited(scope) || filter.recipient !== undefined)
      .orderBy('mails.id', 'desc')
      .modify(limitToPage, request)
      .select<(MailRow & MailBodies)[]>(...MAIL_COLUMNS, ...(withBodies ? BODY_COLUMNS : []));
    const beside = await this.#relationsOf(rows.map(({ id }) => id));
    return {
      items: rows.map((row) => (withBodies ? toMailWithContent : toMail)(row, beside(row.id))),
      page: request.page,
      perPage: request.perPage,
      total: await countRows(longRead(this.#chosen(scope, filter))),
    };
  }

  async get(scope: SiteScope, id: number): Promise<MailWithContent> {
    const query = this.#knex('mails').where({ id });
    whereMailInScope(this.#knex, query, scope);
    const row = await query.first<(MailRow & MailBodies) | undefined>(...MAIL_COLUMNS, ...BODY_COLUMNS);
    if (!row) throwMailNotFound();
    return toMailWithContent(row, (await this.#relationsOf([id]))(id));
  }

  async isInScope(scope: SiteScope, id: number): Promise<boolean> {
    const query = this.#knex('mails').where({ id });
    whereMailInScope(this.#knex, query, scope);
    return (await query.first<{ id: number } | undefined>('mails.id')) !== undefined;
  }

  within(trx: Knex): OutboxReadModel {
    return new OutboxReadModel(trx);
  }

  async byIds(ids: readonly number[]): Promise<Map<number, Mail>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#knex('mails')
      .whereIn('id', [...ids])
      .select<MailRow[]>(...MAIL_COLUMNS);
    const beside = await this.#relationsOf(ids);
    return new Map(rows.map((row) => [row.id, toMail(row, beside(row.id))]));
  }

  async #relationsOf(mailIds: readonly number[]): Promise<(id: number) => MailRelations> {
    const recipients = await this.#recipientsOf(mailIds);
    const attachments = await new AttachmentRepository(this.#knex).ofMails(mailIds);
    return (id) => ({ recipients: recipients.get(id) ?? [], attachments: attachments.get(id) ?? [] });
  }

  #chosen(scope: SiteScope, { state, type, recipient, since }: OutboxFilter): Knex.QueryBuilder {
    const query = this.#knex('mails');
    whereMailInScope(this.#knex, query, scope);
    if (state) void query.where('mails.state', state);
    if (type) void query.where('mails.type', type);
    if (since !== undefined) void query.where('mails.created_at', '>=', since);
    if (recipient !== undefined)
      void query.whereIn('mails.id', this.#knex('mail_recipients').where({ address: recipient }).select('mail_id'));
    return query;
  }

  async #recipientsOf(mailIds: readonly number[]): Promise<Map<number, Recipient[]>> {
    const recipients = new Map<number, Recipient[]>();
    if (mailIds.length === 0) return recipients;
    const rows = await this.#knex<RecipientRow>('mail_recipients')
      .whereIn('mail_id', [...mailIds])
      .orderBy(['mail_id', 'position'])
      .select(...RECIPIENT_COLUMNS);
    for (const row of rows) recipients.set(row.mail_id, [...(recipients.get(row.mail_id) ?? []), toRecipient(row)]);
    return recipients;
  }
}
