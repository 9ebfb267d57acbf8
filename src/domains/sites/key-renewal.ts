import { combineLeases, type Lease } from '../../db/lease.ts';
import type { ChildKeyRegistration } from './child-key-registration.ts';
import { refuseUnlessCallable } from './site-admission.ts';
import type { SiteLeases } from './site-leases.ts';
import type { SiteWithUrlKey } from './site.ts';
import type { ChildLinkResolver } from './child-link-resolver.ts';
import { readSecret } from '../../shared/secret-text.ts';

export interface KeyRenewalDeps {
  links: ChildLinkResolver;
  exchange: ChildKeyRegistration;
  registrationLeases: SiteLeases;
}

/**
 * Gives connected sites a new key. A child that receives a token that it has issued (`regverify`, protocol 2.5)
 * replaces its key without being disconnected first (protocol 2.7), so nobody else can connect to it in between.
 */
export class KeyRenewal {
  readonly #deps: KeyRenewalDeps;

  constructor(deps: KeyRenewalDeps) {
    this.#deps = deps;
  }

  /**
   * If the current key was made at or after `since` (milliseconds since 1970), keeps it: an interrupted attempt has
   * already renewed it.
   */
  renew(siteId: number, actor: string, since: number, itemLease: Lease): Promise<SiteWithUrlKey> {
    return this.#deps.registrationLeases.runExclusive(siteId, (lease) =>
      this.#renew(siteId, actor, since, combineLeases(itemLease, lease)),
    );
  }

  async #renew(siteId: number, actor: string, since: number, lease: Lease): Promise<SiteWithUrlKey> {
    const { links, exchange } = this.#deps;
    await links.settlePending(siteId, refuseUnlessCallable);
    const linked = await links.link(siteId, refuseUnlessCallable);
    const { site, hasToken, keySince } = linked;
    if (!hasToken) await links.fetchToken(linked).catch(() => undefined);
    if (keySince !== null && keySince >= since) return site;
    const { admin, regverify: token } = await links.access(siteId);
    const regverify = token && readSecret(token);
    const change = { type: 'site.reconnected', description: 'Renewed the key.', actor };
    await exchange.register(site, { admin, password: null, regverify }, change, { lease, admit: refuseUnlessCallable });
    return site;
  }
}
