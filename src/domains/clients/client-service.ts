import type { Knex } from 'knex';
import { bumpRevision } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { ClientDeletedHook, ClientMailChangedHook } from '../../platform/part.ts';
import { describeChangedObject, type ChangedObject } from '../../shared/changed-object.ts';
import type { DeletionCount, DeletionEffects, DeletionViewer } from '../../shared/deletion-effects.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { Precondition } from '../../shared/precondition.ts';
import type { Requester } from '../../shared/requester.ts';
import { ALL_SITES, type SiteScope } from '../../shared/site-scope.ts';
import type { Change, ChangeLog } from '../changes/index.ts';
import { CostTargetRepository } from '../costs/index.ts';
import type { ReportTemplateService } from '../report-templates/index.ts';
import {
  ClientSitesRepository,
  countSitesOutside,
  isNamedByEach,
  countDeletionEffects,
  refuseSitesOutside,
  type ClientSitesInScope,
  type SiteStatusChange,
  type SiteClientChange,
  type SiteStatus,
} from '../sites/index.ts';
import {
  checkedClientProfile,
  cutSiteOrder,
  OPTIONAL_CLIENT_FIELDS,
  type Client,
  type ClientSitesAndFieldValues,
  type ClientBrief,
  type ClientDetail,
  type OptionalClientFields,
  type ClientProfile,
  type ClientFilter,
  type ClientOrder,
  type ClientPatch,
  type ClientRef,
  type ClientStatus,
  type ListedClient,
  type NewClient,
  type ClientWithTaggedSiteCount,
} from './client.ts';
import { ClientExtrasReadModel } from './client-extras-read-model.ts';
import { ClientReadModel } from './client-read-model.ts';
import { clientNotFound, ClientRepository, type LockedClient } from './client-repository.ts';
import { ClientFieldValuesRepository } from './client-field-values-repository.ts';

export interface ClientServiceDeps {
  knex: Knex;
  clock: Clock;
  changeLog: ChangeLog;
  templates: Pick<ReportTemplateService, 'requireKnown'>;
  onClientDeleted: () => readonly ClientDeletedHook[];
  deletionCounts: () => readonly DeletionCount[];
  onClientMailChanged: () => readonly ClientMailChangedHook[];
}

export interface ClientStatusChangeResult {
  client: ClientBrief;
  sites: number;
}

interface ClientUnitOfWork {
  trx: Knex.Transaction;
  scope: SiteScope;
  clients: ClientRepository;
  sites: ClientSitesRepository;
  values: ClientFieldValuesRepository;
  log: (...entries: ChangeWithoutActor[]) => Promise<void>;
}
type ChangeWithoutActor = Omit<Change, 'actor'>;

/**
 * Methods that take a `ClientRef` throw `svc_client_not_found`. A limited caller that changes a client with sites
 * outside its limits gets `svc_outside_limits`.
 */
export class ClientService {
  readonly #deps: ClientServiceDeps;
  readonly #clients: ClientReadModel;

  constructor(deps: ClientServiceDeps) {
    this.#deps = deps;
    this.#clients = new ClientReadModel(deps.knex);
  }

  get(scope: SiteScope, ref: ClientRef): Promise<Client> {
    return readClient(this.#deps.knex, scope, ref, []);
  }

  detail(scope: SiteScope, ref: ClientRef): Promise<ClientDetail> {
    return readClientDetail(this.#deps.knex, scope, ref);
  }

  find(scope: SiteScope, ref: ClientRef): Promise<ClientBrief> {
    return this.#clients.find(scope, ref);
  }

  idsOf(scope: SiteScope, refs: readonly ClientRef[]): Promise<number[]> {
    return Promise.all(refs.map(async (ref) => (await this.find(scope, ref)).id));
  }

  /**
   * Returns null if the client was deleted: `id` may be an outdated reference. Does not check the scope: use this only
   * if the caller sees a site of the client.
   */
  brief(id: number): Promise<ClientBrief | null> {
    return this.#clients.brief(id);
  }

  list(scope: SiteScope, filter: ClientFilter, request: PageRequest): Promise<Page<ListedClient>> {
    return this.#clients.list(scope, filter, request);
  }

  async listFull(
    scope: SiteScope,
    filter: ClientFilter,
    request: PageRequest,
    extras: readonly (keyof OptionalClientFields)[],
    order?: ClientOrder,
  ): Promise<Page<Client & OptionalClientFields>> {
    const page = await this.#clients.listFull(scope, filter, request, order);
    return { ...page, items: await new ClientExtrasReadModel(this.#deps.knex).with(scope, page.items, extras) };
  }

  byIds(scope: SiteScope, ids: readonly number[]): Promise<ListedClient[]> {
    return this.#clients.byIds(scope, ids);
  }

  async fullByIds(scope: SiteScope, ids: readonly number[]): Promise<Client[]> {
    const clients = await this.#clients.fullByIds(scope, ids);
    return new ClientExtrasReadModel(this.#deps.knex).with(scope, clients, []);
  }

  count(scope: SiteScope, filter: ClientFilter): Promise<number> {
    return this.#clients.count(scope, filter);
  }

  withTag(scope: SiteScope, tagId: number, request: PageRequest): Promise<Page<ClientWithTaggedSiteCount>> {
    return this.#clients.withTag(scope, tagId, request);
  }

  countWithTag(scope: SiteScope, tagId: number): Promise<number> {
    return this.#clients.countWithTag(scope, tagId);
  }

  /**
   * Assigns the given sites to the new client even if they have another client. Throws `svc_already_exists` if another
   * client has the e-mail address, and `svc_site_not_found`.
   */
  async create(input: NewClient, actor: string, belongings: ClientSitesAndFieldValues = {}): Promise<ClientDetail> {
    const fields = checkedClientProfile(input);
    await this.#requireTemplate(fields);
    const id = await this.#work(ALL_SITES, actor, async ({ trx, clients, sites, values, log }) => {
      const inserted = await clients.insert(fields);
      const moved = await sites.assign(inserted, belongings.siteIds ?? []);
      await values.set(inserted, belongings.customFields);
      const thing = describeChangedObject({ name: fields.name, key: inserted }, null, {
        ...fields,
        sites: movedSiteIds(moved),
      });
      await log(clientEntry('client.added', `Added the client ${fields.name}.`, thing), ...moved.map(siteMovedEntry));
      await bumpRevision(trx, 'clients', ...(moved.length > 0 ? (['sites'] as const) : []));
      return inserted;
    });
    return this.detail(ALL_SITES, id);
  }

  /**
   * Changes a client. `siteIds` replaces the sites of the client that are in the scope. If the client has sites outside
   * the scope, only `siteIds` can be changed. If no site of the client is in the scope, sites can only be added, and
   * each limit of the caller must name the client. `by` and `scope` are those of one caller. Throws
   * `svc_already_exists` and `svc_site_not_found`.
   */
  async update(
    scope: SiteScope,
    ref: ClientRef,
    patch: ClientPatch,
    by: Requester,
    { siteIds, customFields }: ClientSitesAndFieldValues = {},
    precondition?: Precondition<ClientDetail>,
  ): Promise<ClientDetail> {
    await this.#requireTemplate(patch);
    const onlyAddsSites = Object.keys(patch).length === 0 && customFields === undefined && (siteIds ?? []).length > 0;
    const id = await this.#work(scope, by.name, async (parts) => {
      const { trx, clients, sites, values, log } = parts;
      const stored = await lockSeen(parts, ref, onlyAddsSites);
      precondition?.(await readClientDetail(trx, scope, stored.id));
      const wanted = { ...stored.fields, ...withoutSeenOrder(patch, stored) };
      const fields = checkedClientProfile(wanted, stored.fields.email);
      const moved = siteIds === undefined ? [] : await sites.replace(stored.id, siteIds, stored.inScope);
      const isRefilled = await values.set(stored.id, customFields);
      const editedFields = editedNames(stored.fields, fields);
      if (editedFields.length > 0 || isRefilled) refuseOutside(stored);
      const edited = [
        ...editedFields,
        ...(moved.length > 0 ? ['sites'] : []),
        ...(isRefilled ? ['custom fields'] : []),
      ];
      if (edited.length === 0) return stored.id;
      if (isRefilled || editedFields.some((field) => field !== FIELD_NAMES.siteOrder))
        await clients.update(stored.id, fields);
      else if (editedFields.length > 0) await clients.setSiteOrder(stored.id, fields.siteOrder);
      if (fields.email !== stored.fields.email)
        for (const follow of this.#deps.onClientMailChanged()) await follow(trx, stored.id, by);
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
    const { knex } = this.#deps;
    const changed = await new ClientReadModel(knex).getChanged(scope, id);
    return withExtras(knex, scope, changed, OPTIONAL_CLIENT_FIELDS) as Promise<ClientDetail>;
  }

  async previewDelete(
    viewer: DeletionViewer,
    ref: ClientRef,
  ): Promise<{ client: Client; effects: DeletionEffects<'client'> }> {
    const { knex, deletionCounts } = this.#deps;
    const client = await this.get(viewer.sites, ref);
    refuseSitesOutside('client', await countSitesOutside(knex, viewer.sites, [client.id]));
    return { client, effects: await countDeletionEffects(knex, viewer, deletionCounts(), 'client', client.id) };
  }

  /** Deletes a client. Its sites are kept without a client, and its costs without this target. */
  async delete(
    scope: SiteScope,
    ref: ClientRef,
    actor: string,
    precondition?: Precondition<ClientDetail>,
  ): Promise<ClientDetail> {
    const { onClientDeleted } = this.#deps;
    return this.#work(scope, actor, async (parts) => {
      const { trx, clients, sites, log } = parts;
      const stored = await lockSeen(parts, ref);
      const { id, fields } = stored;
      const client = await readClientDetail(trx, scope, id);
      precondition?.(client);
      refuseOutside(stored);
      const moved = await sites.replace(id, []);
      await new CostTargetRepository(trx).remove('client', id);
      for (const settle of onClientDeleted()) await settle(trx, id);
      await clients.delete(id);
      const thing = describeChangedObject(
        { name: client.name, key: id },
        { ...fields, sites: movedSiteIds(moved) },
        null,
      );
      await log(
        clientEntry('client.deleted', `Deleted the client ${client.name}.`, thing),
        ...moved.map(siteMovedEntry),
      );
      await bumpRevision(trx, 'clients', 'sites');
      return client;
    });
  }

  suspend(scope: SiteScope, ref: ClientRef, actor: string): Promise<ClientStatusChangeResult> {
    return this.#setStatus(scope, ref, 'suspended', { from: ['connected', 'disconnected'], to: 'suspended' }, actor);
  }

  unsuspend(scope: SiteScope, ref: ClientRef, actor: string): Promise<ClientStatusChangeResult> {
    return this.#setStatus(scope, ref, 'active', { from: ['suspended'], to: 'connected' }, actor);
  }

  async #setStatus(
    scope: SiteScope,
    ref: ClientRef,
    status: ClientStatus,
    { from, to }: { from: readonly SiteStatus[]; to: SiteStatus },
    actor: string,
  ): Promise<ClientStatusChangeResult> {
    const verb = status === 'suspended' ? 'suspended' : 'unsuspended';
    return this.#work(scope, actor, async (parts) => {
      const { trx, clients, sites, log } = parts;
      const stored = await lockSeen(parts, ref);
      refuseOutside(stored);
      const { name, email } = stored.fields;
      const changed = await sites.setStatus(stored.id, from, to);
      const changedHere = stored.status !== status;
      if (changedHere) {
        await clients.setStatus(stored.id, status);
        const thing = describeChangedObject({ name, key: stored.id }, { status: stored.status }, { status });
        const description = `Changed the client ${name} from ${stored.status} to ${status}.`;
        await log(clientEntry(`client.${verb}`, description, thing));
      }
      await log(...changed.map((site) => siteCascadedEntry(site, `site.${verb}`, to)));
      if (changedHere || changed.length > 0) await bumpRevision(trx, 'clients', 'sites');
      return { client: { id: stored.id, name, email, status }, sites: changed.length };
    });
  }

  async #requireTemplate({ reportTemplate = '' }: ClientPatch): Promise<void> {
    const key = reportTemplate.trim();
    if (key !== '') await this.#deps.templates.requireKnown(key, 'reportTemplate');
  }

  #work<T>(scope: SiteScope, actor: string, work: (parts: ClientUnitOfWork) => Promise<T>): Promise<T> {
    const { knex, clock, changeLog } = this.#deps;
    return inTransaction(knex, ({ trx }) => {
      const now = clock.now();
      return work({
        trx,
        scope,
        clients: new ClientRepository(trx, now),
        sites: new ClientSitesRepository(trx, now, scope),
        values: new ClientFieldValuesRepository(trx),
        log: (...entries) => changeLog.append(trx, ...entries.map((entry) => ({ ...entry, actor }))),
      });
    });
  }
}

type LockedClientInScope = LockedClient & { inScope: ClientSitesInScope | null };

async function lockSeen(
  { scope, clients, sites }: ClientUnitOfWork,
  ref: ClientRef,
  onlyAddsSites = false,
): Promise<LockedClientInScope> {
  const locked = await clients.lock(scope, ref, { allowsNamed: onlyAddsSites });
  const inScope = await sites.inScope(locked.id);
  if (inScope?.seen.size === 0 && !(onlyAddsSites && isNamedByEach(scope, 'clients', locked.id)))
    throw clientNotFound();
  return { ...locked, inScope };
}

const refuseOutside = ({ inScope }: LockedClientInScope): void => refuseSitesOutside('client', inScope?.outside ?? 0);

/**
 * A limited caller reads `siteOrder` without the sites outside its scope. If the patch has this text, removes it,
 * because storing it would drop those sites from the order.
 */
function withoutSeenOrder(patch: ClientPatch, { fields, inScope }: LockedClientInScope): ClientPatch {
  const { siteOrder, ...rest } = patch;
  return inScope !== null && siteOrder === cutSiteOrder(fields.siteOrder, inScope.seen) ? rest : patch;
}

const readClient = async (
  db: Knex,
  scope: SiteScope,
  ref: ClientRef,
  extras: readonly (keyof OptionalClientFields)[],
): Promise<Client & OptionalClientFields> =>
  withExtras(db, scope, await new ClientReadModel(db).get(scope, ref), extras);

async function withExtras(
  db: Knex,
  scope: SiteScope,
  client: Client,
  extras: readonly (keyof OptionalClientFields)[],
): Promise<Client & OptionalClientFields> {
  const [extended] = await new ClientExtrasReadModel(db).with(scope, [client], extras);
  return extended as Client & OptionalClientFields;
}

const readClientDetail = async (db: Knex, scope: SiteScope, ref: ClientRef): Promise<ClientDetail> =>
  (await readClient(db, scope, ref, OPTIONAL_CLIENT_FIELDS)) as ClientDetail;

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

const movedSiteIds = (sites: readonly SiteClientChange[]): number[] => sites.map(({ id }) => id);

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
): ChangeWithoutActor => ({
  siteId: id,
  type,
  description: `Changed from ${status} to ${to} together with its client.`,
  thing: describeChangedObject({ name, key: id }, { status }, { status: to }),
});
