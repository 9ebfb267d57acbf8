import type { Knex } from 'knex';
import { isDuplicate } from '../../db/dialect.ts';
import { ConflictError } from '../../shared/errors.ts';
import { emailKeyOf, nameKeyOf, type ClientFields, type ClientStatus } from './client.ts';

export interface ClientRow {
  id: number;
  name: string;
  name_key: string;
  email: string;
  email_key: string | null;
  phone: string;
  address_1: string;
  address_2: string;
  city: string;
  state: string;
  zip: string;
  country: string;
  note: string;
  status: ClientStatus;
  revision: number;
  created_at: number;
  updated_at: number;
}

const toRow = (fields: ClientFields): Omit<ClientRow, 'id' | 'status' | 'revision' | 'created_at' | 'updated_at'> => ({
  name: fields.name,
  name_key: nameKeyOf(fields.name),
  email: fields.email,
  email_key: emailKeyOf(fields.email),
  phone: fields.phone,
  address_1: fields.address1,
  address_2: fields.address2,
  city: fields.city,
  state: fields.state,
  zip: fields.zip,
  country: fields.country,
  note: fields.note,
});

/** Client records, built from the database or from a transaction. */
export class ClientRepository {
  readonly #db: Knex;
  readonly #now: number;

  constructor(db: Knex, now: number) {
    this.#db = db;
    this.#now = now;
  }

  async insert(fields: ClientFields): Promise<number> {
    const times = { created_at: this.#now, updated_at: this.#now };
    try {
      const [id] = await this.#db('clients').insert({ ...toRow(fields), status: 'active', revision: 1, ...times });
      return id as number;
    } catch (error) {
      if (isDuplicate(error))
        throw new ConflictError('svc_already_exists', 'A client with this e-mail address is already there.');
      throw error;
    }
  }
}
