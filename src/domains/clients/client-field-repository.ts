import type { Knex } from 'knex';
import { isDuplicate, lockForUpdate } from '../../db/dialect.ts';
import { ConflictError, NotFoundError } from '../../shared/errors.ts';
import { nameKeyOf } from '../../shared/text.ts';
import type { ClientField, ClientFieldRef, NewClientField } from './client-field.ts';

export interface ClientFieldRow {
  id: number;
  name: string;
  description: string;
  created_at: number;
  updated_at: number;
}

export const FIELD_COLUMNS = ['id', 'name', 'description', 'created_at', 'updated_at'] as const;

export const toField = (row: ClientFieldRow): ClientField => ({
  id: row.id,
  name: row.name,
  description: row.description,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});

function clientFieldRefCondition(ref: ClientFieldRef): { id: number } | { name_key: string } {
  const text = String(ref).trim();
  if (!/^\d+$/.test(text)) return { name_key: nameKeyOf(text) };
  const id = Number(text);
  return { id: Number.isSafeInteger(id) ? id : 0 };
}

export class ClientFieldRepository {
  readonly #trx: Knex.Transaction;
  readonly #now: number;

  constructor(trx: Knex.Transaction, now: number) {
    this.#trx = trx;
    this.#now = now;
  }

  async insert({ name, description }: Required<NewClientField>): Promise<ClientField> {
    const times = { created_at: this.#now, updated_at: this.#now };
    const row = { name, name_key: nameKeyOf(name), description, ...times };
    const [id] = await rejectTakenName(this.#trx('client_fields').insert(row));
    return toField({ id: id as number, name, description, ...times });
  }

  async lock(ref: ClientFieldRef): Promise<ClientField> {
    const query = this.#trx('client_fields')
      .where(clientFieldRefCondition(ref))
      .first<ClientFieldRow | undefined>(...FIELD_COLUMNS);
    const row: ClientFieldRow | undefined = await lockForUpdate(this.#trx, query);
    if (!row) throw new NotFoundError('svc_client_field_not_found', 'No client field has this ID or name.');
    return toField(row);
  }

  async update(field: ClientField, { name, description }: Required<NewClientField>): Promise<ClientField> {
    const row = { name, name_key: nameKeyOf(name), description, updated_at: this.#now };
    await rejectTakenName(this.#trx('client_fields').where({ id: field.id }).update(row));
    return { ...field, name, description, updatedAt: this.#now };
  }

  /** Deletes a field. The database also deletes the values that clients have in it. */
  async delete(id: number): Promise<void> {
    await this.#trx('client_fields').where({ id }).delete();
  }
}

async function rejectTakenName<T>(write: PromiseLike<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (isDuplicate(error))
      throw new ConflictError('svc_already_exists', 'A client field with this name already exists.');
    throw error;
  }
}
