import { createPublicKey } from 'node:crypto';
import type { Knex } from 'knex';
import type { ConnectionCalls, KeyPair, KeyPairSource, RegistrationResult } from '../../connector/child-site.ts';
import type { Lease } from '../../db/lease.ts';
import { bumpRevision } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Change } from '../../shared/change.ts';
import { describeChangedObject } from '../../shared/changed-object.ts';
import type { Clock } from '../../shared/clock.ts';
import { ChildUnreachableError, isOutcomeUnknown, mayStillBeRunning } from '../../shared/errors.ts';
import type { ChangeRecorder } from './ports.ts';
import type { SiteWithUrlKey } from './site.ts';
import type { SiteLinks } from './site-links.ts';
import { SiteRepository } from './site-repository.ts';
import { adoptReportedWww, parseSiteUrl } from './site-url.ts';
import type { PrivateKey } from './site-secrets-repository.ts';
import type { SyncService } from './sync-service.ts';

export interface KeyExchangeDeps {
  knex: Knex;
  clock: Clock;
  child: ConnectionCalls;
  keyPairs: KeyPairSource;
  links: SiteLinks;
  sync: SyncService;
  changes: ChangeRecorder;
}

/** The proof of permission is a password, or the token of an earlier registration. */
export interface RegistrationProof {
  admin: string;
  password: string | null;
  regverify: string | null;
}

type Granted = RegistrationResult | null;

/**
 * Gives a site a new key. The new pair is stored as pending before it is sent to the child, and the old pair is kept
 * until the new one is proven, so the key that the child accepts is always stored here. A pending pair of an earlier
 * attempt is registered again instead of a new one, because PHP may still be processing it: behind a gateway that timed
 * out, or for a process that was killed.
 */
export class KeyExchange {
  readonly #deps: KeyExchangeDeps;

  constructor(deps: KeyExchangeDeps) {
    this.#deps = deps;
  }

  /** Registers a new key. Under a lease that is lost, the pair stays pending, and a later call settles it. */
  async register(
    site: SiteWithUrlKey,
    proof: RegistrationProof,
    change: Omit<Change, 'siteId'>,
    lease?: Lease,
  ): Promise<void> {
    const { clock, links, keyPairs } = this.#deps;
    const left = (await links.secrets().find(site.id))?.pending ?? null;
    const pair = left ? withPublicHalf(left) : await keyPairs.next();
    await links.secrets().storePending(site.id, pair, proof.admin, clock.now());
    const granted = await this.#registerPair(site, pair, proof, left !== null, lease);
    await this.#accept(site, pair, granted, change, lease);
    const access = await links.access(site.id);
    const link = links.linkWith(access, pair);
    if (granted) await this.#deps.sync.storeRegistration(site, link, granted.stats);
    // If the response was lost, the report is missing. The next sync gets it.
    else await this.#deps.sync.pull(site, link).catch(() => undefined);
  }

  /**
   * Registers the pair. Returns null if the response was lost but a signed call proves that the child accepts the key.
   */
  async #registerPair(
    site: SiteWithUrlKey,
    pair: KeyPair,
    { admin, password, regverify }: RegistrationProof,
    wasPending: boolean,
    lease: Lease | undefined,
  ): Promise<Granted> {
    const { child, links } = this.#deps;
    const access = await links.access(site.id);
    const target = { ...access.target, confirmLease: lease && (() => lease.confirm()) };
    try {
      return await child.register(target, {
        admin,
        server: access.server,
        publicKeyPem: pair.publicKeyPem,
        password,
        uniqueId: access.uniqueId,
        regverify,
      });
    } catch (error) {
      const taken = mayBeAccepted(error)
        ? await child.verifyKey(links.linkWith({ ...access, admin }, pair)).catch(() => null)
        : false;
      if (taken === true) return null;
      /*
       * If the site cannot tell, or may still be processing the request, the pair stays pending and a later call
       * settles it.
       */
      if (taken === false && !wasPending && !mayStillBeRunning(error))
        await links.secrets().dropPending(site.id, pair.keyId);
      throw error;
    }
  }

  async #accept(
    site: SiteWithUrlKey,
    pair: KeyPair,
    granted: Granted,
    change: Omit<Change, 'siteId'>,
    lease: Lease | undefined,
  ): Promise<void> {
    const { knex, clock, links, changes } = this.#deps;
    const address = adoptReportedWww(parseSiteUrl(site.url), granted?.siteUrl ?? null);
    await inTransaction(knex, async ({ trx }) => {
      await lease?.lock(trx);
      await links.secrets(trx).promote(site.id, pair, granted);
      await new SiteRepository(trx, clock.now()).patch(site.id, { status: 'connected', url: address.url });
      const before = { status: site.status, url: site.url };
      const thing = describeChangedObject({ name: site.name, key: site.id }, before, {
        status: 'connected',
        url: address.url,
      });
      await changes.append(trx, { siteId: site.id, thing, ...change });
      await bumpRevision(trx, 'sites');
    });
  }
}

const withPublicHalf = ({ keyId, privateKeyPem }: PrivateKey): KeyPair => ({
  keyId,
  privateKeyPem,
  publicKeyPem: createPublicKey(privateKeyPem).export({ type: 'spki', format: 'pem' }).toString(),
});

/** True if the child may have accepted the key. An unreachable child counts, because the request may have arrived. */
export const mayBeAccepted = (error: unknown): boolean =>
  isOutcomeUnknown(error) || error instanceof ChildUnreachableError;
