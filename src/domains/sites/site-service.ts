import type { Knex } from 'knex';
import type { ChildLink, ConnectionCalls } from '../../connector/child-site.ts';
import { combineLeases, type Lease } from '../../db/lease.ts';
import { bumpRevision } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { DeletionCount, DeletionEffects, DeletionViewer } from '../../shared/deletion-effects.ts';
import { countDeletionEffects } from './deletion-effects-read-model.ts';
import type { Clock } from '../../shared/clock.ts';
import { ConflictError, DomainError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import { ALL_SITES, isLimited, type SiteScope } from '../../shared/site-scope.ts';
import {
  isKnownAddress,
  isNamedByOne,
  outsideError,
  refuseOutside,
  SiteAssignments,
} from './site-assignments-read-model.ts';
import { SiteReferences } from './site-references-read-model.ts';
import type { Precondition } from '../../shared/precondition.ts';
import { checkedName } from '../../shared/text.ts';
import type { CallLeases } from './call-leases.ts';
import { httpAuthOf, type HttpAuth } from './http-auth.ts';
import type { SiteDeletedHook } from '../../platform/part.ts';
import { describeChangedObject, type ChangedObject } from '../../shared/changed-object.ts';
import type { ChangeRecorder } from './ports.ts';
import { isAlreadyDisconnected, disconnectChild } from './child-disconnect.ts';
import type { Reconnection, ReconnectOptions } from './reconnection.ts';
import { type Registration, type AddedSite, type AddSiteInput } from './registration.ts';
import {
  siteNotFound,
  type SiteWithUrlKey,
  type Site,
  type SiteDetail,
  type SiteRecord,
  type SiteStatus,
} from './site.ts';
import { refuseUnlessConnected } from './site-admission.ts';
import type { SiteLeases } from './site-leases.ts';
import type { CallOptions, SiteCalls } from './site-calls.ts';
import { type SiteWithChildLink, type ChildLinkResolver } from './child-link-resolver.ts';
import { SiteRecords } from './site-records-read-model.ts';
import { SiteRepository } from './site-repository.ts';
import type { SyncService } from './sync-service.ts';

/**
 * Omitted fields keep their values. Null clears a field; a null `sslVerify` follows the fleet setting. `tagIds`
 * replaces all tags.
 */
export interface SitePatch {
  name?: string;
  notes?: string;
  clientId?: number | null;
  tagIds?: readonly number[];
  adminUsername?: string;
  /** HTTP Basic authentication in front of the site. After the patch, both must be set or neither. */
  httpUser?: string | null;
  httpPass?: string | null;
  uniqueId?: string | null;
  sslVerify?: boolean | null;
  suspended?: boolean;
}

export interface SiteServiceDeps {
  knex: Knex;
  clock: Clock;
  logger: Logger;
  child: ConnectionCalls;
  links: ChildLinkResolver;
  calls: SiteCalls;
  sync: SyncService;
  registration: Registration;
  reconnection: Reconnection;
  registrationLeases: SiteLeases;
  callLeases: CallLeases;
  changes: ChangeRecorder;
  onSiteDeleted: () => readonly SiteDeletedHook[];
  deletionCounts: () => readonly DeletionCount[];
  countsTranslations: () => boolean;
}

interface DeleteOptions {
  deactivateChild?: boolean;
  precondition?: Precondition<SiteRecord>;
}

type SyncOptions = Pick<CallOptions, 'oneOfMany' | 'signal'>;
type ReleaseOptions = Pick<CallOptions, 'oneOfMany' | 'lease'>;

export class SiteService {
  readonly #deps: SiteServiceDeps;

  constructor(deps: SiteServiceDeps) {
    this.#deps = deps;
  }

  async get(siteId: number): Promise<SiteDetail> {
    const { knex, clock } = this.#deps;
    return requireSite(await new SiteRepository(knex, clock.now()).findDetail(siteId));
  }

  add(input: AddSiteInput, actor: string): Promise<AddedSite> {
    return this.#deps.registration.add(input, actor);
  }

  /**
   * Adds a site. For a limited caller, checks before the site is called that it will lie inside the limits. Such a
   * caller can add neither an address of a site outside the limits nor a second address. Throws `svc_outside_limits`,
   * `svc_client_not_found` and `svc_tag_not_found`.
   */
  async addWithin(scope: SiteScope, input: AddSiteInput, actor: string): Promise<AddedSite> {
    if (!isLimited(scope)) return this.add(input, actor);
    refuseOutside(scope, input);
    await new SiteAssignments(this.#deps.knex).refuseUnseen(scope, input, isNamedByOne);
    if (input.allowSecondAddress)
      throw outsideError('A second address can take the connection of a site outside your limits.');
    try {
      return await this.add(input, actor);
    } catch (error) {
      const id = isKnownAddress(error) ? error.data['site_id'] : undefined;
      if (!isKnownAddress(error) || (await this.#sees(this.#deps.knex, scope, id))) throw error;
      throw outsideError('This address belongs to a site outside your limits.');
    }
  }

  async #sees(db: Knex, scope: SiteScope, id: unknown): Promise<boolean> {
    if (!isLimited(scope)) return true;
    if (typeof id !== 'number') return false;
    const { sites } = await new SiteReferences(db).many(scope, [id]);
    return sites.length > 0;
  }

  reconnect(siteId: number, actor: string, options: ReconnectOptions = {}): Promise<SiteWithUrlKey> {
    return this.#deps.reconnection.reconnect(siteId, actor, options);
  }

  async sync(siteId: number, { oneOfMany = false, signal }: SyncOptions = {}): Promise<SiteWithUrlKey> {
    const { calls, sync, links, logger } = this.#deps;
    const pull = async (link: ChildLink, site: SiteWithUrlKey, linked: SiteWithChildLink): Promise<SiteWithUrlKey> => {
      await sync.pull(site, link, linked.checkpoint);
      // A failure to get the token does not fail the sync. The next sync requests it again.
      if (!linked.hasToken)
        await links
          .fetchToken({ ...linked, link })
          .catch((error: unknown) => logger.info({ err: error, site_id: siteId }, 'no reconnect token was given'));
      return site;
    };
    // Outdated child plugins are synced too, because only a sync notices that they were updated.
    return calls.run(siteId, pull, { admit: refuseUnlessConnected, oneOfMany, signal, syncs: true });
  }

  async record(siteId: number): Promise<SiteRecord> {
    return requireSite(await this.#records(this.#deps.knex).get(siteId));
  }

  #records(db: Knex): SiteRecords {
    return new SiteRecords(db, this.#deps.countsTranslations);
  }

  /**
   * Changes the record of a site: all fields of the patch, or none. Does not contact the site. Throws
   * `svc_site_not_found`, `svc_client_not_found` and `svc_tag_not_found`, also for a site, client or tag outside the
   * scope.
   */
  async updateWithin(
    scope: SiteScope,
    siteId: number,
    patch: SitePatch,
    actor: string,
    precondition?: Precondition<SiteRecord>,
  ): Promise<SiteRecord> {
    const { knex, clock, changes } = this.#deps;
    return inTransaction(knex, async ({ trx }) => {
      const records = this.#records(trx);
      const repository = new SiteRepository(trx, clock.now());
      const site = requireSite(await repository.lock(siteId));
      if (!(await this.#sees(trx, scope, siteId))) throw siteNotFound();
      await new SiteAssignments(trx).refuseUnseen(scope, patch);
      const before = requireSite(await records.get(siteId));
      precondition?.(before);
      await this.#write(trx, repository, site, patch);
      if (patch.suspended !== undefined) await this.#setSuspended(trx, site, patch.suspended, actor);
      const { suspended: _suspended, ...rest } = patch;
      const edited = Object.entries(rest).flatMap(([field, value]) => (value === undefined ? [] : [field]));
      if (edited.length > 0) {
        await changes.append(trx, {
          siteId: site.id,
          type: 'site.updated',
          description: `Changed ${edited.map((field) => FIELD_NAMES[field] ?? field).join(', ')}.`,
          actor,
          thing: siteEditForChangeLog(before, requireSite(await records.get(siteId)), edited),
        });
        await bumpRevision(trx, 'sites', ...(patch.tagIds === undefined ? [] : (['tags'] as const)));
      }
      return requireSite(await records.get(siteId));
    });
  }

  update(
    siteId: number,
    patch: SitePatch,
    actor: string,
    precondition?: Precondition<SiteRecord>,
  ): Promise<SiteRecord> {
    return this.updateWithin(ALL_SITES, siteId, patch, actor, precondition);
  }

  async #write(
    trx: Knex.Transaction,
    repository: SiteRepository,
    site: SiteWithUrlKey,
    patch: SitePatch,
  ): Promise<void> {
    const { name, notes, clientId, tagIds, adminUsername, uniqueId, sslVerify } = patch;
    await repository.patch(site.id, {
      ...(name === undefined ? {} : { name: checkedName(name) }),
      ...(clientId === undefined ? {} : { clientId }),
    });
    await repository.patchState(site.id, {
      ...(notes === undefined ? {} : { notes }),
      ...(adminUsername === undefined ? {} : { admin_username: adminUsername }),
    });
    if (tagIds !== undefined) await repository.setTags(site.id, site.urlKey, tagIds);
    const httpAuth = await this.#httpAuthAfter(trx, site.id, patch);
    await this.#deps.links.secrets(trx).patch(site.id, {
      ...(uniqueId === undefined ? {} : { uniqueId: uniqueId || null }),
      ...(sslVerify === undefined ? {} : { sslVerify }),
      ...(httpAuth === undefined ? {} : { httpAuth }),
    });
  }

  async #httpAuthAfter(
    trx: Knex.Transaction,
    siteId: number,
    { httpUser, httpPass }: SitePatch,
  ): Promise<HttpAuth | null | undefined> {
    if (httpUser === undefined && httpPass === undefined) return undefined;
    const stored = (await this.#deps.links.secrets(trx).find(siteId))?.httpAuth;
    return httpAuthOf(
      httpUser === undefined ? stored?.user : httpUser,
      httpPass === undefined ? stored?.pass : httpPass,
    );
  }

  previewDelete(viewer: DeletionViewer, siteId: number): Promise<DeletionEffects<'site'>> {
    const { knex, deletionCounts } = this.#deps;
    return countDeletionEffects(knex, viewer, deletionCounts(), 'site', siteId);
  }

  /**
   * Deletes the record, then notifies a connected child. A failed notification does not stop the deletion. The child
   * deactivates itself. With `deactivateChild: false` it stays active and can be registered again at once. Waits until
   * a registration of the site has ended, so that the child is notified with its latest key.
   */
  delete(siteId: number, actor: string, options: DeleteOptions = {}): Promise<{ site: Site; childNotified: boolean }> {
    return this.#deps.registrationLeases.runExclusive(siteId, () => this.#delete(siteId, actor, options));
  }

  async #delete(
    siteId: number,
    actor: string,
    { deactivateChild = true, precondition }: DeleteOptions,
  ): Promise<{ site: Site; childNotified: boolean }> {
    const { knex, clock, callLeases } = this.#deps;
    const site = requireSite(await new SiteRepository(knex, clock.now()).findKeyed(siteId));
    // A connected child is notified with its key. The key is deleted with the record, so it is read first.
    const link = site.status === 'connected' ? await this.#linkOf(site) : null;
    // The lease is deleted with the record. After that, no process begins a turn at the site.
    return callLeases.runExclusive(siteId, async () => {
      const isDecided = await this.#deleteHistory(site.id, precondition);
      await this.#deleteRecord(site, actor, isDecided ? undefined : precondition);
      const childNotified = link !== null && (await this.#notifyChild(site, link, deactivateChild));
      this.#deps.child.forget(site.id);
      return { site, childNotified };
    });
  }

  /**
   * Deletes most of the changes of the site before its record, because a site can have too many for one transaction.
   * Returns true if some were deleted. The precondition was then met, and must not fail later.
   */
  async #deleteHistory(siteId: number, precondition?: Precondition<SiteRecord>): Promise<boolean> {
    const { knex, changes } = this.#deps;
    precondition?.(requireSite(await this.#records(knex).get(siteId)));
    return (await changes.deleteMostOf(knex, siteId)) > 0;
  }

  async #deleteRecord(site: Site, actor: string, precondition?: Precondition<SiteRecord>): Promise<void> {
    const { knex, clock, changes, onSiteDeleted } = this.#deps;
    await inTransaction(knex, async ({ trx }) => {
      const repository = new SiteRepository(trx, clock.now());
      requireSite(await repository.lock(site.id));
      precondition?.(requireSite(await this.#records(trx).get(site.id)));
      for (const drop of onSiteDeleted()) await drop(trx, site.id);
      await repository.delete(site.id);
      const { url, name, status, clientId } = site;
      const thing = describeChangedObject({ name, key: site.id }, { url, name, status, clientId }, null);
      await changes.append(trx, { siteId: null, type: 'site.deleted', description: `Deleted ${url}.`, actor, thing });
      await bumpRevision(trx, 'sites', 'tags', 'updates', 'abandoned');
    });
  }

  async #linkOf(site: Site): Promise<ChildLink | null> {
    const { links, logger } = this.#deps;
    try {
      await links.settlePending(site.id);
      const { turn: _turn, ...link } = (await links.link(site.id)).link;
      return link;
    } catch (error) {
      logger.info({ err: error, site_id: site.id }, 'a site that will be deleted has no working key');
      return null;
    }
  }

  async #notifyChild(site: Site, link: ChildLink, deactivateChild: boolean): Promise<boolean> {
    const { child, logger } = this.#deps;
    try {
      await (deactivateChild ? child.deactivate(link) : child.disconnect(link));
      return true;
    } catch (error) {
      logger.info({ err: error, site_id: site.id }, 'a site could not be notified of its deletion');
      return false;
    }
  }

  /** Changes only the record. The service does not call the site until it is reconnected. */
  disconnect(siteId: number, actor: string): Promise<SiteWithUrlKey> {
    return this.#changeLocked(siteId, (trx, site) => this.#setStatus(trx, site, 'disconnected', actor));
  }

  /**
   * Clears the key on the child and marks the site as disconnected. If the child refuses or cannot be reached, the site
   * is marked too, and the error is thrown. A child without a key is not an error.
   */
  release(siteId: number, actor: string, options: ReleaseOptions = {}): Promise<SiteWithUrlKey> {
    return this.#deps.registrationLeases.runExclusive(siteId, (siteLease) => {
      const lease = options.lease ? combineLeases(options.lease, siteLease) : siteLease;
      return this.#release(siteId, actor, { ...options, lease });
    });
  }

  async #release(
    siteId: number,
    actor: string,
    { oneOfMany = false, lease }: ReleaseOptions & { lease: Lease },
  ): Promise<SiteWithUrlKey> {
    const { child, links } = this.#deps;
    let failure: DomainError | null = null;
    try {
      const { link } = await links.link(siteId);
      await disconnectChild(child, { ...link, oneOfMany, confirmLease: () => lease.confirm() });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (!isAlreadyDisconnected(error) && !(error instanceof ConflictError)) failure = error;
    }
    const site = await this.#changeLocked(siteId, async (trx, before) => {
      await lease.lock(trx);
      return this.#setStatus(trx, before, 'disconnected', actor);
    });
    if (failure) throw failure;
    return site;
  }

  suspend(siteId: number, actor: string): Promise<SiteWithUrlKey> {
    return this.#changeLocked(siteId, (trx, site) => this.#setSuspended(trx, site, true, actor));
  }

  unsuspend(siteId: number, actor: string): Promise<SiteWithUrlKey> {
    return this.#changeLocked(siteId, (trx, site) => this.#setSuspended(trx, site, false, actor));
  }

  #changeLocked(
    siteId: number,
    change: (trx: Knex.Transaction, site: SiteWithUrlKey) => Promise<SiteWithUrlKey>,
  ): Promise<SiteWithUrlKey> {
    const { knex, clock } = this.#deps;
    return inTransaction(knex, async ({ trx }) =>
      change(trx, requireSite(await new SiteRepository(trx, clock.now()).lock(siteId))),
    );
  }

  async #setSuspended(
    trx: Knex.Transaction,
    site: SiteWithUrlKey,
    suspended: boolean,
    actor: string,
  ): Promise<SiteWithUrlKey> {
    if (suspended) return this.#setStatus(trx, site, 'suspended', actor);
    return site.status === 'suspended' ? this.#setStatus(trx, site, 'connected', actor) : site;
  }

  async #setStatus(
    trx: Knex.Transaction,
    site: SiteWithUrlKey,
    status: SiteStatus,
    actor: string,
  ): Promise<SiteWithUrlKey> {
    const { clock, changes } = this.#deps;
    if (site.status === status) return site;
    await new SiteRepository(trx, clock.now()).patch(site.id, { status });
    const type = status === 'connected' ? 'site.unsuspended' : `site.${status}`;
    const description = `Changed from ${site.status} to ${status}.`;
    const thing = describeChangedObject({ name: site.name, key: site.id }, { status: site.status }, { status });
    await changes.append(trx, { siteId: site.id, type, description, actor, thing });
    await bumpRevision(trx, 'sites');
    return { ...site, status };
  }
}

const FIELD_NAMES: Record<string, string> = {
  clientId: 'client',
  tagIds: 'tags',
  adminUsername: 'login name',
  httpUser: 'HTTP user',
  httpPass: 'HTTP password',
  uniqueId: 'unique ID',
  sslVerify: 'certificate check',
};

function requireSite<T>(site: T | null): T {
  if (site === null) throw siteNotFound();
  return site;
}

/** Fields whose values are not logged: secrets, and fields that the record does not contain. */
const UNSHOWN = ['httpUser', 'httpPass', 'uniqueId'];

function siteEditForChangeLog(before: SiteRecord, after: SiteRecord, edited: readonly string[]): ChangedObject {
  const of = ({ name, notes, clientId, adminUsername, sslVerify, tags }: SiteRecord) => ({
    ...{ name, notes, clientId, adminUsername, sslVerify },
    tags: tags.map((tag) => tag.name),
  });
  const unshown = edited.filter((field) => UNSHOWN.includes(field));
  return describeChangedObject({ name: after.name, key: after.id }, of(before), of(after), unshown);
}
