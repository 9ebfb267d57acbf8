import type { Knex } from 'knex';
import type { ChildLink, ChildSite, ChildTarget } from '../../connector/child-site.ts';
import type { Sealing } from '../../db/sealing.ts';
import { MINUTE, type Clock } from '../../shared/clock.ts';
import { ConflictError, NotFoundError } from '../../shared/errors.ts';
import { SiteSecretsRepository, type PrivateKey, type SiteSecrets } from './site-secrets-repository.ts';

/** A registration under way may hold its pending pair this long; an older one was interrupted. */
const REGISTRATION_MAY_TAKE = 3 * MINUTE;

/** How to reach a site and in whose name; the key is another matter. */
export interface SiteAccess {
  target: ChildTarget;
  admin: string;
  server: string;
  uniqueId: string | null;
  regverify: string | null;
}

/**
 * Leads to sites with the key that they accept.
 *
 * A new key pair is stored as pending before the child hears of it, and the old one stays: after a crash or a lost answer the
 * pending key is tried with a signed call, then the old one, and the one that works is kept.
 */
export class SiteLinks {
  readonly #knex: Knex;
  readonly #sealing: Sealing;
  readonly #child: ChildSite;
  readonly #clock: Clock;
  readonly #verifyByDefault: () => boolean;

  constructor(parts: { knex: Knex; sealing: Sealing; child: ChildSite; clock: Clock; verifyByDefault: () => boolean }) {
    this.#knex = parts.knex;
    this.#sealing = parts.sealing;
    this.#child = parts.child;
    this.#clock = parts.clock;
    this.#verifyByDefault = parts.verifyByDefault;
  }

  /** The stored secrets, in the database or in a transaction. */
  secrets(db: Knex = this.#knex): SiteSecretsRepository {
    return new SiteSecretsRepository(db, this.#sealing);
  }

  async access(siteId: number): Promise<SiteAccess> {
    return this.#accessOf(await this.#read(siteId));
  }

  /** A link with the key that the child accepts, as far as is known; settles what an interrupted registration left. */
  async link(siteId: number): Promise<ChildLink> {
    const secrets = await this.#read(siteId);
    const interrupted = secrets.pending !== null && this.#clock.now() - secrets.pending.since > REGISTRATION_MAY_TAKE;
    return interrupted ? this.#settle(secrets) : this.#linkOf(secrets);
  }

  /** Tries the pending key, then the old one, and keeps the one that works. */
  async settlePending(siteId: number): Promise<void> {
    const secrets = await this.#read(siteId);
    if (secrets.pending !== null) await this.#settle(secrets);
  }

  linkWith(access: SiteAccess, { keyId, privateKeyPem }: PrivateKey): ChildLink {
    return { ...access.target, admin: access.admin, server: access.server, keyId, privateKeyPem };
  }

  async #settle(secrets: SiteSecrets): Promise<ChildLink> {
    const { siteId, pending, key } = secrets;
    if (pending !== null) {
      const link = this.linkWith(this.#accessOf(secrets), pending);
      if (await this.#child.verifyKey(link)) {
        await this.secrets().promote(siteId, pending, null);
        return link;
      }
      // With an old key that works the pending one is of no use. Without one it stays: it may be all there is.
      if (key !== null && (await this.#child.verifyKey(this.#linkOf(secrets))))
        await this.secrets().dropPending(siteId, pending.keyId);
    }
    return this.#linkOf(secrets);
  }

  #linkOf(secrets: SiteSecrets): ChildLink {
    if (secrets.key === null)
      throw new ConflictError('svc_site_disconnected', 'The site was never connected; reconnect it first.');
    return this.linkWith(this.#accessOf(secrets), secrets.key);
  }

  #accessOf({ siteId, url, httpAuth, sslVerify, adminUsername, server, uniqueId, regverify }: SiteSecrets): SiteAccess {
    const target = { siteId, url, httpAuth, verifyTls: sslVerify ?? this.#verifyByDefault() };
    return { target, admin: adminUsername, server, uniqueId, regverify };
  }

  async #read(siteId: number): Promise<SiteSecrets> {
    const secrets = await this.secrets().find(siteId);
    if (!secrets) throw new NotFoundError('svc_site_not_found', 'No site goes by this reference.');
    return secrets;
  }
}
