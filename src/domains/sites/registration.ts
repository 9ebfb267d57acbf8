import type { Knex } from 'knex';
import type { ConnectionCalls } from '../../connector/child-site.ts';
import { bumpRevision } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import { describeChangedObject } from '../../shared/changed-object.ts';
import type { Clock } from '../../shared/clock.ts';
import { ChildRefusedError } from '../../shared/child-call-errors.ts';
import { ConflictError } from '../../shared/errors.ts';
import { checkedName } from '../../shared/text.ts';
import { httpAuthOf, type HttpAuth } from './http-auth.ts';
import type { ChildKeyRegistration } from './child-key-registration.ts';
import { refuseOutdatedChild, type SiteWithUrlKey } from './site.ts';
import type { ChildLinkResolver } from './child-link-resolver.ts';
import type { SiteLeases } from './site-leases.ts';
import { SiteRepository } from './site-repository.ts';
import { alreadyExists, type SecondAddress } from './second-address.ts';
import { isBelow, otherLocalKeys, parseSiteUrl, type EnteredAddress, type SiteAddress } from './site-url.ts';

export interface RegistrationDeps {
  knex: Knex;
  clock: Clock;
  child: ConnectionCalls;
  links: ChildLinkResolver;
  exchange: ChildKeyRegistration;
  secondAddress: SecondAddress;
  registrationLeases: SiteLeases;
  /** Dashboard address with which new sites are registered. A site keeps the address of its registration forever. */
  server: () => string;
}

export interface AddSiteInput {
  url: string;
  admin: string;
  name?: string;
  clientId?: number | null;
  tagIds?: readonly number[];
  httpUser?: string | null;
  httpPass?: string | null;
  /** False accepts any certificate. Null follows the fleet setting. */
  sslVerify?: boolean | null;
  password?: string | null;
  uniqueId?: string | null;
  /** True adds a site that is managed under another address. The record of that address loses its connection. */
  allowSecondAddress?: boolean;
}

export interface AddedSite {
  id: number;
  warnings: string[];
}

export class Registration {
  readonly #deps: RegistrationDeps;

  constructor(deps: RegistrationDeps) {
    this.#deps = deps;
  }

  /**
   * Adds a site and registers it. If the registration fails, deletes the record again. If the child may have accepted
   * the key, the record and the key stay, and a reconnection completes the registration.
   */
  async add(input: AddSiteInput, actor: string): Promise<AddedSite> {
    const { child, links, exchange, secondAddress, registrationLeases } = this.#deps;
    const address = parseSiteUrl(input.url);
    const name = input.name === undefined ? address.name : checkedName(input.name);
    const httpAuth = httpAuthOf(input.httpUser, input.httpPass);
    await this.#refuseKnown(address);
    if (!input.allowSecondAddress) await this.#refuseOtherLocalName(address);
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
    if (hello.state === 'unconnected') refuseOutdatedChild(hello.childVersion, null);
    const id = await this.#insert(address, { ...input, name }, httpAuth);
    const site: SiteWithUrlKey = {
      id,
      url: address.url,
      urlKey: address.key,
      name,
      status: 'disconnected',
      clientId: input.clientId ?? null,
    };
    const proof = { admin: input.admin, password: input.password ?? null, regverify: null };
    const thing = describeChangedObject({ name, key: id }, null, { url: address.url, name, clientId: site.clientId });
    const change = { type: 'site.added', description: `Added ${address.url}.`, actor, thing };
    await registrationLeases.runExclusive(id, async (lease) => {
      try {
        await exchange.register(site, proof, change, {
          lease,
          ...(!input.allowSecondAddress && { beforeAccept: (taken) => secondAddress.refuse(site, taken) }),
        });
      } catch (error) {
        if (!(await this.#hasKey(id))) await this.#drop(id);
        throw error;
      }
    });
    return { id, warnings: await this.#warningsOf(id, address) };
  }

  async #warningsOf(id: number, address: EnteredAddress): Promise<string[]> {
    const { knex, clock } = this.#deps;
    const { url, key, isShortened } = address;
    const reported = await new SiteRepository(knex, clock.now()).findReportedKey(id);
    return [
      ...(url.startsWith('http://')
        ? ['The site is not served over https. Anyone who can read the traffic can act as its administrator.']
        : []),
      ...(isShortened ? [`The site was added as ${url}, because the entered URL is not that of its home page.`] : []),
      ...(reported !== null && isBelow(key, reported)
        ? [
            `The site reports ${reported} as its address. If ${url} is only one of its pages, delete the site and add ` +
              'it with the address of its home page, because checks and guarded updates request this page.',
          ]
        : []),
    ];
  }

  /** Throws if the site was already added by another name of this machine, such as `127.0.0.1` for `localhost`. */
  async #refuseOtherLocalName({ key }: SiteAddress): Promise<void> {
    const { knex, clock } = this.#deps;
    const repository = new SiteRepository(knex, clock.now());
    for (const other of otherLocalKeys(key)) {
      const id = await repository.findIdByKey(other);
      const known = id === null ? null : await repository.findKeyed(id);
      if (known) throw alreadyExists(known);
    }
  }

  async #hasKey(id: number): Promise<boolean> {
    const secrets = await this.#deps.links.secrets().find(id);
    return secrets !== null && (secrets.key !== null || secrets.pending !== null);
  }

  async #drop(id: number): Promise<void> {
    const { child, knex, clock } = this.#deps;
    await inTransaction(knex, async ({ trx }) => {
      await new SiteRepository(trx, clock.now()).delete(id);
      await bumpRevision(trx, 'sites', 'tags');
    });
    child.forget(id);
  }

  async #refuseKnown(address: SiteAddress): Promise<void> {
    const { knex, clock, links } = this.#deps;
    const known = await new SiteRepository(knex, clock.now()).findIdByKey(address.key);
    if (known === null) return;
    const isComplete = (await links.secrets().find(known))?.key !== null;
    const message = isComplete
      ? 'A site with this URL already exists.'
      : 'A site with this URL was added, but its registration was not completed. Reconnect it to complete it.';
    throw new ConflictError('svc_site_already_exists', message, { site_id: known });
  }

  async #insert(
    address: SiteAddress,
    input: AddSiteInput & { name: string },
    httpAuth: HttpAuth | null,
  ): Promise<number> {
    const { knex, clock, links, server } = this.#deps;
    return inTransaction(knex, async ({ trx }) => {
      const repository = new SiteRepository(trx, clock.now());
      const id = await repository.insert({
        url: address.url,
        urlKey: address.key,
        name: input.name,
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
}
