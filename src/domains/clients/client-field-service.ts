import type { Knex } from 'knex';
import { bumpRevision } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import { describeChangedObject, type ChangedObject } from '../../shared/changed-object.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { ChangeLog } from '../changes/index.ts';
import {
  checkedClientField,
  type ClientField,
  type ClientFieldFilter,
  type ClientFieldPatch,
  type ClientFieldRef,
  type NewClientField,
} from './client-field.ts';
import { ClientFieldReadModel } from './client-field-read-model.ts';
import { ClientFieldRepository } from './client-field-repository.ts';

export interface ClientFieldServiceDeps {
  knex: Knex;
  clock: Clock;
  changeLog: ChangeLog;
}

interface ClientFieldUnitOfWork {
  fields: ClientFieldRepository;
  log: (type: string, description: string, thing: ChangedObject) => Promise<void>;
}

export class ClientFieldService {
  readonly #deps: ClientFieldServiceDeps;
  readonly #fields: ClientFieldReadModel;

  constructor(deps: ClientFieldServiceDeps) {
    this.#deps = deps;
    this.#fields = new ClientFieldReadModel(deps.knex);
  }

  list(filter: ClientFieldFilter, request: PageRequest): Promise<Page<ClientField>> {
    return this.#fields.list(filter, request);
  }

  /** Throws `svc_already_exists` if another field has the name, ignoring case. */
  async create(input: NewClientField, actor: string): Promise<ClientField> {
    const checked = checkedClientField(input);
    return this.#work(actor, async ({ fields, log }) => {
      const field = await fields.insert(checked);
      const thing = describeChangedObject(clientFieldIdentityForChangeLog(field), null, loggedClientFieldValues(field));
      await log('client_field.added', `Added the client field ${field.name}.`, thing);
      return field;
    });
  }

  update(ref: ClientFieldRef, patch: ClientFieldPatch, actor: string): Promise<ClientField> {
    return this.#work(actor, async ({ fields, log }) => {
      const stored = await fields.lock(ref);
      const checked = checkedClientField({ ...stored, ...patch });
      const edited = (['name', 'description'] as const).filter((part) => checked[part] !== stored[part]);
      if (edited.length === 0) return stored;
      const field = await fields.update(stored, checked);
      const thing = describeChangedObject(
        clientFieldIdentityForChangeLog(field),
        loggedClientFieldValues(stored),
        loggedClientFieldValues(field),
      );
      await log('client_field.updated', `Changed ${edited.join(', ')} of the client field ${field.name}.`, thing);
      return field;
    });
  }

  delete(ref: ClientFieldRef, actor: string): Promise<ClientField> {
    return this.#work(actor, async ({ fields, log }) => {
      const field = await fields.lock(ref);
      await fields.delete(field.id);
      const thing = describeChangedObject(clientFieldIdentityForChangeLog(field), loggedClientFieldValues(field), null);
      await log('client_field.deleted', `Deleted the client field ${field.name}.`, thing);
      return field;
    });
  }

  #work<T>(actor: string, work: (parts: ClientFieldUnitOfWork) => Promise<T>): Promise<T> {
    const { knex, clock, changeLog } = this.#deps;
    return inTransaction(knex, async ({ trx }) => {
      const result = await work({
        fields: new ClientFieldRepository(trx, clock.now()),
        log: (type, description, thing) => changeLog.append(trx, { siteId: null, type, description, actor, thing }),
      });
      // Lists of clients show the names and values of fields, so the revision of `clients` changes too.
      await bumpRevision(trx, 'clients');
      return result;
    });
  }
}

const clientFieldIdentityForChangeLog = ({ name, id }: ClientField): Pick<ChangedObject, 'name' | 'key'> => ({
  name,
  key: id,
});

const loggedClientFieldValues = ({ name, description }: ClientField) => ({ name, description });
