import type { Knex } from 'knex';
import type { ConnectionCalls } from '../../connector/child-site.ts';
import { combineLeases, type Lease } from '../../db/lease.ts';
import { bumpRevision } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Change } from '../../shared/change.ts';
import { describeChangedObject } from '../../shared/changed-object.ts';
import type { Clock } from '../../shared/clock.ts';
import { ChildRefusedError } from '../../shared/child-call-errors.ts';
import { ConflictError } from '../../shared/errors.ts';
import { readSecret } from '../../shared/secret-text.ts';
import { mayKeyBeAccepted, type ChildKeyRegistration, type RegistrationProof } from './child-key-registration.ts';
import type { ChangeRecorder } from './ports.ts';
import { disconnectChild } from './child-disconnect.ts';
import type { SiteLeases } from './site-leases.ts';
import { siteNotFound, type SiteWithUrlKey } from './site.ts';
import { refuseIfConnectionEnded, refuseSuspended } from './site-admission.ts';
import type { ChildLinkResolver } from './child-link-resolver.ts';
import { SiteRepository } from './site-repository.ts';

export interface ReconnectionDeps {
  knex: Knex;
  clock: Clock;
  child: ConnectionCalls;
  links: ChildLinkResolver;
  exchange: ChildKeyRegistration;
  changes: ChangeRecorder;
  registrationLeases: SiteLeases;
}

/** Credentials for a reconnect. Without them, the stored token and administrator are used. */
export interface ReconnectCredentials {
  adminUsername?: string | null;
  /** Never stored in the record of the site. */
  adminPassword?: string | null;
}

export interface ReconnectOptions extends ReconnectCredentials {
  /** True if an earlier attempt was interrupted. A site that already accepts its key is not registered again. */
  resumed?: boolean;
  lease?: Lease;
}

/**
 * Registers a site again. A refused attempt keeps the record and the old connection. Exception: another administrator
 * needs a release first (protocol 2.7). If the child then refuses the former one too, the site becomes disconnected.
 */
export class Reconnection {
  readonly #deps: ReconnectionDeps;

  constructor(deps: ReconnectionDeps) {
    this.#deps = deps;
  }

  reconnect(siteId: number, actor: string, options: ReconnectOptions = {}): Promise<SiteWithUrlKey> {
    return this.#deps.registrationLeases.runExclusive(siteId, (siteLease) => {
      const lease = options.lease ? combineLeases(options.lease, siteLease) : siteLease;
      return this.#reconnect(siteId, actor, options, lease);
    });
  }

  async #reconnect(siteId: number, actor: string, options: ReconnectOptions, lease: Lease): Promise<SiteWithUrlKey> {
    const { knex, clock, links, exchange } = this.#deps;
    const site = await new SiteRepository(knex, clock.now()).findKeyed(siteId);
    if (!site) throw siteNotFound();
    if (site.status === 'suspended')
      throw new ConflictError('svc_site_suspended', 'The site is suspended. Unsuspend it before you reconnect it.');
    const change = { type: 'site.reconnected', description: 'Connected with a new key.', actor };
    /*
     * An interrupted registration may have left a pending key pair that the child accepts. If so, it becomes the key of
     * the site, and its token is fetched for the new registration.
     */
    const settled = await links.settlePending(siteId, refuseSuspended);
    if (settled) await this.#fetchToken(siteId);
    const proof = await this.#proofFor(siteId, options);
    if (options.resumed && (settled || (hasNoCredentials(options) && (await this.#isAccepted(siteId))))) {
      await this.#markConnected(site, change);
      return { ...site, status: 'connected' };
    }
    try {
      await exchange.register(site, proof, change, { lease });
    } catch (error) {
      if (proof.password === null || !isAlreadyConnectedError(error)) throw error;
      await this.#registerAnew(site, proof, change, error, lease);
    }
    return { ...site, status: 'connected' };
  }

  async #fetchToken(siteId: number): Promise<void> {
    const { links } = this.#deps;
    const linked = await links.link(siteId, refuseSuspended);
    if (!linked.hasToken) await links.fetchToken(linked).catch(() => undefined);
  }

  /** A password makes the token unnecessary. A token is valid only for the administrator who received it. */
  async #proofFor(siteId: number, { adminUsername, adminPassword }: ReconnectCredentials): Promise<RegistrationProof> {
    const { admin, regverify: token } = await this.#deps.links.access(siteId);
    const password = adminPassword ?? null;
    const isSame = !adminUsername || adminUsername.toLowerCase() === admin.toLowerCase();
    const regverify = isSame && password === null && token !== null ? readSecret(token) : null;
    return { admin: adminUsername ?? admin, password, regverify };
  }

  async #isAccepted(siteId: number): Promise<boolean> {
    const { child, links } = this.#deps;
    return child.verifyKey((await links.link(siteId, refuseSuspended)).link);
  }

  /**
   * Registers another administrator. A connected child must be released first (protocol 2.7). It is released only if it
   * accepts our key with the new administrator. If it then refuses the registration, the former administrator is
   * registered again.
   */
  async #registerAnew(
    site: SiteWithUrlKey,
    proof: RegistrationProof,
    change: Omit<Change, 'siteId'>,
    taken: unknown,
    lease: Lease,
  ): Promise<void> {
    const { child, links, exchange } = this.#deps;
    const linked = await links.link(site.id, refuseSuspended).catch(() => null);
    const turn = links.keylessTurn(site.id, refuseSuspended);
    const link = linked && { ...linked.link, admin: proof.admin, turn, confirmLease: () => lease.confirm() };
    if (!link || !(await child.verifyKey(link))) throw taken;
    await this.#fetchToken(site.id);
    await disconnectChild(child, link);
    try {
      await exchange.register(site, proof, change, { lease });
    } catch (error) {
      // After a `ConflictError`, such as that of a suspended site, the site must not be called any more.
      const isOver = mayKeyBeAccepted(error) || error instanceof ConflictError;
      if (!isOver) await this.#restoreRegistration(site, change.actor);
      throw error;
    }
  }

  /** Registers the former administrator again. The released child still accepts the token of that administrator. */
  async #restoreRegistration(site: SiteWithUrlKey, actor: string): Promise<void> {
    const { exchange } = this.#deps;
    const description = 'Kept the previous connection, because the site refused a new registration.';
    try {
      await exchange.register(site, await this.#proofFor(site.id, {}), {
        type: 'site.reconnected',
        description,
        actor,
      });
    } catch (error) {
      // If the outcome is unknown, the next call to the site finds out if the child accepts the key.
      if (!mayKeyBeAccepted(error)) await this.#markLost(site, actor);
    }
  }

  async #markLost(site: SiteWithUrlKey, actor: string): Promise<void> {
    const description = 'The site was released for a new registration, but refused it.';
    await this.#mark(site, 'disconnected', { type: 'site.disconnected', description, actor });
  }

  async #markConnected(site: SiteWithUrlKey, change: Omit<Change, 'siteId'>): Promise<void> {
    if (site.status !== 'connected') await this.#mark(site, 'connected', change);
  }

  async #mark(
    site: SiteWithUrlKey,
    status: 'connected' | 'disconnected',
    change: Omit<Change, 'siteId'>,
  ): Promise<void> {
    const { knex, clock, changes } = this.#deps;
    await inTransaction(knex, async ({ trx }) => {
      const repository = new SiteRepository(trx, clock.now());
      const now = await repository.lock(site.id);
      if (!now) throw siteNotFound();
      if (status === 'connected') refuseIfConnectionEnded(site.status, now);
      else if (now.status !== 'connected') return;
      await repository.patch(site.id, { status });
      const thing = describeChangedObject({ name: site.name, key: site.id }, { status: now.status }, { status });
      await changes.append(trx, { siteId: site.id, thing, ...change });
      await bumpRevision(trx, 'sites');
    });
  }
}

const hasNoCredentials = ({ adminUsername, adminPassword }: ReconnectCredentials): boolean =>
  !adminUsername && !adminPassword;

const isAlreadyConnectedError = (error: unknown): boolean =>
  error instanceof ChildRefusedError && error.reason === 'already_connected';
