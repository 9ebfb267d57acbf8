import type { Knex } from 'knex';
import { countOf } from '../../db/counting.ts';
import { whereContains } from '../../db/search.ts';
import { offsetOf, type Page, type PageRequest } from '../../shared/paging.ts';
import type { ClientField, ClientFieldFilter } from './client-field.ts';
import { FIELD_COLUMNS, toField, type ClientFieldRow } from './client-field-repository.ts';

/** Reads the fields that are defined for clients. */
export class ClientFieldReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** By name, then by ID. They are few, so that they are counted each time. */
  async list(filter: ClientFieldFilter, request: PageRequest): Promise<Page<ClientField>> {
    const [total, rows] = await Promise.all([
      countOf(this.#filtered(filter)),
      this.#filtered(filter)
        .orderBy(['name_key', 'id'])
        .offset(offsetOf(request))
        .limit(request.perPage)
        .select<ClientFieldRow[]>(...FIELD_COLUMNS),
    ]);
    return { items: rows.map(toField), page: request.page, perPage: request.perPage, total };
  }

  #filtered({ search, include, exclude }: ClientFieldFilter): Knex.QueryBuilder {
    const query = this.#knex('client_fields');
    if (include?.length) void query.whereIn('id', [...include]);
    if (exclude?.length) void query.whereNotIn('id', [...exclude]);
    whereContains(query, search, 'name_key');
    return query;
  }
}
