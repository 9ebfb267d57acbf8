import { createPublicKey } from 'node:crypto';
import type { Knex } from 'knex';
import type {
  ConnectionCalls,
  KeyPair,
  KeyPairSource,
  RegistrationResult,
  SiteTurn,
} from '../../connector/child-site.ts';
import type { Lease } from '../../db/lease.ts';
import { bumpRevision } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Change } from '../../shared/change.ts';
import { describeChangedObject } from '../../shared/changed-object.ts';
import type { Clock } from '../../shared/clock.ts';
import { isOutcomeUnknown, mayStillBeRunning } from '../../shared/child-call-errors.ts';
import type { ChangeRecorder } from './ports.ts';
import { siteNotFound, type SiteWithUrlKey } from './site.ts';
import { connectionEndedError, refuseIfConnectionEnded, type AdmissionCheck } from './site-admission.ts';
import type { ChildLinkResolver } from './child-link-resolver.ts';
import { SiteRepository } from './site-repository.ts';
import { adoptReportedWww } from './site-url.ts';
import type { IdentifiedPrivateKey } from './site-secrets-repository.ts';
import type { SyncService } from './sync-service.ts';

export interface ChildKeyRegistrationDeps {
  knex: Knex;
  clock: Clock;
  child: ConnectionCalls;
  keyPairs: KeyPairSource;
  links: ChildLinkResolver;
  sync: SyncService;
  changes: ChangeRecorder;
}

export interface RegistrationProof {
  admin: string;
  password: string | null;
  regverify: string | null;
}

/** A key that the child has accepted. `granted` is null if the response was lost. */
export interface TakenKey {
  pair: KeyPair;
  admin: string;
  granted: RegistrationResult | null;
  /** Time when the registration began, in milliseconds since 1970. */
  since: number;
}

export interface ExchangeOptions {
  /** Lease of the registration. If it is lost, the pair stays pending; a later call finds out if it is accepted. */
  lease?: Lease;
  admit?: AdmissionCheck;
  /** Called before the key is stored. If it throws, the key is not stored. */
  beforeAccept?: (taken: TakenKey) => Promise<void>;
}

interface RegistrationAttempt extends RegistrationProof {
  wasPending: boolean;
  turn: SiteTurn;
  lease: Lease | undefined;
}

type AcceptedRegistration = RegistrationResult | null;

/**
 * Gives a site a new key. The new pair is stored as pending before it is sent to the child, and the old pair is kept
 * until the new one is proven, so the key that the child accepts is always stored here. A pending pair of an earlier
 * attempt is registered again instead of a new one, because PHP may still be processing it: behind a gateway that timed
 * out, or for a process that was killed.
 */
export class ChildKeyRegistration {
  readonly #deps: ChildKeyRegistrationDeps;

  constructor(deps: ChildKeyRegistrationDeps) {
    this.#deps = deps;
  }

  /**
   * Throws `svc_site_suspended` or `svc_site_disconnected` if somebody suspends or disconnects the site during the
   * registration. If the child has accepted the key by then, the key is stored all the same.
   */
  async register(
    site: SiteWithUrlKey,
    proof: RegistrationProof,
    change: Omit<Change, 'siteId'>,
    { lease, admit = () => undefined, beforeAccept }: ExchangeOptions = {},
  ): Promise<void> {
    const { knex, clock, links, keyPairs, sync } = this.#deps;
    const left = (await links.secrets().find(site.id))?.pending ?? null;
    const pair = left ? withPublicKey(left) : await keyPairs.next();
    const since = clock.now();
    await links.secrets().storePending(site.id, pair, proof.admin, since);
    // While a pair is pending, a refusal of the old key does not change the status. If it changes, a person did it.
    const before = await new SiteRepository(knex, clock.now()).findKeyed(site.id);
    if (!before) throw siteNotFound();
    try {
      admit(before, null);
    } catch (error) {
      if (!left) await links.secrets().dropPending(site.id, pair.keyId);
      throw error;
    }
    const turn = links.keylessTurn(site.id, (now) => refuseIfConnectionEnded(before.status, now));
    const granted = await this.#registerPair(before, pair, { ...proof, wasPending: left !== null, turn, lease });
    const { number } = turn;
    await beforeAccept?.({ pair, admin: proof.admin, granted, since });
    await this.#accept(before, pair, granted, change, lease);
    const { link } = await links.link(site.id);
    if (granted) await sync.storeRegistration(site, link, granted.stats, number);
    // If the response was lost, the report is missing. If this sync fails too, the next one gets the report.
    else await sync.pull(site, link).catch(() => undefined);
  }

  async #registerPair(
    site: SiteWithUrlKey,
    pair: KeyPair,
    { admin, password, regverify, wasPending, turn, lease }: RegistrationAttempt,
  ): Promise<AcceptedRegistration> {
    const { child, links } = this.#deps;
    const access = await links.access(site.id);
    const target = { ...access.target, turn, confirmLease: lease && (() => lease.confirm()) };
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
      const taken = mayKeyBeAccepted(error)
        ? await child.verifyKey({ ...links.linkWith({ ...access, admin }, pair), turn }).catch(() => null)
        : false;
      if (taken === true) return null;
      /*
       * If the site does not say whether it accepts the key, or may still be processing the request, the pair stays
       * pending. A later call then finds out if the child accepts it.
       */
      if (taken === false && !wasPending && !mayStillBeRunning(error))
        await links.secrets().dropPending(site.id, pair.keyId);
      throw error;
    }
  }

  async #accept(
    before: SiteWithUrlKey,
    pair: KeyPair,
    granted: AcceptedRegistration,
    { description, ...change }: Omit<Change, 'siteId'>,
    lease: Lease | undefined,
  ): Promise<void> {
    const { knex, clock, links, changes } = this.#deps;
    const { id, name } = before;
    const url = adoptReportedWww(before.url, granted?.siteUrl ?? null);
    const refusal = await inTransaction(knex, async ({ trx }) => {
      await lease?.lock(trx);
      const repository = new SiteRepository(trx, clock.now());
      const site = await repository.lock(id);
      if (!site) throw siteNotFound();
      const ended = connectionEndedError(before.status, site);
      const status = ended ? site.status : 'connected';
      await links.secrets(trx).promote(id, pair, granted);
      await repository.patch(id, { status, url });
      const thing = describeChangedObject({ name, key: id }, { status: site.status, url: site.url }, { status, url });
      const stays = ended ? ` The site stays ${status}.` : '';
      await changes.append(trx, { siteId: id, thing, description: description + stays, ...change });
      await bumpRevision(trx, 'sites');
      return ended;
    });
    if (refusal) throw refusal;
  }
}

const withPublicKey = ({ keyId, privateKeyPem }: IdentifiedPrivateKey): KeyPair => ({
  keyId,
  privateKeyPem,
  publicKeyPem: createPublicKey(privateKeyPem).export({ type: 'spki', format: 'pem' }).toString(),
});

export const mayKeyBeAccepted = isOutcomeUnknown;
