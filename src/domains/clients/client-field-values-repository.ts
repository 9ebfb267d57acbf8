import type { Knex } from 'knex';
import { lockForUpdate } from '../../db/dialect.ts';
import { FieldErrors } from '../../shared/field-errors.ts';
import { isLonger, nameKeyOf } from '../../shared/text.ts';
import type { ClientSitesAndFieldValues } from './client.ts';
import { MAX_VALUE } from './client-field.ts';

export class ClientFieldValuesRepository {
  readonly #trx: Knex.Transaction;

  constructor(trx: Knex.Transaction) {
    this.#trx = trx;
  }

  /**
   * Sets values of a client and keeps those that are not named. Returns true if a value changed. Throws `InvalidError`
   * for unknown names.
   */
  async set(clientId: number, valuesByName: ClientSitesAndFieldValues['customFields']): Promise<boolean> {
    if (valuesByName === undefined) return false;
    if (valuesByName === null)
      return (await this.#trx('client_field_values').where({ client_id: clientId }).delete()) > 0;
    const wanted = await this.#byField(valuesByName);
    const stored = await this.#stored(clientId, [...wanted.keys()]);
    const changed = [...wanted].filter(([fieldId, value]) => (stored.get(fieldId) ?? '') !== value);
    for (const [fieldId, value] of changed) {
      const place = { client_id: clientId, field_id: fieldId };
      if (value === '') await this.#trx('client_field_values').where(place).delete();
      else
        await this.#trx('client_field_values')
          .insert({ ...place, value })
          .onConflict(['client_id', 'field_id'])
          .merge(['value']);
    }
    return changed.length > 0;
  }

  /** Returns the values by field ID. Locks the fields, so that none is deleted before its value is stored. */
  async #byField(valuesByName: Readonly<Record<string, string | null>>): Promise<Map<number, string>> {
    const names = Object.keys(valuesByName);
    const query = this.#trx('client_fields')
      .whereIn('name_key', names.map(nameKeyOf))
      .orderBy('id')
      .select<{ id: number; name_key: string }[]>('id', 'name_key');
    const known = new Map((await lockForUpdate(this.#trx, query)).map(({ id, name_key }) => [name_key, id]));
    const wanted = new Map<number, string>();
    const errors = new FieldErrors();
    for (const name of names) {
      const path = `customFields.${name}`;
      const value = valuesByName[name] ?? '';
      const id = known.get(nameKeyOf(name));
      if (id === undefined) errors.add({ path, message: 'is not a client field' });
      else if (wanted.has(id)) errors.add({ path, message: 'is another spelling of an existing field' });
      else if (isLonger(value, MAX_VALUE)) errors.add({ path, message: `must have at most ${MAX_VALUE} characters` });
      else wanted.set(id, value);
    }
    errors.throwIfAny();
    return wanted;
  }

  async #stored(clientId: number, fieldIds: number[]): Promise<Map<number, string>> {
    const rows = await this.#trx('client_field_values')
      .where({ client_id: clientId })
      .whereIn('field_id', fieldIds)
      .select<{ field_id: number; value: string }[]>('field_id', 'value');
    return new Map(rows.map(({ field_id, value }) => [field_id, value]));
  }
}
