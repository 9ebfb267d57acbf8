import type { Knex } from 'knex';
import type { ChildLink, ChildTarget, ConnectionCalls, Endpoint } from '../../connector/child-site.ts';
import type { Sealing } from '../../db/sealing.ts';
import { MINUTE, type Clock } from '../../shared/clock.ts';
import { ChildRefusedError, ConflictError, NotFoundError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import type { HttpAuth } from './http-auth.ts';
import type { SiteWithUrlKey } from './site.ts';
import type { SyncCheckpoint } from './site-repository.ts';
import { SiteSecretsRepository, type PrivateKey, type SiteSecrets } from './site-secrets-repository.ts';

/** Maximum duration of a registration. An older pending pair belongs to an interrupted one. */
const REGISTRATION_MAY_TAKE = 3 * MINUTE;

export interface SiteAccess {
  target: ChildTarget;
  admin: string;
  server: string;
  uniqueId: string | null;
  regverify: string | null;
}

export interface WebTarget {
  siteId: number;
  url: string;
  httpAuth: HttpAuth | null;
  verifyTls: boolean;
}

export interface LinkedSite {
  site: SiteWithUrlKey;
  link: ChildLink;
  hasToken: boolean;
  /** Creation time of the key in milliseconds since 1970; null if unknown. */
  keySince: number | null;
  checkpoint: SyncCheckpoint;
}

interface ReadSecrets extends SiteSecrets {
  /** Time at which the rules for calls were last read, in milliseconds of `performance.now()`. */
  rulesSeenAt: number;
}

export type AdmissionCheck = (site: SiteWithUrlKey, childVersion: string | null) => void;

/**
 * Finds the key that a site accepts.
 *
 * A new key pair is stored as pending before it is sent to the child, and the old one is kept. After a crash or a lost
 * response, a signed call tries the pending key, then the old one. The key that works is kept.
 */
export class SiteLinks {
  readonly #knex: Knex;
  readonly #sealing: Sealing;
  readonly #child: ConnectionCalls;
  readonly #clock: Clock;
  readonly #verifyByDefault: () => boolean;
  readonly #refreshRules: (revision?: number) => Promise<void>;

  constructor(deps: {
    knex: Knex;
    sealing: Sealing;
    child: ConnectionCalls;
    clock: Clock;
    verifyByDefault: () => boolean;
    lookAtRules: (revision?: number) => Promise<void>;
  }) {
    this.#knex = deps.knex;
    this.#sealing = deps.sealing;
    this.#child = deps.child;
    this.#clock = deps.clock;
    this.#verifyByDefault = deps.verifyByDefault;
    this.#refreshRules = deps.lookAtRules;
  }

  secrets(db: Knex = this.#knex): SiteSecretsRepository {
    return new SiteSecretsRepository(db, this.#sealing);
  }

  verifies(sslVerify: boolean | null): boolean {
    return sslVerify ?? this.#verifyByDefault();
  }

  async webTargets(siteIds: readonly number[]): Promise<WebTarget[]> {
    await this.#refreshRules();
    const accesses = await this.secrets().webAccess(siteIds);
    return accesses.map(({ sslVerify, ...access }) => ({ ...access, verifyTls: this.verifies(sslVerify) }));
  }

  async access(siteId: number): Promise<SiteAccess> {
    return this.#accessOf(await this.#read(siteId));
  }

  /**
   * Returns a link with the key that the child accepts, as far as known. Settles an interrupted registration; the
   * result is stored only if `keep` is true. `admit` gets the current site and throws to refuse it. Throws
   * `svc_site_disconnected` if there is no key.
   */
  async link(siteId: number, admit: AdmissionCheck = () => undefined, { keep = true } = {}): Promise<LinkedSite> {
    const secrets = await this.#read(siteId);
    const { site, pending } = secrets;
    admit(site, secrets.childVersion);
    const interrupted = pending !== null && this.#clock.now() - pending.since > REGISTRATION_MAY_TAKE;
    const link = interrupted ? await this.#settle(secrets, keep) : this.#current(secrets);
    if (!link) throw new ConflictError('svc_site_disconnected', 'The site was never connected. Reconnect it first.');
    const { since: keySince = null } = [secrets.key, pending].find((key) => key?.keyId === link.keyId) ?? {};
    return { site, link, hasToken: secrets.regverify !== null, keySince, checkpoint: secrets.checkpoint };
  }

  async settlePending(siteId: number): Promise<boolean> {
    const secrets = await this.#read(siteId);
    if (secrets.pending === null) return false;
    return (await this.#promoted(secrets, secrets.pending, true)) !== null;
  }

  /** Stores the endpoint at which a site responds. Only logs errors, because the next call finds the endpoint again. */
  async storeEndpoint(siteId: number, endpoint: Endpoint, logger: Logger): Promise<void> {
    try {
      await this.secrets().storeEndpoint(siteId, endpoint);
    } catch (error) {
      logger.warn({ err: error, siteId }, 'the working address of a site could not be stored');
    }
  }

  /**
   * Fetches and stores the token that replaces the password in a reconnect. The token is missing if the response to a
   * registration was lost.
   */
  async fetchToken({ site, link }: LinkedSite): Promise<void> {
    const token = await this.#child.renewToken(link);
    if (token !== null) await this.secrets().storeToken(site.id, token);
  }

  linkWith(access: SiteAccess, { keyId, privateKeyPem }: PrivateKey): ChildLink {
    return { ...access.target, admin: access.admin, server: access.server, keyId, privateKeyPem };
  }

  async #settle(secrets: ReadSecrets, keep: boolean): Promise<ChildLink | null> {
    const { pending, site } = secrets;
    const current = this.#current(secrets);
    if (pending === null) return current;
    const link = await this.#promoted(secrets, pending, keep);
    if (link) return link;
    // If the old key works, the pending one is useless. Otherwise it stays, because it may be the only one that works.
    if (keep && current && (await this.#accepts(current))) await this.secrets().dropPending(site.id, pending.keyId);
    return current;
  }

  async #promoted(
    secrets: ReadSecrets,
    pending: NonNullable<SiteSecrets['pending']>,
    keep: boolean,
  ): Promise<ChildLink | null> {
    const link = this.linkWith({ ...this.#accessOf(secrets), admin: pending.admin }, pending);
    if (!(await this.#accepts(link))) return null;
    if (keep) await this.secrets().promote(secrets.site.id, pending, null);
    return link;
  }

  /**
   * True if the child accepts the key. It checks the signature before the user (protocol 3.2), so an error about the
   * user proves the key.
   */
  async #accepts(link: ChildLink): Promise<boolean> {
    try {
      return await this.#child.verifyKey(link);
    } catch (error) {
      if (error instanceof ChildRefusedError && (error.reason === 'unknown_user' || error.reason === 'not_admin'))
        return true;
      throw error;
    }
  }

  #current(secrets: ReadSecrets): ChildLink | null {
    return secrets.key === null ? null : this.linkWith(this.#accessOf(secrets), secrets.key);
  }

  #accessOf(secrets: ReadSecrets): SiteAccess {
    const { site, httpAuth, sslVerify, adminUsername, server, uniqueId, regverify, endpoint, rulesSeenAt } = secrets;
    const held = [uniqueId, regverify].filter((secret) => secret !== null);
    const verifyTls = this.verifies(sslVerify);
    const target = { siteId: site.id, url: site.url, httpAuth, verifyTls, endpoint, secrets: held, rulesSeenAt };
    return { target, admin: adminUsername, server, uniqueId, regverify };
  }

  async #read(siteId: number): Promise<ReadSecrets> {
    const rulesSeenAt = performance.now();
    const secrets = await this.secrets().find(siteId);
    if (!secrets) throw new NotFoundError('svc_site_not_found', 'No site matches this reference.');
    await this.#refreshRules(secrets.rulesRevision);
    return { ...secrets, rulesSeenAt };
  }
}
