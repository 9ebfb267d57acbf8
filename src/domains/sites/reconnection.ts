import type { Knex } from 'knex';
import type { ConnectionCalls } from '../../connector/child-site.ts';
import { bumpRevision } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Change } from '../../shared/change.ts';
import { changedThing } from '../../shared/changed-thing.ts';
import type { Clock } from '../../shared/clock.ts';
import { ChildRefusedError, ConflictError, NotFoundError } from '../../shared/errors.ts';
import { isOpen, type KeyExchange, type Proof } from './key-exchange.ts';
import type { ChangeRecorder } from './ports.ts';
import { releaseChild } from './release.ts';
import type { SiteLeases } from './site-leases.ts';
import type { KeyedSite } from './site.ts';
import type { SiteLinks } from './site-links.ts';
import { SiteRepository } from './site-repository.ts';

export interface ReconnectionParts {
  knex: Knex;
  clock: Clock;
  child: ConnectionCalls;
  links: SiteLinks;
  exchange: KeyExchange;
  changes: ChangeRecorder;
  /** One registration at a time for a site. */
  registering: SiteLeases;
}

/** What a caller gives for a reconnect; without any of it the stored token and administrator do. */
export interface ReconnectCredentials {
  /** Another administrator than the one that is stored. */
  adminUsername?: string | null;
  /** Used for this call alone, never stored. */
  adminPassword?: string | null;
}

export interface ReconnectOptions extends ReconnectCredentials {
  /** An earlier attempt was interrupted: a site that took the key of that one is not registered again. */
  resumed?: boolean;
}

/**
 * Brings sites back with a new key. A refusal costs neither the record nor, where the protocol leaves a way, the
 * connection.
 */
export class Reconnection {
  readonly #parts: ReconnectionParts;

  constructor(parts: ReconnectionParts) {
    this.#parts = parts;
  }

  /** The site may be in any state but suspended. */
  reconnect(siteId: number, actor: string, options: ReconnectOptions = {}): Promise<KeyedSite> {
    return this.#parts.registering.hold(siteId, () => this.#reconnect(siteId, actor, options));
  }

  async #reconnect(siteId: number, actor: string, options: ReconnectOptions): Promise<KeyedSite> {
    const { knex, clock, links, exchange } = this.#parts;
    const site = await new SiteRepository(knex, clock.now()).findKeyed(siteId);
    if (!site) throw new NotFoundError('svc_site_not_found', 'No site goes by this reference.');
    if (site.status === 'suspended')
      throw new ConflictError('svc_site_suspended', 'The site is suspended; unsuspend it before it is reconnected.');
    const change = { type: 'site.reconnected', description: 'Connected with a new key.', actor };
    // A pair that an interrupted registration left may be the one that works; it must not be overwritten unsettled.
    const settled = await links.settlePending(siteId);
    if (settled) await this.#fetchToken(siteId);
    const proof = await this.#proofFor(siteId, options);
    if (options.resumed && (settled || (isPlain(options) && (await this.#isAccepted(siteId))))) {
      await this.#markConnected(site, change);
      return { ...site, status: 'connected' };
    }
    try {
      await exchange.register(site, proof, change);
    } catch (error) {
      if (proof.password === null || !isTaken(error)) throw error;
      await this.#registerAnew(site, proof, change, error);
    }
    return { ...site, status: 'connected' };
  }

  /** A registration whose answer was lost brought no token. */
  async #fetchToken(siteId: number): Promise<void> {
    const { links } = this.#parts;
    const linked = await links.link(siteId);
    if (!linked.hasToken) await links.fetchToken(linked).catch(() => undefined);
  }

  /** A password proves anew; the token belongs to the administrator that it was given to. */
  async #proofFor(siteId: number, { adminUsername, adminPassword }: ReconnectCredentials): Promise<Proof> {
    const { admin, regverify } = await this.#parts.links.access(siteId);
    const password = adminPassword ?? null;
    const isSame = !adminUsername || adminUsername.toLowerCase() === admin.toLowerCase();
    return { admin: adminUsername ?? admin, password, regverify: isSame && password === null ? regverify : null };
  }

  async #isAccepted(siteId: number): Promise<boolean> {
    const { child, links } = this.#parts;
    return child.verifyKey((await links.link(siteId)).link);
  }

  /**
   * A connected child takes a key in the name of another administrator only after it was released. It is released when
   * it accepts our key with that administrator, and registered again as it was when it then refuses.
   */
  async #registerAnew(site: KeyedSite, proof: Proof, change: Omit<Change, 'siteId'>, taken: unknown): Promise<void> {
    const { child, links, exchange } = this.#parts;
    const linked = await links.link(site.id).catch(() => null);
    const link = linked && { ...linked.link, admin: proof.admin };
    if (!link || !(await child.verifyKey(link))) throw taken;
    await this.#fetchToken(site.id);
    await releaseChild(child, link);
    try {
      await exchange.register(site, proof, change);
    } catch (error) {
      if (!isOpen(error)) await this.#goBack(site, change.actor);
      throw error;
    }
  }

  /** The released child still knows the token of the administrator before. */
  async #goBack(site: KeyedSite, actor: string): Promise<void> {
    const { exchange } = this.#parts;
    const description = 'Connected as before, because the site refused another registration.';
    try {
      await exchange.register(site, await this.#proofFor(site.id, {}), {
        type: 'site.reconnected',
        description,
        actor,
      });
    } catch (error) {
      // Where it is not known what became of it, whoever calls the site next finds out.
      if (!isOpen(error)) await this.#markLost(site, actor);
    }
  }

  async #markLost(site: KeyedSite, actor: string): Promise<void> {
    const description = 'The site was released for another registration and refused it.';
    await this.#mark(site, 'disconnected', { type: 'site.disconnected', description, actor });
  }

  async #markConnected(site: KeyedSite, change: Omit<Change, 'siteId'>): Promise<void> {
    // The interrupted attempt may have come as far as this by itself.
    if (site.status !== 'connected') await this.#mark(site, 'connected', change);
  }

  async #mark(site: KeyedSite, status: 'connected' | 'disconnected', change: Omit<Change, 'siteId'>): Promise<void> {
    const { knex, clock, changes } = this.#parts;
    await inTransaction(knex, async ({ trx }) => {
      await new SiteRepository(trx, clock.now()).patch(site.id, { status });
      const thing = changedThing({ name: site.name, key: site.id }, { status: site.status }, { status });
      await changes.append(trx, { siteId: site.id, thing, ...change });
      await bumpRevision(trx, 'sites');
    });
  }
}

const isPlain = ({ adminUsername, adminPassword }: ReconnectCredentials): boolean => !adminUsername && !adminPassword;

const isTaken = (error: unknown): boolean => error instanceof ChildRefusedError && error.reason === 'already_connected';
