import type { Knex } from 'knex';
import { groupBy } from '../../shared/group-by.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { whereInScope } from '../sites/index.ts';
import { cutSiteOrder, type Client, type OptionalClientFields } from './client.ts';

type ExtraName = keyof OptionalClientFields;
interface RowWithClientId {
  client_id: number;
}

export class ClientExtrasReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** Adds the fields that `parts` names. Removes sites outside the scope from `siteOrder`. */
  async with(
    scope: SiteScope,
    clients: readonly Client[],
    parts: readonly ExtraName[],
  ): Promise<(Client & OptionalClientFields)[]> {
    const ids = clients.map(({ id }) => id);
    const cutsOrder = isLimited(scope) && clients.some(({ siteOrder }) => siteOrder !== '');
    const [sites, tags, values] = await Promise.all([
      parts.includes('siteIds') || cutsOrder ? this.#sites(scope, ids) : null,
      parts.includes('tags') ? this.#tags(scope, ids) : null,
      parts.includes('customFields') ? this.#values(ids) : null,
    ]);
    return clients.map((client) => ({
      ...client,
      ...(cutsOrder && { siteOrder: cutSiteOrder(client.siteOrder, idsOf(sites?.get(client.id))) }),
      ...(sites && parts.includes('siteIds') && { siteIds: idsOf(sites.get(client.id)) }),
      ...(tags && { tags: (tags.get(client.id) ?? []).map(({ id, name }) => ({ id, name })) }),
      ...(values && {
        customFields: Object.fromEntries((values.get(client.id) ?? []).map(({ name, value }) => [name, value])),
      }),
    }));
  }

  async #sites(scope: SiteScope, ids: number[]): Promise<Map<number, (RowWithClientId & { id: number })[]>> {
    const query = this.#knex('sites').whereIn('sites.client_id', ids);
    whereInScope(this.#knex, query, scope);
    return byClient(await query.orderBy('sites.id').select('sites.client_id', 'sites.id'));
  }

  async #tags(
    scope: SiteScope,
    ids: number[],
  ): Promise<Map<number, (RowWithClientId & { id: number; name: string })[]>> {
    const carried = this.#knex('site_tags')
      .join('sites', 'sites.id', 'site_tags.site_id')
      .whereIn('sites.client_id', ids)
      .distinct('sites.client_id', 'site_tags.tag_id');
    whereInScope(this.#knex, carried, scope);
    return byClient(
      await this.#knex(carried.as('carried'))
        .join('tags', 'tags.id', 'carried.tag_id')
        .orderBy(['tags.name_key', 'tags.id'])
        .select('carried.client_id', 'tags.id', 'tags.name'),
    );
  }

  async #values(ids: number[]): Promise<Map<number, (RowWithClientId & { name: string; value: string })[]>> {
    return byClient(
      await this.#knex('client_field_values')
        .join('client_fields', 'client_fields.id', 'client_field_values.field_id')
        .whereIn('client_id', ids)
        .orderBy('client_fields.name_key')
        .select('client_id', 'client_fields.name', 'client_field_values.value'),
    );
  }
}

const idsOf = (sites: readonly { id: number }[] = []): number[] => sites.map(({ id }) => id);

const byClient = <R extends RowWithClientId>(rows: readonly R[]): Map<number, R[]> =>
  groupBy(rows, (row) => row.client_id);
