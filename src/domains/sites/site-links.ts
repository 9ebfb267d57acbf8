import type { Knex } from 'knex';
import type { ChildLink, ChildTarget, ConnectionCalls, Endpoint } from '../../connector/child-site.ts';
import type { Sealing } from '../../db/sealing.ts';
import { MINUTE, type Clock } from '../../shared/clock.ts';
import { ChildRefusedError, ConflictError, NotFoundError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import type { HttpAuth } from './http-auth.ts';
import type { KeyedSite } from './site.ts';
import type { SyncMarks } from './site-repository.ts';
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

/** What a visitor of a site needs; the child plugin is another matter. */
export interface WebTarget {
  siteId: number;
  url: string;
  httpAuth: HttpAuth | null;
  verifyTls: boolean;
}

/** A site with the key that it accepts. */
export interface LinkedSite {
  site: KeyedSite;
  link: ChildLink;
  /** Whether a token is stored that stands in for the password at a reconnect. */
  hasToken: boolean;
  /** When its key was made, in milliseconds since 1970; null when that is not known. */
  keySince: number | null;
  /** Of what its last syncs brought. */
  marks: SyncMarks;
}

interface ReadSecrets extends SiteSecrets {
  /** On the scale of `performance.now()`. */
  rulesSeenAt: number;
}

/** Refuses by throwing; the version of the child plugin is the one last reported. */
export type Admission = (site: KeyedSite, childVersion: string | null) => void;

/**
 * Leads to sites with the key that they accept.
 *
 * A new key pair is stored as pending before the child hears of it, and the old one stays: after a crash or a lost
 * answer the pending key is tried with a signed call, then the old one, and the one that works is kept.
 */
export class SiteLinks {
  readonly #knex: Knex;
  readonly #sealing: Sealing;
  readonly #child: ConnectionCalls;
  readonly #clock: Clock;
  readonly #verifyByDefault: () => boolean;
  readonly #lookAtRules: (revision?: number) => Promise<void>;

  constructor(parts: {
    knex: Knex;
    sealing: Sealing;
    child: ConnectionCalls;
    clock: Clock;
    verifyByDefault: () => boolean;
    lookAtRules: (revision?: number) => Promise<void>;
  }) {
    this.#knex = parts.knex;
    this.#sealing = parts.sealing;
    this.#child = parts.child;
    this.#clock = parts.clock;
    this.#verifyByDefault = parts.verifyByDefault;
    this.#lookAtRules = parts.lookAtRules;
  }

  /** The stored secrets, in the database or in a transaction. */
  secrets(db: Knex = this.#knex): SiteSecretsRepository {
    return new SiteSecretsRepository(db, this.#sealing);
  }

  /** Whether certificates are verified for a site of this setting; null follows that of the fleet. */
  verifies(sslVerify: boolean | null): boolean {
    return sslVerify ?? this.#verifyByDefault();
  }

  /** One statement for any number of sites; those that are gone are left out. */
  async webTargets(siteIds: readonly number[]): Promise<WebTarget[]> {
    await this.#lookAtRules();
    const accesses = await this.secrets().webAccess(siteIds);
    return accesses.map(({ sslVerify, ...access }) => ({ ...access, verifyTls: this.verifies(sslVerify) }));
  }

  async access(siteId: number): Promise<SiteAccess> {
    return this.#accessOf(await this.#read(siteId));
  }

  /**
   * A link with the key that the child accepts, as far as is known; settles what an interrupted registration left,
   * unless only a call that changes something may `keep` what comes of it. `admit` sees the site as it is now, and
   * refuses by throwing.
   */
  async link(siteId: number, admit: Admission = () => undefined, { keep = true } = {}): Promise<LinkedSite> {
    const secrets = await this.#read(siteId);
    const { site, pending } = secrets;
    admit(site, secrets.childVersion);
    const interrupted = pending !== null && this.#clock.now() - pending.since > REGISTRATION_MAY_TAKE;
    const link = interrupted ? await this.#settle(secrets, keep) : this.#current(secrets);
    if (!link) throw new ConflictError('svc_site_disconnected', 'The site was never connected; reconnect it first.');
    const { since: keySince = null } = [secrets.key, pending].find((key) => key?.keyId === link.keyId) ?? {};
    return { site, link, hasToken: secrets.regverify !== null, keySince, marks: secrets.marks };
  }

  /** Tries the pending key, and keeps it when it works: then true. Otherwise it stays pending. */
  async settlePending(siteId: number): Promise<boolean> {
    const secrets = await this.#read(siteId);
    if (secrets.pending === null) return false;
    return (await this.#promoted(secrets, secrets.pending, true)) !== null;
  }

  /** Beside the call that learnt it: should it fail, the next call learns it again. */
  async rememberEndpoint(siteId: number, endpoint: Endpoint, logger: Logger): Promise<void> {
    try {
      await this.secrets().storeEndpoint(siteId, endpoint);
    } catch (error) {
      logger.warn({ err: error, siteId }, 'the address at which a site answers could not be stored');
    }
  }

  /**
   * Gets the token that a later reconnect needs instead of a password; a registration whose answer was lost brought
   * none.
   */
  async fetchToken({ site, link }: LinkedSite): Promise<void> {
    const token = await this.#child.renewToken(link);
    if (token !== null) await this.secrets().storeToken(site.id, token);
  }

  linkWith(access: SiteAccess, { keyId, privateKeyPem }: PrivateKey): ChildLink {
    return { ...access.target, admin: access.admin, server: access.server, keyId, privateKeyPem };
  }

  /** Null when there is no key that the child could accept. */
  async #settle(secrets: ReadSecrets, keep: boolean): Promise<ChildLink | null> {
    const { pending, site } = secrets;
    const current = this.#current(secrets);
    if (pending === null) return current;
    const link = await this.#promoted(secrets, pending, keep);
    if (link) return link;
    // With an old key that works the pending one is of no use. Without one it stays: it may be all there is.
    if (keep && current && (await this.#accepts(current))) await this.secrets().dropPending(site.id, pending.keyId);
    return current;
  }

  /** The link with a pending pair that the child accepts; null when it does not. */
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

  /** The signature is looked at before the user: a complaint about the user says that the key is the right one. */
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
    if (!secrets) throw new NotFoundError('svc_site_not_found', 'No site goes by this reference.');
    await this.#lookAtRules(secrets.rulesRevision);
    return { ...secrets, rulesSeenAt };
  }
}
