import type { Knex } from 'knex';
import { KeptTotals } from '../../db/revisions.ts';
import { NotFoundError } from '../../shared/errors.ts';
import { offsetOf, type Page, type PageRequest } from '../../shared/paging.ts';
import { emailKeyOf, type Client, type ClientBrief, type ClientRef } from './client.ts';
import type { ClientRow } from './client-repository.ts';

const BRIEF_COLUMNS = ['clients.id', 'clients.name', 'clients.email', 'clients.status'] as const;
const COLUMNS = [
  ...BRIEF_COLUMNS,
  'clients.phone',
  'clients.address_1',
  'clients.address_2',
  'clients.city',
  'clients.state',
  'clients.zip',
  'clients.country',
  'clients.note',
  'clients.revision',
  'clients.created_at',
  'clients.updated_at',
] as const;

type BriefRow = Pick<ClientRow, 'id' | 'name' | 'email' | 'status'>;
type CountedRow = ClientRow & { sites_count: number | string };

const toBrief = ({ id, name, email, status }: BriefRow): ClientBrief => ({ id, name, email, status });

const toClient = (row: CountedRow): Client => ({
  ...toBrief(row),
  phone: row.phone,
  address1: row.address_1,
  address2: row.address_2,
  city: row.city,
  state: row.state,
  zip: row.zip,
  country: row.country,
  note: row.note,
  sitesCount: Number(row.sites_count),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  revision: row.revision,
});

/** Reads clients. */
export class ClientReadModel {
  readonly #knex: Knex;
  readonly #totals: KeptTotals;

  constructor(knex: Knex) {
    this.#knex = knex;
    this.#totals = new KeptTotals(knex, 'clients');
  }

  /** Throws `svc_client_not_found`. */
  async get(ref: ClientRef): Promise<Client> {
    const row = await this.#knex('clients')
      .where(conditionOf(ref))
      .first<CountedRow | undefined>(
        ...COLUMNS,
        this.#knex.raw('(select count(*) from sites where sites.client_id = clients.id) as sites_count'),
      );
    if (!row) throw new NotFoundError('svc_client_not_found', 'No client goes by this reference.');
    return toClient(row);
  }

  async brief(id: number): Promise<ClientBrief | null> {
    const row = await this.#knex('clients')
      .where({ id })
      .first<BriefRow | undefined>(...BRIEF_COLUMNS);
    return row ? toBrief(row) : null;
  }

  /** By name. */
  async list(request: PageRequest): Promise<Page<ClientBrief>> {
    const rows = await this.#knex('clients')
      .orderBy(['name_key', 'id'])
      .offset(offsetOf(request))
      .limit(request.perPage)
      .select<BriefRow[]>(...BRIEF_COLUMNS);
    const total = await this.#totals.get('', async () => {
      const [counted] = await this.#knex('clients').count<{ n: number | string }[]>({ n: '*' });
      return Number(counted?.n ?? 0);
    });
    return { items: rows.map(toBrief), page: request.page, perPage: request.perPage, total };
  }
}

function conditionOf(ref: ClientRef): { id: number } | { email_key: string } {
  const text = String(ref).trim();
  if (!/^\d+$/.test(text)) return { email_key: emailKeyOf(text) ?? '' };
  const id = Number(text);
  // No ID is that large; a database would round it to one that may exist.
  return { id: Number.isSafeInteger(id) ? id : 0 };
}
