import type { Knex } from 'knex';
import { bumpRevision } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { ClientDeletedHook } from '../../platform/part.ts';
import { describeChangedObject, type ChangedObject } from '../../shared/changed-object.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { Precondition } from '../../shared/precondition.ts';
import type { Change, ChangeLog } from '../changes/index.ts';
import { CostTargetRepository } from '../costs/index.ts';
import type { ReportTemplateService } from '../report-templates/index.ts';
import {
  ClientSitesRepository,
  type SiteStatusChange,
  type SiteClientChange,
  type SiteStatus,
} from '../sites/index.ts';
import {
  checkedClientProfile,
  OPTIONAL_CLIENT_FIELDS,
  type Client,
  type ClientSitesAndFieldValues,
  type ClientBrief,
  type ClientDetail,
  type OptionalClientFields,
  type ClientProfile,
  type ClientFilter,
  type ClientPatch,
  type ClientRef,
  type ClientStatus,
  type ListedClient,
  type NewClient,
  type ClientWithTaggedSiteCount,
} from './client.ts';
import { ClientExtrasReadModel } from './client-extras-read-model.ts';
import { ClientReadModel } from './client-read-model.ts';
import { ClientRepository } from './client-repository.ts';
import { ClientFieldValuesRepository } from './client-field-values-repository.ts';

export interface ClientServiceDeps {
  knex: Knex;
  clock: Clock;
  changeLog: ChangeLog;
  templates: Pick<ReportTemplateService, 'requireKnown'>;
  onClientDeleted: () => readonly ClientDeletedHook[];
}

export interface ClientStatusChangeResult {
  client: ClientBrief;
  sites: number;
}

interface ClientUnitOfWork {
  trx: Knex.Transaction;
  clients: ClientRepository;
  sites: ClientSitesRepository;
  values: ClientFieldValuesRepository;
  log: (...entries: ChangeWithoutActor[]) => Promise<void>;
}
type ChangeWithoutActor = Omit<Change, 'actor'>;

/** Methods that take a `ClientRef` throw `svc_client_not_found`. */
export class ClientService {
  readonly #deps: ClientServiceDeps;
  readonly #clients: ClientReadModel;

  constructor(deps: ClientServiceDeps) {
    this.#deps = deps;
    this.#clients = new ClientReadModel(deps.knex);
  }

  get(ref: ClientRef): Promise<Client> {
    return this.#clients.get(ref);
  }

  detail(ref: ClientRef): Promise<ClientDetail> {
    return readClientDetail(this.#deps.knex, ref);
  }

  find(ref: ClientRef): Promise<ClientBrief> {
    return this.#clients.find(ref);
  }

  idsOf(refs: readonly ClientRef[]): Promise<number[]> {
    return Promise.all(refs.map(async (ref) => (await this.find(ref)).id));
  }

  /** Returns null for a deleted client. Use this for stored references, which may be outdated. */
  brief(id: number): Promise<ClientBrief | null> {
    return this.#clients.brief(id);
  }

  list(filter: ClientFilter, request: PageRequest): Promise<Page<ListedClient>> {
    return this.#clients.list(filter, request);
  }

  async listFull(
    filter: ClientFilter,
    request: PageRequest,
    extras: readonly (keyof OptionalClientFields)[],
  ): Promise<Page<Client & OptionalClientFields>> {
    const page = await this.#clients.listFull(filter, request);
    return { ...page, items: await new ClientExtrasReadModel(this.#deps.knex).with(page.items, extras) };
  }

  /** Returns the existing clients in the order of `ids`. */
  byIds(ids: readonly number[]): Promise<ListedClient[]> {
    return this.#clients.byIds(ids);
  }

  fullByIds(ids: readonly number[]): Promise<Client[]> {
    return this.#clients.fullByIds(ids);
  }

  count(filter: ClientFilter): Promise<number> {
    return this.#clients.count(filter);
  }

  withTag(tagId: number, request: PageRequest): Promise<Page<ClientWithTaggedSiteCount>> {
    return this.#clients.withTag(tagId, request);
  }

  countWithTag(tagId: number): Promise<number> {
    return this.#clients.countWithTag(tagId);
  }

  /**
   * Creates a client. The given sites are assigned to the client even if they have another one. Throws
   * `svc_already_exists` if another client has the e-mail address, and `svc_site_not_found`.
   */
  async create(input: NewClient, actor: string, belongings: ClientSitesAndFieldValues = {}): Promise<ClientDetail> {
    const fields = checkedClientProfile(input);
    await this.#requireTemplate(fields);
    const id = await this.#work(actor, async ({ trx, clients, sites, values, log }) => {
      const inserted = await clients.insert(fields);
      const moved = await sites.assign(inserted, belongings.siteIds ?? []);
      await values.set(inserted, belongings.customFields);
      const thing = describeChangedObject({ name: fields.name, key: inserted }, null, {
        ...fields,
        sites: siteIdsOf(moved),
      });
      await log(clientEntry('client.added', `Added the client ${fields.name}.`, thing), ...moved.map(siteMovedEntry));
      await bumpRevision(trx, 'clients', ...(moved.length > 0 ? (['sites'] as const) : []));
      return inserted;
    });
    return this.detail(id);
  }

  /**
   * Changes a client. `siteIds` replaces all sites of the client. Throws `svc_already_exists` and `svc_site_not_found`.
   */
  async update(
    ref: ClientRef,
    patch: ClientPatch,
    actor: string,
    { siteIds, customFields }: ClientSitesAndFieldValues = {},
    precondition?: Precondition<ClientDetail>,
  ): Promise<ClientDetail> {
    await this.#requireTemplate(patch);
    const id = await this.#work(actor, async ({ trx, clients, sites, values, log }) => {
      const stored = await clients.lock(ref);
      precondition?.(await readClientDetail(trx, stored.id));
      const fields = checkedClientProfile({ ...stored.fields, ...patch });
      const moved = siteIds === undefined ? [] : await sites.replace(stored.id, siteIds);
      const isRefilled = await values.set(stored.id, customFields);
      const edited = [
        ...editedNames(stored.fields, fields),
        ...(moved.length > 0 ? ['sites'] : []),
        ...(isRefilled ? ['custom fields'] : []),
      ];
      if (edited.length === 0) return stored.id;
      await clients.update(stored.id, fields);
      const description = `Changed ${edited.join(', ')} of the client ${fields.name}.`;
      const ofClient = { name: fields.name, key: stored.id };
      // Custom fields are logged without their values. Sites that were added or removed have their own entries in the
      // log.
      const unshown = isRefilled ? ['customFields'] : [];
      const thing = describeChangedObject(ofClient, { ...stored.fields }, { ...fields }, unshown);
      await log(clientEntry('client.updated', description, thing), ...moved.map(siteMovedEntry));
      await bumpRevision(trx, 'clients', ...(moved.length > 0 ? (['sites'] as const) : []));
      return stored.id;
    });
    return this.detail(id);
  }

  async previewDelete(ref: ClientRef): Promise<{ client: Client; costs: number }> {
    const client = await this.#clients.get(ref);
    return { client, costs: await new CostTargetRepository(this.#deps.knex).count('client', client.id) };
  }

  /** Deletes a client. Its sites are kept without a client, and its costs without this target. */
  async delete(ref: ClientRef, actor: string, precondition?: Precondition<ClientDetail>): Promise<ClientDetail> {
    const { onClientDeleted } = this.#deps;
    return this.#work(actor, async ({ trx, clients, sites, log }) => {
      const { id, fields } = await clients.lock(ref);
      const client = await readClientDetail(trx, id);
      precondition?.(client);
      const moved = await sites.replace(id, []);
      await new CostTargetRepository(trx).remove('client', id);
      for (const settle of onClientDeleted()) await settle(trx, id);
      await clients.delete(id);
      const thing = describeChangedObject({ name: client.name, key: id }, { ...fields, sites: siteIdsOf(moved) }, null);
      await log(
        clientEntry('client.deleted', `Deleted the client ${client.name}.`, thing),
        ...moved.map(siteMovedEntry),
      );
      await bumpRevision(trx, 'clients', 'sites');
      return client;
    });
  }

  suspend(ref: ClientRef, actor: string): Promise<ClientStatusChangeResult> {
    return this.#setStatus(ref, 'suspended', { from: ['connected', 'disconnected'], to: 'suspended' }, actor);
  }

  unsuspend(ref: ClientRef, actor: string): Promise<ClientStatusChangeResult> {
    return this.#setStatus(ref, 'active', { from: ['suspended'], to: 'connected' }, actor);
  }

  async #setStatus(
    ref: ClientRef,
    status: ClientStatus,
    { from, to }: { from: readonly SiteStatus[]; to: SiteStatus },
    actor: string,
  ): Promise<ClientStatusChangeResult> {
    const verb = status === 'suspended' ? 'suspended' : 'unsuspended';
    return this.#work(actor, async ({ trx, clients, sites, log }) => {
      const stored = await clients.lock(ref);
      const { name, email } = stored.fields;
      const changed = await sites.setStatus(stored.id, from, to);
      const changedHere = stored.status !== status;
      if (changedHere) {
        await clients.setStatus(stored.id, status);
        const thing = describeChangedObject({ name, key: stored.id }, { status: stored.status }, { status });
        const description = `Changed the client ${name} from ${stored.status} to ${status}.`;
        await log(clientEntry(`client.${verb}`, description, thing));
      }
      await log(...changed.map((site) => siteCascadedEntry(site, `site.${verb}`, to, name)));
      if (changedHere || changed.length > 0) await bumpRevision(trx, 'clients', 'sites');
      return { client: { id: stored.id, name, email, status }, sites: changed.length };
    });
  }

  async #requireTemplate({ reportTemplate = '' }: ClientPatch): Promise<void> {
    const key = reportTemplate.trim();
    if (key !== '') await this.#deps.templates.requireKnown(key, 'reportTemplate');
  }

  #work<T>(actor: string, work: (parts: ClientUnitOfWork) => Promise<T>): Promise<T> {
    const { knex, clock, changeLog } = this.#deps;
    return inTransaction(knex, ({ trx }) => {
      const now = clock.now();
      return work({
        trx,
        clients: new ClientRepository(trx, now),
        sites: new ClientSitesRepository(trx, now),
        values: new ClientFieldValuesRepository(trx),
        log: (...entries) => changeLog.append(trx, ...entries.map((entry) => ({ ...entry, actor }))),
      });
    });
  }
}

async function readClientDetail(db: Knex, ref: ClientRef): Promise<ClientDetail> {
  const client = await new ClientReadModel(db).get(ref);
  const [detail] = await new ClientExtrasReadModel(db).with([client], OPTIONAL_CLIENT_FIELDS);
  return detail as ClientDetail;
}

const FIELD_NAMES: Partial<Record<keyof ClientProfile, string>> = {
  email: 'e-mail address',
  address1: 'address line 1',
  address2: 'address line 2',
  timeZone: 'time zone',
  mailFromName: 'sender name of mails',
  mailReplyTo: 'reply address of mails',
  reportTemplate: 'report template',
  reportText: 'report text',
  siteOrder: 'order of sites',
};

function editedNames(before: ClientProfile, after: ClientProfile): string[] {
  const names = Object.keys(after) as (keyof ClientProfile)[];
  return names.filter((name) => before[name] !== after[name]).map((name) => FIELD_NAMES[name] ?? name);
}

const clientEntry = (type: string, description: string, thing: ChangedObject): ChangeWithoutActor => ({
  ...{ siteId: null, type, description, thing },
});

const siteIdsOf = (sites: readonly SiteClientChange[]): number[] => sites.map(({ id }) => id);

const siteMovedEntry = ({ id, name, from, to }: SiteClientChange): ChangeWithoutActor => ({
  siteId: id,
  type: 'site.updated',
  description: 'Changed the client.',
  thing: describeChangedObject({ name, key: id }, { clientId: from }, { clientId: to }),
});

const siteCascadedEntry = (
  { id, name, status }: SiteStatusChange,
  type: string,
  to: SiteStatus,
  client: string,
): ChangeWithoutActor => ({
  siteId: id,
  type,
  description: `Changed from ${status} to ${to} together with the client ${client}.`,
  thing: describeChangedObject({ name, key: id }, { status }, { status: to }),
});
