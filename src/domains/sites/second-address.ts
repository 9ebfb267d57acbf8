import type { Knex } from 'knex';
import type { ConnectionCalls, SyncCalls } from '../../connector/child-site.ts';
import { bumpRevision } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import { ConflictError } from '../../shared/errors.ts';
import type { TakenKey } from './child-key-registration.ts';
import type { ChangeRecorder } from './ports.ts';
import type { SiteWithUrlKey } from './site.ts';
import type { ChildLinkResolver } from './child-link-resolver.ts';
import { SiteRepository } from './site-repository.ts';
import { parseSiteReference } from './site-url.ts';
import type { SyncService } from './sync-service.ts';

export interface SecondAddressDeps {
  knex: Knex;
  clock: Clock;
  child: ConnectionCalls & SyncCalls;
  links: ChildLinkResolver;
  sync: Pick<SyncService, 'request'>;
  changes: ChangeRecorder;
}

/**
 * Finds out if a site that is being added already has a record with another address. A child reports its address only
 * to a dashboard whose key it has accepted. By then, the child no longer accepts the key of the other record, so the
 * other record gets the new key.
 */
export class SecondAddress {
  readonly #deps: SecondAddressDeps;

  constructor(deps: SecondAddressDeps) {
    this.#deps = deps;
  }

  /** Throws `svc_site_already_exists` and deletes the new record if the site already has another record. */
  async refuse(added: SiteWithUrlKey, taken: TakenKey): Promise<void> {
    const { knex, clock, child } = this.#deps;
    const reported = await this.#reportedKey(added, taken);
    if (reported === null) return;
    for (const known of await new SiteRepository(knex, clock.now()).findByAddress(reported, added.id)) {
      if (!(await this.#accepts(known, taken))) continue;
      await this.#giveKey(known, added, taken);
      child.forget(added.id);
      throw alreadyExists(known);
    }
  }

  async #reportedKey({ id }: SiteWithUrlKey, { pair, admin, granted }: TakenKey): Promise<string | null> {
    const { child, links, sync } = this.#deps;
    const request = async () => {
      const link = { ...links.linkWith({ ...(await links.access(id)), admin }, pair) };
      return child.stats(link, await sync.request(id));
    };
    const stats = granted?.stats ?? (await request().catch(() => null));
    return stats?.siteUrl ? (parseSiteReference(stats.siteUrl)?.key ?? null) : null;
  }

  /**
   * True if the site of a record accepts the new key. An equal address proves nothing: copies of a site report it too.
   */
  async #accepts({ id }: SiteWithUrlKey, { pair, admin }: TakenKey): Promise<boolean> {
    const { child, links } = this.#deps;
    const link = links.linkWith({ ...(await links.access(id)), admin }, pair);
    // The status of the known record does not matter, because the call is about the site that is being added.
    return child.verifyKey({ ...link, turn: links.keylessTurn(id, () => undefined) }).catch(() => false);
  }

  async #giveKey({ id }: SiteWithUrlKey, added: SiteWithUrlKey, { pair, admin, granted, since }: TakenKey) {
    const { knex, clock, links, changes } = this.#deps;
    await inTransaction(knex, async ({ trx }) => {
      const repository = new SiteRepository(trx, clock.now());
      const known = await repository.lock(id);
      if (!known) return;
      const secrets = links.secrets(trx);
      await secrets.storePending(id, pair, admin, since);
      await secrets.promote(id, pair, granted);
      // Since the site accepted the new key, a refused call with the former key may have disconnected the known record.
      const wasLost = known.status === 'disconnected' && (await repository.hasErrorSince(id, since));
      await repository.patch(id, { status: wasLost ? 'connected' : known.status });
      await repository.delete(added.id);
      await changes.append(trx, {
        siteId: id,
        type: 'site.reconnected',
        description: `Renewed the key, because the site was added again as ${added.url}.`,
        actor: 'system',
        thing: { name: known.name, key: id },
      });
      await bumpRevision(trx, 'sites', 'tags');
    });
  }
}

export const alreadyExists = ({ id, url }: { id: number; url: string }): ConflictError =>
  new ConflictError(
    'svc_site_already_exists',
    `This site is already managed as ${url}. Send allow_second_address to add it a second time.`,
    { site_id: id },
  );
