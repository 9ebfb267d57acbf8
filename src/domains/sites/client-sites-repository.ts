import type { Knex } from 'knex';
import { chunks, IDS_A_STATEMENT } from '../../db/chunks.ts';
import { lockForUpdate } from '../../db/dialect.ts';
import { NotFoundError } from '../../shared/errors.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import type { SiteStatus } from './site.ts';
import { whereInScope } from './site-scope-read-model.ts';

/** `status` is the status before the change. */
export interface SiteStatusChange {
  id: number;
  name: string;
  status: SiteStatus;
}

export interface SiteClientChange {
  id: number;
  name: string;
  from: number | null;
  to: number | null;
}

export interface ClientSitesInScope {
  seen: ReadonlySet<number>;
  outside: number;
}

interface OwnedRow {
  id: number;
  name: string;
  status: SiteStatus;
  client_id: number | null;
}

/** The caller must have locked the client. This lock also keeps other transactions from assigning sites to it. */
export class ClientSitesRepository {
  readonly #trx: Knex.Transaction;
  readonly #now: number;
  readonly #scope: SiteScope;

  constructor(trx: Knex.Transaction, now: number, scope: SiteScope) {
    this.#trx = trx;
    this.#now = now;
    this.#scope = scope;
  }

  /**
   * Locks the sites of a client. Other transactions lock a site before they change its client or its tags, so no site
   * enters or leaves the scope before this transaction ends. Returns null without reading if the scope is unlimited.
   */
  async inScope(clientId: number): Promise<ClientSitesInScope | null> {
    if (!isLimited(this.#scope)) return null;
    const ids = (await this.#locked((query) => query.where('client_id', clientId))).map(({ id }) => id);
    const seen = await this.#seen(ids);
    return { seen, outside: ids.length - seen.size };
  }

  /**
   * Assigns sites to a client. Returns the sites that moved, even from another client. Throws `svc_site_not_found`,
   * also for sites outside the scope.
   */
  async assign(clientId: number, siteIds: readonly number[]): Promise<SiteClientChange[]> {
    const wanted = [...new Set(siteIds)].sort((left, right) => left - right);
    const owners = new Map<number, OwnedRow>();
    for (const chunk of chunks(wanted, IDS_A_STATEMENT))
      for (const site of await this.#locked((query) => query.whereIn('id', chunk))) owners.set(site.id, site);
    /*
     * Also checks the scope for sites that do not exist, so that a site outside the scope costs the same SQL as a
     * missing one: the duration must not show that it exists.
     */
    const seen = await this.#seen(wanted);
    const missing = wanted.filter((id) => !owners.has(id) || !seen.has(id));
    if (missing.length > 0)
      throw new NotFoundError('svc_site_not_found', 'At least one of these site IDs does not exist.', {
        site_ids: missing,
      });
    return this.#give(
      [...owners.values()].filter((site) => site.client_id !== clientId),
      clientId,
    );
  }

  /** Replaces the sites of a client. Sites outside the scope stay with it. If `inScope` is null, all can be removed. */
  async replace(
    clientId: number,
    siteIds: readonly number[],
    inScope: ClientSitesInScope | null = null,
  ): Promise<SiteClientChange[]> {
    const came = await this.assign(clientId, siteIds);
    const kept = new Set(siteIds);
    const owned = await this.#locked((query) => query.where('client_id', clientId));
    return [
      ...came,
      ...(await this.#give(
        owned.filter(({ id }) => !kept.has(id) && (inScope === null || inScope.seen.has(id))),
        null,
      )),
    ];
  }

  async setStatus(clientId: number, from: readonly SiteStatus[], to: SiteStatus): Promise<SiteStatusChange[]> {
    const sites = await this.#locked((query) => query.where('client_id', clientId).whereIn('status', [...from]));
    const ids = sites.map(({ id }) => id);
    for (const chunk of chunks(ids, IDS_A_STATEMENT)) await this.#update(chunk, { status: to });
    return sites.map(({ id, name, status }) => ({ id, name, status }));
  }

  async #give(sites: readonly OwnedRow[], clientId: number | null): Promise<SiteClientChange[]> {
    const ids = sites.map(({ id }) => id);
    for (const chunk of chunks(ids, IDS_A_STATEMENT)) await this.#update(chunk, { client_id: clientId });
    return sites.map(({ id, name, client_id: from }) => ({ id, name, from, to: clientId }));
  }

  async #update(siteIds: number[], fields: { status: SiteStatus } | { client_id: number | null }): Promise<void> {
    await this.#trx('sites')
      .whereIn('id', siteIds)
      .update({ ...fields, revision: this.#trx.raw('revision + 1'), updated_at: this.#now });
  }

  async #seen(ids: readonly number[]): Promise<ReadonlySet<number>> {
    if (!isLimited(this.#scope)) return new Set(ids);
    const seen = new Set<number>();
    for (const chunk of chunks(ids, IDS_A_STATEMENT)) {
      const query = this.#trx('sites').whereIn('sites.id', chunk);
      whereInScope(this.#trx, query, this.#scope);
      for (const id of await query.pluck<number[]>('sites.id')) seen.add(id);
    }
    return seen;
  }

  #locked(narrow: (query: Knex.QueryBuilder) => Knex.QueryBuilder): Promise<OwnedRow[]> {
    const query = narrow(this.#trx('sites').orderBy('id').select('id', 'name', 'status', 'client_id'));
    return lockForUpdate(this.#trx, query);
  }
}
