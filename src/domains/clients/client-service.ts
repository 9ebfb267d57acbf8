import type { Knex } from 'knex';
import { bumpRevision } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { ChangeLog } from '../changes/index.ts';
import { checkedFields, type Client, type ClientBrief, type ClientRef, type NewClient } from './client.ts';
import { ClientReadModel } from './client-read-model.ts';
import { ClientRepository } from './client-repository.ts';

export interface ClientServiceParts {
  knex: Knex;
  clock: Clock;
  changeLog: ChangeLog;
}

/** What may be done to clients. Their sites are assigned by the site's own record. */
export class ClientService {
  readonly #parts: ClientServiceParts;
  readonly #clients: ClientReadModel;

  constructor(parts: ClientServiceParts) {
    this.#parts = parts;
    this.#clients = new ClientReadModel(parts.knex);
  }

  /** Throws `svc_client_not_found`. */
  get(ref: ClientRef): Promise<Client> {
    return this.#clients.get(ref);
  }

  /** Null when there is none; for what refers to a client that may be gone. */
  brief(id: number): Promise<ClientBrief | null> {
    return this.#clients.brief(id);
  }

  /** By name. */
  list(request: PageRequest): Promise<Page<ClientBrief>> {
    return this.#clients.list(request);
  }

  /** Throws `svc_already_exists` when another client has the e-mail address. */
  async create(input: NewClient, actor: string): Promise<Client> {
    const { knex, clock, changeLog } = this.#parts;
    const fields = checkedFields(input);
    const id = await inTransaction(knex, async ({ trx }) => {
      const inserted = await new ClientRepository(trx, clock.now()).insert(fields);
      const description = `Added the client ${fields.name}.`;
      await changeLog.append(trx, { siteId: null, type: 'client.added', description, actor });
      await bumpRevision(trx, 'clients');
      return inserted;
    });
    return this.#clients.get(id);
  }
}
