import type { Knex } from 'knex';
import type {
  BegunTurn,
  ChildLink,
  ChildTarget,
  ConnectionCalls,
  Endpoint,
  SiteTurn,
} from '../../connector/child-site.ts';
import type { Sealing } from '../../db/sealing.ts';
import { MINUTE, type Clock } from '../../shared/clock.ts';
import { ChildRefusedError } from '../../shared/child-call-errors.ts';
import { ConflictError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import type { SecretText } from '../../shared/secret-text.ts';
import type { CallLeases } from './call-leases.ts';
import type { HttpAuth } from './http-auth.ts';
import { siteNotFound, type SiteWithUrlKey } from './site.ts';
import type { AdmissionCheck } from './site-admission.ts';
import type { SyncCheckpoint } from './site-repository.ts';
import { SiteSecretsRepository, type SiteSecrets } from './site-secrets-repository.ts';
import { toHomeUrl } from './site-url.ts';

/**
 * Age from which a pending pair counts as left by an interrupted registration. A registration can take longer, for
 * example if it waits for another call to the site. Its pair is then tried before it has ended.
 */
const REGISTRATION_MAY_TAKE = 3 * MINUTE;

export interface SiteConnectionData {
  target: ChildTarget;
  admin: string;
  server: string;
  uniqueId: string | null;
  regverify: SecretText | null;
}

export interface WebTarget {
  siteId: number;
  url: string;
  httpAuth: HttpAuth | null;
  verifyTls: boolean;
}

export interface SiteWithChildLink {
  site: SiteWithUrlKey;
  link: ChildLink;
  hasToken: boolean;
  /** Creation time of the key in milliseconds since 1970; null if unknown. */
  keySince: number | null;
  checkpoint: SyncCheckpoint;
}

type PendingKey = NonNullable<SiteSecrets['pending']>;

interface LoadedSiteSecrets extends SiteSecrets {
  /** Time before the record and the settings for calls were read, in milliseconds of `performance.now()`. */
  rulesSeenAt: number;
}

interface LinkOptions {
  /** True if the key of an interrupted registration is stored when the child accepts it. Default: true. */
  keep?: boolean;
}

/**
 * Age in milliseconds up to which the record that `link` has read is used for the turn. A turn without a wait begins
 * within a tenth of this time.
 */
const MAX_RECORD_AGE_MS = 5;

const ADMIT_ALWAYS: AdmissionCheck = () => undefined;

/**
 * Finds the key that a site accepts. The calls of a site take turns. When the turn of a call begins, its link reads key
 * and status again. The numbers of the turns order the reports of the site.
 *
 * A new key pair is stored as pending before it is sent to the child, and the old one is kept. After a crash or a lost
 * response, a signed call tries the pending key, then the old one. The key that works is kept.
 */
export class ChildLinkResolver {
  readonly #knex: Knex;
  readonly #sealing: Sealing;
  readonly #child: ConnectionCalls;
  readonly #clock: Clock;
  readonly #verifyByDefault: () => boolean;
  readonly #refreshRules: (revision?: number) => Promise<void>;
  readonly #leases: CallLeases;
  readonly #lastNumbers = new Map<number, number>();

  constructor(deps: {
    knex: Knex;
    sealing: Sealing;
    child: ConnectionCalls;
    clock: Clock;
    leases: CallLeases;
    verifyByDefault: () => boolean;
    lookAtRules: (revision?: number) => Promise<void>;
  }) {
    this.#knex = deps.knex;
    this.#sealing = deps.sealing;
    this.#child = deps.child;
    this.#clock = deps.clock;
    this.#leases = deps.leases;
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
    return accesses.map(({ sslVerify, url, ...access }) => ({
      ...access,
      url: toHomeUrl(url),
      verifyTls: this.verifies(sslVerify),
    }));
  }

  async access(siteId: number, admit = ADMIT_ALWAYS): Promise<SiteConnectionData> {
    return this.#accessOf(await this.#admitted(siteId, admit));
  }

  /**
   * Returns a link with the key that the child accepts, as far as known. After an interrupted registration, finds out
   * which key that is; the result is stored only if `keep` is true. Throws `svc_site_disconnected` if there is no key.
   */
  async link(siteId: number, admit = ADMIT_ALWAYS, { keep = true }: LinkOptions = {}): Promise<SiteWithChildLink> {
    const secrets = await this.#admitted(siteId, admit);
    const { site, pending } = secrets;
    const interrupted = pending !== null && this.#clock.now() - pending.since > REGISTRATION_MAY_TAKE;
    const accepted = interrupted ? await this.#settle(secrets, admit, keep) : this.#current(secrets);
    if (!accepted) throw neverConnected();
    const turn = this.#turn(accepted, siteId, { admit, keep, ...(!interrupted && { linkedWith: secrets }) });
    const link = { ...accepted, turn };
    const { since: keySince = null } = [secrets.key, pending].find((key) => key?.keyId === link.keyId) ?? {};
    return { site, link, hasToken: secrets.regverify !== null, keySince, checkpoint: secrets.checkpoint };
  }

  async settlePending(siteId: number, admit = ADMIT_ALWAYS): Promise<boolean> {
    const secrets = await this.#admitted(siteId, admit);
    return secrets.pending !== null && (await this.#promoted(secrets, secrets.pending, admit, true)) !== null;
  }

  /**
   * True if the site becomes disconnected when it refuses this key: the key is the stored one, and no registration that
   * replaces it is under way.
   */
  isOnlyKey(trx: Knex.Transaction, siteId: number, keyId: string): Promise<boolean> {
    return this.secrets(trx).isOnlyKey(siteId, keyId, this.#clock.now() - REGISTRATION_MAY_TAKE);
  }

  keylessTurn(siteId: number, admit: AdmissionCheck): SiteTurn {
    const turn = {
      number: undefined as number | undefined,
      begin: ({ isExclusive }: { isExclusive: boolean }) =>
        this.#begin(siteId, { admit, isExclusive }, (secrets) => {
          turn.number = this.#nextNumber(siteId, secrets);
          return {};
        }),
      hasOtherKey: () => Promise.resolve(false),
    };
    return turn;
  }

  /**
   * Returns the turn of a link. It uses the key of the link until another key is stored. `linkedWith` is the record of
   * the site from which the link was made.
   */
  #turn(
    link: ChildLink,
    siteId: number,
    { admit, keep, linkedWith }: { admit: AdmissionCheck; keep: boolean; linkedWith?: LoadedSiteSecrets },
  ): SiteTurn {
    let { keyId } = link;
    let unused = linkedWith;
    const takeUnused = (): LoadedSiteSecrets | undefined => {
      const secrets = unused;
      unused = undefined;
      return secrets;
    };
    const turn = {
      number: undefined as number | undefined,
      begin: ({ isExclusive }: { isExclusive: boolean }) =>
        this.#begin(siteId, { admit, isExclusive, known: takeUnused() }, (secrets) => {
          const current =
            secrets.pending?.keyId === keyId ? this.#pending(secrets, secrets.pending) : this.#current(secrets);
          if (!current) throw neverConnected();
          turn.number = this.#nextNumber(siteId, secrets);
          return current;
        }),
      hasOtherKey: async (refusedKeyId: string) => {
        const secrets = await this.#admitted(siteId, admit);
        const { key, pending } = secrets;
        if (key !== null && key.keyId !== refusedKeyId) {
          keyId = key.keyId;
          return true;
        }
        // A registration whose response was lost did succeed if the child accepts the pending key.
        if (pending === null || pending.keyId === refusedKeyId) return false;
        if ((await this.#promoted(secrets, pending, admit, keep).catch(() => null)) === null) return false;
        keyId = pending.keyId;
        return true;
      },
    };
    return turn;
  }

  /**
   * Begins a turn and reads the record of the site. An exclusive turn reads it while it holds the lease, so that its
   * values and its number are later than those of all earlier turns. If no other process can call the site, a record
   * that was just read (`known`) is used. Returns null while another process calls the site.
   */
  async #begin(
    siteId: number,
    { admit, isExclusive, known }: { admit: AdmissionCheck; isExclusive: boolean; known?: LoadedSiteSecrets },
    read: (secrets: LoadedSiteSecrets) => Partial<ChildLink>,
  ): Promise<BegunTurn | null> {
    const lock = isExclusive ? await this.#leases.take(siteId) : undefined;
    try {
      const isCurrent = known && !this.#leases.isShared && performance.now() - known.rulesSeenAt < MAX_RECORD_AGE_MS;
      const secrets = isCurrent ? known : await this.#admitted(siteId, admit);
      return lock === null ? null : { current: read(secrets), ...(lock && { lock }) };
    } catch (error) {
      await lock?.release();
      throw error;
    }
  }

  /**
   * Returns a number that is higher than all earlier ones of the site. It is taken from the clock of the database,
   * which processes share, so that no turn needs a write.
   */
  #nextNumber(siteId: number, { databaseTime, checkpoint }: LoadedSiteSecrets): number {
    const number = Math.max(databaseTime, checkpoint.reportNumber + 1, (this.#lastNumbers.get(siteId) ?? 0) + 1);
    this.#lastNumbers.set(siteId, number);
    return number;
  }

  /** Only logs errors, because the next call finds the endpoint again. */
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
  async fetchToken({ site, link }: SiteWithChildLink): Promise<void> {
    const token = await this.#child.renewToken(link);
    if (token !== null) await this.secrets().storeToken(site.id, token);
  }

  linkWith(
    access: SiteConnectionData,
    { keyId, privateKeyPem }: Pick<ChildLink, 'keyId' | 'privateKeyPem'>,
  ): ChildLink {
    return { ...access.target, admin: access.admin, server: access.server, keyId, privateKeyPem };
  }

  async #settle(secrets: LoadedSiteSecrets, admit: AdmissionCheck, keep: boolean): Promise<ChildLink | null> {
    const { pending, site } = secrets;
    const current = this.#current(secrets);
    if (pending === null) return current;
    const link = await this.#promoted(secrets, pending, admit, keep);
    if (link) return link;
    // If the old key works, the pending one is useless. Otherwise it stays, because it may be the only one that works.
    if (keep && current && (await this.#accepts(current, admit)))
      await this.secrets().dropPending(site.id, pending.keyId);
    return current;
  }

  async #promoted(
    secrets: LoadedSiteSecrets,
    pending: PendingKey,
    admit: AdmissionCheck,
    keep: boolean,
  ): Promise<ChildLink | null> {
    const link = this.#pending(secrets, pending);
    if (!(await this.#accepts(link, admit))) return null;
    if (keep) await this.secrets().promote(secrets.site.id, pending, null);
    return link;
  }

  /**
   * True if the child accepts the key. The child checks the signature before the user (protocol 3.2), so an error about
   * the user proves that the key is accepted.
   */
  async #accepts(link: ChildLink, admit: AdmissionCheck): Promise<boolean> {
    try {
      const { siteId } = link;
      return await this.#child.verifyKey(siteId === null ? link : { ...link, turn: this.keylessTurn(siteId, admit) });
    } catch (error) {
      if (error instanceof ChildRefusedError && (error.reason === 'unknown_user' || error.reason === 'not_admin'))
        return true;
      throw error;
    }
  }

  #current(secrets: LoadedSiteSecrets): ChildLink | null {
    return secrets.key === null ? null : this.linkWith(this.#accessOf(secrets), secrets.key);
  }

  #pending(secrets: LoadedSiteSecrets, pending: PendingKey): ChildLink {
    return this.linkWith({ ...this.#accessOf(secrets), admin: pending.admin }, pending);
  }

  #accessOf(secrets: LoadedSiteSecrets): SiteConnectionData {
    const { site, httpAuth, sslVerify, adminUsername, server, uniqueId, regverify, endpoint, rulesSeenAt } = secrets;
    const held = [uniqueId, regverify].filter((secret) => secret !== null);
    const verifyTls = this.verifies(sslVerify);
    const target = {
      siteId: site.id,
      url: toHomeUrl(site.url),
      httpAuth,
      verifyTls,
      endpoint,
      secrets: held,
      rulesSeenAt,
    };
    return { target, admin: adminUsername, server, uniqueId, regverify };
  }

  async #admitted(siteId: number, admit: AdmissionCheck): Promise<LoadedSiteSecrets> {
    const secrets = await this.#read(siteId);
    admit(secrets.site, secrets.childVersion);
    return secrets;
  }

  async #read(siteId: number): Promise<LoadedSiteSecrets> {
    const rulesSeenAt = performance.now();
    const secrets = await this.secrets().find(siteId);
    if (!secrets) throw siteNotFound();
    await this.#refreshRules(secrets.rulesRevision);
    return { ...secrets, rulesSeenAt };
  }
}

const neverConnected = (): ConflictError =>
  new ConflictError('svc_site_disconnected', 'The site was never connected. Reconnect it first.');
