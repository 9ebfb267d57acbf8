import type { Knex } from 'knex';
import { isDuplicate, lockForUpdate } from '../../db/dialect.ts';
import { ConflictError, NotFoundError } from '../../shared/errors.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { nameKeyOf } from '../../shared/text.ts';
import { namedByEach, whereInScope } from '../sites/index.ts';
import { emailKeyOf, type ClientProfile, type ClientRef, type ClientStatus } from './client.ts';

export interface ClientRow extends Omit<
  ClientProfile,
  'address1' | 'address2' | 'timeZone' | 'mailFromName' | 'mailReplyTo' | 'reportTemplate' | 'reportText' | 'siteOrder'
> {
  id: number;
  name_key: string;
  email_key: string | null;
  address_1: string;
  address_2: string;
  time_zone: string;
  mail_from_name: string;
  mail_reply_to: string;
  report_template: string;
  report_text: string;
  site_order: string;
  status: ClientStatus;
  revision: number;
  created_at: number;
  updated_at: number;
}

export const WRITTEN_COLUMNS = [
  'id',
  'name',
  'email',
  'status',
  'phone',
  'address_1',
  'address_2',
  'city',
  'state',
  'zip',
  'country',
  'note',
  'facebook',
  'twitter',
  'instagram',
  'linkedin',
  'time_zone',
  'mail_from_name',
  'mail_reply_to',
  'language',
  'report_template',
  'report_text',
  'site_order',
] as const;
type EditableClientRow = Pick<ClientRow, (typeof WRITTEN_COLUMNS)[number]>;

export interface LockedClient {
  id: number;
  status: ClientStatus;
  fields: ClientProfile;
}

export const toClientProfile = (row: Omit<EditableClientRow, 'id' | 'status'>): ClientProfile => ({
  name: row.name,
  email: row.email,
  phone: row.phone,
  address1: row.address_1,
  address2: row.address_2,
  city: row.city,
  state: row.state,
  zip: row.zip,
  country: row.country,
  note: row.note,
  facebook: row.facebook,
  twitter: row.twitter,
  instagram: row.instagram,
  linkedin: row.linkedin,
  timeZone: row.time_zone,
  mailFromName: row.mail_from_name,
  mailReplyTo: row.mail_reply_to,
  language: row.language,
  reportTemplate: row.report_template,
  reportText: row.report_text,
  siteOrder: row.site_order,
});

export const clientNotFound = (): NotFoundError =>
  new NotFoundError('svc_client_not_found', 'No client matches this reference.');

export function clientRefCondition(ref: ClientRef): { id: number } | { email_key: string } {
  const text = String(ref).trim();
  if (!/^\d+$/.test(text)) return { email_key: emailKeyOf(text) ?? '' };
  const id = Number(text);
  // `Number` rounds integers above 2^53, and no ID is that large. 0 matches no client.
  return { id: Number.isSafeInteger(id) ? id : 0 };
}

type ClientProfileColumns = Omit<ClientRow, 'id' | 'status' | 'revision' | 'created_at' | 'updated_at'>;
const toClientProfileColumns = ({
  address1,
  address2,
  timeZone,
  mailFromName,
  mailReplyTo,
  reportTemplate,
  reportText,
  siteOrder,
  ...fields
}: ClientProfile): ClientProfileColumns => ({
  ...fields,
  name_key: nameKeyOf(fields.name),
  email_key: emailKeyOf(fields.email),
  address_1: address1,
  address_2: address2,
  time_zone: timeZone,
  mail_from_name: mailFromName,
  mail_reply_to: mailReplyTo,
  report_template: reportTemplate,
  report_text: reportText,
  site_order: siteOrder,
});

export async function countClientsWithTemplate(db: Knex, key: string): Promise<number> {
  const row = await db('clients').where({ report_template: key }).count<{ n: number | string }[]>({ n: '*' }).first();
  return Number(row?.n ?? 0);
}

export class ClientRepository {
  readonly #db: Knex;
  readonly #now: number;

  constructor(db: Knex, now: number) {
    this.#db = db;
    this.#now = now;
  }

  async insert(fields: ClientProfile): Promise<number> {
    const times = { created_at: this.#now, updated_at: this.#now };
    const row = { ...toClientProfileColumns(fields), status: 'active', revision: 1, ...times };
    const [id] = await rejectTakenEmail(this.#db('clients').insert(row));
    return id as number;
  }

  /**
   * Throws `svc_client_not_found` if no site of the client is in a limited scope, unless `allowsNamed` is true and each
   * limit of the caller names the client. The condition is part of the statement, so that a client outside the scope is
   * not locked and costs the same SQL as a missing one.
   */
  async lock(scope: SiteScope, ref: ClientRef, { allowsNamed = false } = {}): Promise<LockedClient> {
    const query = this.#db('clients')
      .where(clientRefCondition(ref))
      .first<EditableClientRow | undefined>(...WRITTEN_COLUMNS);
    if (isLimited(scope)) {
      const seen = this.#db('sites').whereRaw('sites.client_id = clients.id').select('sites.id');
      whereInScope(this.#db, seen, scope);
      const named = allowsNamed ? namedByEach(scope, 'clients') : [];
      void query.where((either) => either.whereExists(seen).orWhereIn('clients.id', named));
    }
    const row: EditableClientRow | undefined = await lockForUpdate(this.#db, query);
    if (!row) throw clientNotFound();
    return { id: row.id, status: row.status, fields: toClientProfile(row) };
  }

  async update(id: number, fields: ClientProfile): Promise<void> {
    await rejectTakenEmail(
      this.#db('clients')
        .where({ id })
        .update(this.#withRevision(toClientProfileColumns(fields))),
    );
  }

  /** Keeps `updated_at`, because callers who see only some of the sites would learn of a change of the others. */
  async setSiteOrder(id: number, siteOrder: string): Promise<void> {
    await this.#db('clients').where({ id }).update({ site_order: siteOrder });
  }

  async setStatus(id: number, status: ClientStatus): Promise<void> {
    await this.#db('clients').where({ id }).update(this.#withRevision({ status }));
  }

  async delete(id: number): Promise<void> {
    await this.#db('clients').where({ id }).delete();
  }

  #withRevision(columns: Partial<ClientRow>): object {
    return { ...columns, revision: this.#db.raw('revision + 1'), updated_at: this.#now };
  }
}

async function rejectTakenEmail<T>(write: PromiseLike<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (isDuplicate(error))
      throw new ConflictError('svc_already_exists', 'A client with this e-mail address already exists.');
    throw error;
  }
}
