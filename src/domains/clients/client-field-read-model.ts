import type { Knex } from 'knex';
import { readCountedPage } from '../../db/counted-page.ts';
import { whereContains } from '../../db/search.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { ClientField, ClientFieldFilter } from './client-field.ts';
import { FIELD_COLUMNS, toField, type ClientFieldRow } from './client-field-repository.ts';

export class ClientFieldReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** There are few fields, so their total is not cached. */
  list(filter: ClientFieldFilter, request: PageRequest): Promise<Page<ClientField>> {
    const toItems = (rows: ClientFieldRow[]): ClientField[] => rows.map(toField);
    const chosen = (): Knex.QueryBuilder => this.#filtered(filter);
    return readCountedPage({ chosen, orderBy: ['name_key', 'id'], columns: FIELD_COLUMNS, toItems }, request);
  }

  #filtered({ search, include, exclude }: ClientFieldFilter): Knex.QueryBuilder {
    const query = this.#knex('client_fields');
    if (include?.length) void query.whereIn('id', [...include]);
    if (exclude?.length) void query.whereNotIn('id', [...exclude]);
    whereContains(query, search, 'name_key');
    return query;
  }
}
