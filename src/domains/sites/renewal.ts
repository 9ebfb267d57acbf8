import type { KeyExchange } from './key-exchange.ts';
import { refuseUnlessFit } from './site-calls.ts';
import type { SiteLeases } from './site-leases.ts';
import type { KeyedSite } from './site.ts';
import type { SiteLinks } from './site-links.ts';

export interface RenewalParts {
  links: SiteLinks;
  exchange: KeyExchange;
  /** One registration at a time for a site. */
  registering: SiteLeases;
}

/**
 * Gives connected sites a new key. A child that stays connected takes it on the token of its registration, in place of
 * the old one (protocol 2.7), so that it is at no moment open to others.
 */
export class Renewal {
  readonly #parts: RenewalParts;

  constructor(parts: RenewalParts) {
    this.#parts = parts;
  }

  /** A key that the site was given since `since` will do: an attempt that was interrupted had come that far. */
  renew(siteId: number, actor: string, since: number): Promise<KeyedSite> {
    return this.#parts.registering.hold(siteId, () => this.#renew(siteId, actor, since));
  }

  async #renew(siteId: number, actor: string, since: number): Promise<KeyedSite> {
    const { links, exchange } = this.#parts;
    await links.settlePending(siteId);
    const linked = await links.link(siteId, refuseUnlessFit);
    const { site, hasToken, keySince } = linked;
    if (!hasToken) await links.fetchToken(linked).catch(() => undefined);
    if (keySince !== null && keySince >= since) return site;
    const { admin, regverify } = await links.access(siteId);
    const change = { type: 'site.reconnected', description: 'Renewed the key.', actor };
    await exchange.register(site, { admin, password: null, regverify }, change);
    return site;
  }
}
