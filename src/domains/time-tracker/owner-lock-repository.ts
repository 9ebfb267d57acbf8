import type { Knex } from 'knex';
import { lockForUpdate } from '../../db/dialect.ts';
import { NotFoundError } from '../../shared/errors.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { isInScope } from '../sites/index.ts';
import { countClientsInScope } from './tracker-scope-read-model.ts';

const CHUNK = 500;

/**
 * Locks clients and sites until the transaction ends, so that none can be deleted before a task or bucket refers to it.
 * A client or site outside the scope fails like a missing one, after the same SQL: the duration must not show it.
 */
export class OwnerLockRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async lockClient(scope: SiteScope, id: number): Promise<string> {
    const query = this.#db('clients').where({ id }).first<{ name: string } | undefined>('name');
    const row: { name: string } | undefined = await lockForUpdate(this.#db, query);
    const isVisible = await this.#seesClients(scope, [id]);
    if (!row || !isVisible) throw new NotFoundError('svc_client_not_found', 'No client has this ID.');
    return row.name;
  }

  async lockClients(scope: SiteScope, ids: readonly number[]): Promise<void> {
    for (let start = 0; start < ids.length; start += CHUNK) {
      const chunk = ids.slice(start, start + CHUNK);
      const query = this.#db('clients').whereIn('id', chunk).orderBy('id').select<{ id: number }[]>('id');
      const rows: { id: number }[] = await lockForUpdate(this.#db, query);
      const areVisible = await this.#seesClients(scope, chunk);
      if (rows.length !== chunk.length || !areVisible)
        throw new NotFoundError('svc_client_not_found', 'At least one of these client IDs does not exist.');
    }
  }

  async lockSite(scope: SiteScope, id: number): Promise<{ url: string; clientId: number | null }> {
    type Row = { url: string; client_id: number | null } | undefined;
    const query = this.#db('sites').where({ id }).first<Row>('url', 'client_id');
    const row: Row = await lockForUpdate(this.#db, query);
    const isVisible = await this.#seesSite(scope, id);
    if (!row || !isVisible) throw new NotFoundError('svc_site_not_found', 'No site has this ID.');
    return { url: row.url, clientId: row.client_id };
  }

  async #seesClients(scope: SiteScope, ids: readonly number[]): Promise<boolean> {
    return !isLimited(scope) || (await countClientsInScope(this.#db, scope, ids)) === ids.length;
  }

  async #seesSite(scope: SiteScope, id: number): Promise<boolean> {
    return !isLimited(scope) || isInScope(this.#db, scope, id);
  }

  /** Must run before the client is deleted, because it copies the name of the client. */
  storeClientName(clientId: number): Promise<void> {
    const name = this.#db('clients').where({ id: clientId }).select('name');
    return this.#detachTasks({ client_id: clientId }, { client_name: name, client_id: null });
  }

  detachSite(siteId: number): Promise<void> {
    return this.#detachTasks({ site_id: siteId }, { site_id: null });
  }

  /** Uses several statements. Between them, SQLite lets other work of this process run. A foreign key uses only one. */
  async #detachTasks(owner: { client_id: number } | { site_id: number }, columns: object): Promise<void> {
    for (let count = CHUNK; count === CHUNK;) {
      const some = this.#db('time_tasks').where(owner).orderBy(['task_date', 'id']).limit(CHUNK);
      const ids = await some.pluck<number[]>('id');
      // Another transaction may have given a task to another owner since it was read.
      if (ids.length > 0) await this.#db('time_tasks').where(owner).whereIn('id', ids).update(columns);
      count = ids.length;
    }
  }
}
