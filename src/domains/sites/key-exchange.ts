import { createPublicKey } from 'node:crypto';
import type { Knex } from 'knex';
import type { ConnectionCalls, KeyPair, KeyPairSource, Registered } from '../../connector/child-site.ts';
import { bumpRevision } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Change } from '../../shared/change.ts';
import { changedThing } from '../../shared/changed-thing.ts';
import type { Clock } from '../../shared/clock.ts';
import { ChildUnreachableError, isOutcomeOpen, isStillAtWork } from '../../shared/errors.ts';
import type { ChangeRecorder } from './ports.ts';
import type { KeyedSite } from './site.ts';
import type { SiteLinks } from './site-links.ts';
import { SiteRepository } from './site-repository.ts';
import { adoptWww, parseSiteUrl } from './site-url.ts';
import type { PrivateKey } from './site-secrets-repository.ts';
import type { SyncService } from './sync-service.ts';

export interface KeyExchangeParts {
  knex: Knex;
  clock: Clock;
  child: ConnectionCalls;
  keyPairs: KeyPairSource;
  links: SiteLinks;
  sync: SyncService;
  changes: ChangeRecorder;
}

/**
 * In whose name a site is registered, and what proves that we may: a password, or the token of an earlier registration.
 */
export interface Proof {
  admin: string;
  password: string | null;
  regverify: string | null;
}

type Granted = Registered | null;

/**
 * Gives a site a new key. At no moment is there a key that only the child or only we know of: the new pair is stored as
 * pending before the child hears of it, and the old pair stays until the new one is proved. A pair that is pending
 * still is registered once more, and no other in its place: PHP may be at work on it behind a gateway that gave up, or
 * for a process that was killed.
 */
export class KeyExchange {
  readonly #parts: KeyExchangeParts;

  constructor(parts: KeyExchangeParts) {
    this.#parts = parts;
  }

  /** Registers a new pair, and connects the record of the site. What it throws has left the site as it was. */
  async register(site: KeyedSite, proof: Proof, change: Omit<Change, 'siteId'>): Promise<void> {
    const { clock, links, keyPairs } = this.#parts;
    const left = (await links.secrets().find(site.id))?.pending ?? null;
    const pair = left ? withPublicHalf(left) : await keyPairs.next();
    await links.secrets().storePending(site.id, pair, proof.admin, clock.now());
    const granted = await this.#ask(site, pair, proof, left !== null);
    await this.#accept(site, pair, granted, change);
    const access = await links.access(site.id);
    const link = links.linkWith(access, pair);
    if (granted) await this.#parts.sync.take(site, link, granted.stats);
    // An answer that was lost brought no report. The site is connected all the same, and the next sync brings one.
    else await this.#parts.sync.pull(site, link).catch(() => undefined);
  }

  /** Registers the pair; null when the answer was lost and a signed call proved that the child took it. */
  async #ask(
    site: KeyedSite,
    pair: KeyPair,
    { admin, password, regverify }: Proof,
    wasPending: boolean,
  ): Promise<Granted> {
    const { child, links } = this.#parts;
    const access = await links.access(site.id);
    try {
      return await child.register(access.target, {
        admin,
        server: access.server,
        publicKeyPem: pair.publicKeyPem,
        password,
        uniqueId: access.uniqueId,
        regverify,
      });
    } catch (error) {
      const taken = isOpen(error)
        ? await child.verifyKey(links.linkWith({ ...access, admin }, pair)).catch(() => null)
        : false;
      if (taken === true) return null;
      // Where the site cannot tell, or may be at work on it still, the pair stays, and a later call settles it.
      if (taken === false && !wasPending && !isStillAtWork(error))
        await links.secrets().dropPending(site.id, pair.keyId);
      throw error;
    }
  }

  async #accept(site: KeyedSite, pair: KeyPair, granted: Granted, change: Omit<Change, 'siteId'>): Promise<void> {
    const { knex, clock, links, changes } = this.#parts;
    const address = adoptWww(parseSiteUrl(site.url), granted?.siteUrl ?? null);
    await inTransaction(knex, async ({ trx }) => {
      await links.secrets(trx).promote(site.id, pair, granted);
      await new SiteRepository(trx, clock.now()).patch(site.id, { status: 'connected', url: address.url });
      const before = { status: site.status, url: site.url };
      const thing = changedThing({ name: site.name, key: site.id }, before, { status: 'connected', url: address.url });
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

/** The child may or may not have taken the key; what seems not to have got there is asked about as well. */
export const isOpen = (error: unknown): boolean => isOutcomeOpen(error) || error instanceof ChildUnreachableError;
