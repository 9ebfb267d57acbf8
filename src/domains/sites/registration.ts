import type { Knex } from 'knex';
import type { ChildSite, KeyPair, KeyPairSource, Registered } from '../../connector/child-site.ts';
import { bumpRevision } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import {
  ChildBadAnswerError,
  ChildRefusedError,
  ChildUnreachableError,
  ConflictError,
  NotFoundError,
} from '../../shared/errors.ts';
import { httpAuthOf, type HttpAuth } from './http-auth.ts';
import type { Change, ChangeRecorder } from './ports.ts';
import { refuseIfOutdated, type KeyedSite } from './site.ts';
import type { SiteLinks } from './site-links.ts';
import { SiteRepository } from './site-repository.ts';
import { adoptWww, parseSiteUrl, type SiteAddress } from './site-url.ts';
import type { SyncService } from './sync-service.ts';

export interface RegistrationParts {
  knex: Knex;
  clock: Clock;
  child: ChildSite;
  keyPairs: KeyPairSource;
  links: SiteLinks;
  sync: SyncService;
  changes: ChangeRecorder;
  /** The dashboard address that new sites are registered with; each site keeps its own for ever. */
  server: () => string;
}

export interface AddSite {
  url: string;
  admin: string;
  name?: string;
  clientId?: number | null;
  tagIds?: readonly number[];
  /** HTTP Basic authentication in front of the site: both or neither. */
  httpUser?: string | null;
  httpPass?: string | null;
  /** False accepts any certificate; null follows the setting of the fleet. */
  sslVerify?: boolean | null;
  password?: string | null;
  uniqueId?: string | null;
}

export interface AddedSite {
  id: number;
  warnings: string[];
}

type Granted = Registered | null;

/**
 * Connects sites. At no moment is there a key that only the child or only we know of: the new pair is stored as pending
 * before the child hears of it, and the old pair stays until the new one is proved.
 */
export class Registration {
  readonly #parts: RegistrationParts;

  constructor(parts: RegistrationParts) {
    this.#parts = parts;
  }

  /** Connects a new site. A site that refuses leaves no record behind. */
  async add(input: AddSite, actor: string): Promise<AddedSite> {
    const { child, knex, clock, links } = this.#parts;
    const address = parseSiteUrl(input.url);
    const httpAuth = httpAuthOf(input.httpUser, input.httpPass);
    await this.#refuseKnown(address);
    const hello = await child.probe(
      {
        siteId: null,
        url: address.url,
        httpAuth,
        verifyTls: links.verifies(input.sslVerify ?? null),
      },
      input.admin,
    );
    if (hello.state === 'plugin_missing')
      throw new ChildRefusedError('wordpress', 'plugin_missing', 'The child plugin is not active on this site.');
    if (hello.state === 'unconnected') refuseIfOutdated(hello.childVersion);
    const id = await this.#insert(address, input, httpAuth);
    const site: KeyedSite = {
      id,
      url: address.url,
      urlKey: address.key,
      name: input.name?.trim() || address.label,
      status: 'disconnected',
      clientId: input.clientId ?? null,
    };
    try {
      await this.#register(site, input.password ?? null, {
        type: 'site.added',
        description: `Added ${address.url}.`,
        actor,
      });
    } catch (error) {
      await inTransaction(knex, async ({ trx }) => {
        await new SiteRepository(trx, clock.now()).delete(id);
        await bumpRevision(trx, 'sites', 'tags');
      });
      child.forget(id);
      throw error;
    }
    return { id, warnings: warningsOf(address) };
  }

  /**
   * Renews the key of a site and brings it back; `site` must exist, and may be in any state but suspended. `resumed` marks an
   * attempt after one that was interrupted: a site that accepts a key of ours by then is not registered again.
   */
  async reconnect(siteId: number, actor: string, resumed = false): Promise<KeyedSite> {
    const { knex, clock, links } = this.#parts;
    const site = await new SiteRepository(knex, clock.now()).findKeyed(siteId);
    if (!site) throw new NotFoundError('svc_site_not_found', 'No site goes by this reference.');
    if (site.status === 'suspended')
      throw new ConflictError('svc_site_suspended', 'The site is suspended; unsuspend it before it is reconnected.');
    // A pair that an interrupted registration left may be the one that works; it must not be overwritten unsettled.
    const accepted = await links.settlePending(siteId);
    const change = { type: 'site.reconnected', description: 'Connected with a new key.', actor };
    if (resumed && (accepted || (await this.#isAccepted(siteId)))) await this.#markConnected(site, change);
    else await this.#register(site, null, change);
    return { ...site, status: 'connected' };
  }

  async #isAccepted(siteId: number): Promise<boolean> {
    const { child, links } = this.#parts;
    return child.verifyKey((await links.link(siteId)).link);
  }

  async #markConnected(site: KeyedSite, change: Omit<Change, 'siteId'>): Promise<void> {
    const { knex, clock, changes } = this.#parts;
    // The interrupted attempt may have come as far as this by itself.
    if (site.status === 'connected') return;
    await inTransaction(knex, async ({ trx }) => {
      await new SiteRepository(trx, clock.now()).patch(site.id, { status: 'connected' });
      await changes.append(trx, { siteId: site.id, ...change });
      await bumpRevision(trx, 'sites');
    });
  }

  async #refuseKnown(address: SiteAddress): Promise<void> {
    const { knex, clock } = this.#parts;
    const known = await new SiteRepository(knex, clock.now()).findIdByKey(address.key);
    if (known !== null)
      throw new ConflictError('svc_site_already_exists', 'A site with this address is already managed.', {
        site_id: known,
      });
  }

  async #insert(address: SiteAddress, input: AddSite, httpAuth: HttpAuth | null): Promise<number> {
    const { knex, clock, links, server } = this.#parts;
    return inTransaction(knex, async ({ trx }) => {
      const repository = new SiteRepository(trx, clock.now());
      const id = await repository.insert({
        url: address.url,
        urlKey: address.key,
        name: input.name?.trim() || address.label,
        clientId: input.clientId ?? null,
        adminUsername: input.admin,
      });
      await repository.setTags(id, address.key, input.tagIds ?? []);
      await links.secrets(trx).insert(id, {
        server: server(),
        uniqueId: input.uniqueId ?? null,
        httpAuth,
        sslVerify: input.sslVerify ?? null,
      });
      await bumpRevision(trx, 'sites', 'tags');
      return id;
    });
  }

  async #register(site: KeyedSite, password: string | null, change: Omit<Change, 'siteId'>): Promise<void> {
    const { clock, links, keyPairs } = this.#parts;
    const pair = await keyPairs.next();
    await links.secrets().storePending(site.id, pair, clock.now());
    const granted = await this.#ask(site, pair, password);
    await this.#accept(site, pair, granted, change);
    const access = await links.access(site.id);
    if (granted) await this.#parts.sync.store(site, granted.stats, { complete: true });
    // An answer that was lost brought no report. The site is connected all the same, and the next sync brings one.
    else await this.#parts.sync.pull(site, links.linkWith(access, pair)).catch(() => undefined);
  }

  /** Registers the pair; null when the answer was lost and a signed call proved that the child took it. */
  async #ask(site: KeyedSite, pair: KeyPair, password: string | null): Promise<Granted> {
    const { child, links } = this.#parts;
    const access = await links.access(site.id);
    try {
      return await child.register(access.target, {
        admin: access.admin,
        server: access.server,
        publicKeyPem: pair.publicKeyPem,
        password,
        uniqueId: access.uniqueId,
        regverify: access.regverify,
      });
    } catch (error) {
      if (!isOpen(error)) {
        await links.secrets().dropPending(site.id, pair.keyId);
        throw error;
      }
      const taken = await child.verifyKey(links.linkWith(access, pair)).catch(() => null);
      if (taken === true) return null;
      // Unreachable still: the pending pair stays, and whoever calls the site next settles it.
      if (taken === false) await links.secrets().dropPending(site.id, pair.keyId);
      throw error;
    }
  }

  async #accept(site: KeyedSite, pair: KeyPair, granted: Granted, change: Omit<Change, 'siteId'>): Promise<void> {
    const { knex, clock, links, changes } = this.#parts;
    const address = adoptWww(parseSiteUrl(site.url), granted?.siteUrl ?? null);
    await inTransaction(knex, async ({ trx }) => {
      await links.secrets(trx).promote(site.id, pair, granted);
      await new SiteRepository(trx, clock.now()).patch(site.id, { status: 'connected', url: address.url });
      await changes.append(trx, { siteId: site.id, ...change });
      await bumpRevision(trx, 'sites');
    });
  }
}

/** The child may or may not have taken the key. */
function isOpen(error: unknown): boolean {
  return (
    error instanceof ChildUnreachableError ||
    error instanceof ChildBadAnswerError ||
    (error instanceof ChildRefusedError && error.reason === 'site_fatal')
  );
}

function warningsOf(address: SiteAddress): string[] {
  return address.url.startsWith('http://')
    ? ['The site is not served over https: whoever reads the traffic can act on the site as its administrator.']
    : [];
}
