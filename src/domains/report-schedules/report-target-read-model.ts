import type { Knex } from 'knex';
import { lockForUpdate } from '../../db/dialect.ts';
import { NotFoundError } from '../../shared/errors.ts';
import { normalizeMailAddress } from '../../shared/mail-address.ts';
import { senderHeadersOf, type MailSenderHeaders } from '../mail/index.ts';
import type { ReportScheduleRecord, StoredReportSchedule } from './report-schedule.ts';

interface SiteRow {
  id: number;
  url: string;
  name: string;
  status: string;
  client_id: number | null;
}
interface ClientRow {
  id: number;
  name: string;
  email: string;
  status: string;
  time_zone: string;
}

const CLIENT_COLUMNS = ['id', 'name', 'email', 'status', 'time_zone'] as const satisfies (keyof ClientRow)[];

export interface ReportTarget {
  site: SiteRow | null;
  client: ClientRow | null;
}

export const siteNotFound = (): NotFoundError => new NotFoundError('svc_site_not_found', 'No site has this ID.');
export const clientNotFound = (): NotFoundError => new NotFoundError('svc_client_not_found', 'No client has this ID.');

/** Returns no address if the client has none or an invalid one: operators enter it as free text. */
export const clientMailAddressesOf = ({ client }: ReportTarget): string[] => {
  const address = client ? normalizeMailAddress(client.email) : null;
  return address === null ? [] : [address];
};

/**
 * True if reports about this target are suspended. The suspension of a client stops reports about the client, but not
 * reports about its sites.
 */
export const isReportTargetSuspended = ({ site, client }: ReportTarget): boolean =>
  (site ?? client)?.status === 'suspended';

export class ReportTargetReadModel {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async lockSite(id: number): Promise<ReportTarget> {
    const query = this.#db('sites').where({ id }).select<SiteRow[]>('id', 'url', 'name', 'status', 'client_id');
    const [site]: SiteRow[] = await lockForUpdate(this.#db, query);
    if (!site) throw siteNotFound();
    const clients = await this.#clients(site.client_id === null ? [] : [site.client_id]);
    return { site, client: clients.get(site.client_id ?? 0) ?? null };
  }

  async lockClient(id: number): Promise<ReportTarget> {
    const query = this.#db('clients')
      .where({ id })
      .select<ClientRow[]>(...CLIENT_COLUMNS);
    const [client]: ClientRow[] = await lockForUpdate(this.#db, query);
    if (!client) throw clientNotFound();
    return { site: null, client };
  }

  async senderHeadersOf(clientId: number | null): Promise<MailSenderHeaders | undefined> {
    if (clientId === null) return undefined;
    const row = await this.#db('clients')
      .where({ id: clientId })
      .first<{ mail_from_name: string; mail_reply_to: string } | undefined>('mail_from_name', 'mail_reply_to');
    return row && senderHeadersOf(row);
  }

  async of(schedules: readonly StoredReportSchedule[]): Promise<Map<number, ReportTarget>> {
    const sites = await this.#sites(schedules.flatMap(({ siteId }) => siteId ?? []));
    const clientIds = schedules.flatMap(({ siteId, clientId }) => clientId ?? sites.get(siteId ?? 0)?.client_id ?? []);
    const clients = await this.#clients(clientIds);
    return new Map(
      schedules.map(({ id, siteId, clientId }) => {
        const site = sites.get(siteId ?? 0) ?? null;
        return [id, { site, client: clients.get(clientId ?? site?.client_id ?? 0) ?? null }];
      }),
    );
  }

  async #sites(ids: readonly number[]): Promise<Map<number, SiteRow>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#db('sites')
      .whereIn('id', [...ids])
      .select<SiteRow[]>('id', 'url', 'name', 'status', 'client_id');
    return new Map(rows.map((row) => [row.id, row]));
  }

  async #clients(ids: readonly number[]): Promise<Map<number, ClientRow>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#db('clients')
      .whereIn('id', [...ids])
      .select<ClientRow[]>(...CLIENT_COLUMNS);
    return new Map(rows.map((row) => [row.id, row]));
  }
}

export function toScheduleRecord(schedule: StoredReportSchedule, about: ReportTarget): ReportScheduleRecord {
  const { site, client } = about;
  return {
    ...schedule,
    site: site && { id: site.id, url: site.url, name: site.name },
    client: client && { id: client.id, name: client.name },
    timeZone: client?.time_zone ?? '',
    sendsTo: schedule.recipients.length > 0 ? [...schedule.recipients] : clientMailAddressesOf(about),
    isSuspended: isReportTargetSuspended(about),
  };
}
