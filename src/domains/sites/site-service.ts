import type { Knex } from 'knex';
import type { ChildSite } from '../../connector/child-site.ts';
import { bumpRevision } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import { NotFoundError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import type { ChangeRecorder, SiteLeavings } from './ports.ts';
import { type Registration, type AddedSite, type AddSite } from './registration.ts';
import type { KeyedSite, Site, SiteDetail, SiteStatus } from './site.ts';
import { type SiteCalls } from './site-calls.ts';
import { type SiteLinks } from './site-links.ts';
import { type SiteReferences, type SiteRef } from './site-references-read-model.ts';
import { SiteRepository } from './site-repository.ts';
import type { SyncService } from './sync-service.ts';

export interface SitePatch {
  name?: string;
  notes?: string;
  /** Null unassigns. */
  clientId?: number | null;
  /** Replaces all. */
  tagIds?: readonly number[];
}

export interface DeletePreview {
  plugins: number;
  themes: number;
  updates: number;
  changes: number;
  tags: number;
}

export interface SiteServiceParts {
  knex: Knex;
  clock: Clock;
  logger: Logger;
  child: ChildSite;
  links: SiteLinks;
  calls: SiteCalls;
  sync: SyncService;
  registration: Registration;
  references: SiteReferences;
  changes: ChangeRecorder;
  leavings: readonly SiteLeavings[];
}

/** What may be done to the record of a site, and to its connection. */
export class SiteService {
  readonly #parts: SiteServiceParts;

  constructor(parts: SiteServiceParts) {
    this.#parts = parts;
  }

  async get(ref: SiteRef): Promise<SiteDetail> {
    const { references, knex, clock } = this.#parts;
    const { id } = await references.one(ref);
    return found(await new SiteRepository(knex, clock.now()).findDetail(id));
  }

  add(input: AddSite, actor: string): Promise<AddedSite> {
    return this.#parts.registration.add(input, actor);
  }

  reconnect(siteId: number, actor: string, resumed = false): Promise<KeyedSite> {
    return this.#parts.registration.reconnect(siteId, actor, resumed);
  }

  /** Brings the stored state of a site up to date; one at a time for each site, by the connector's rule. */
  async sync(siteId: number): Promise<KeyedSite> {
    const { calls, sync, links, logger } = this.#parts;
    return calls.run(siteId, async (link, site, linked) => {
      await sync.pull(site, link);
      // The sync has done what was asked; a token that cannot be had now is asked for with the next one.
      if (!linked.hasToken)
        await links
          .fetchToken(linked)
          .catch((error: unknown) => logger.info({ err: error, site_id: siteId }, 'no reconnect token was given'));
      return site;
    });
  }

  async update(ref: SiteRef, patch: SitePatch, actor: string): Promise<SiteDetail> {
    const { references, knex, clock, changes } = this.#parts;
    const site = await references.one(ref);
    await inTransaction(knex, async ({ trx }) => {
      const repository = new SiteRepository(trx, clock.now());
      const { name, notes, clientId, tagIds } = patch;
      const fields = {
        ...(name === undefined ? {} : { name }),
        ...(clientId === undefined ? {} : { clientId }),
      };
      await repository.patch(site.id, fields);
      if (notes !== undefined) await repository.patchState(site.id, { notes });
      if (tagIds !== undefined) await repository.setTags(site.id, site.urlKey, tagIds);
      const edited = Object.entries(patch).flatMap(([field, value]) => (value === undefined ? [] : [field]));
      if (edited.length === 0) return;
      await changes.append(trx, {
        siteId: site.id,
        type: 'site.updated',
        description: `Changed ${edited.map((field) => FIELD_NAMES[field] ?? field).join(', ')}.`,
        actor,
      });
      await bumpRevision(trx, 'sites', ...(tagIds === undefined ? [] : (['tags'] as const)));
    });
    return found(await new SiteRepository(knex, clock.now()).findDetail(site.id));
  }

  async previewDelete(ref: SiteRef): Promise<{ site: Site; belongings: DeletePreview }> {
    const { references, knex, clock } = this.#parts;
    const site = await references.one(ref);
    return { site, belongings: await new SiteRepository(knex, clock.now()).countBelongings(site.id) };
  }

  /** Removes the record. A connected child is told first, as well as it can be; that it cannot be told stops nothing. */
  async delete(ref: SiteRef, actor: string): Promise<{ site: Site; childNotified: boolean }> {
    const { references, knex, clock, changes, child, links, logger, leavings } = this.#parts;
    const site = await references.one(ref);
    let childNotified = false;
    if (site.status === 'connected')
      try {
        await child.deactivate((await links.link(site.id)).link);
        childNotified = true;
      } catch (error) {
        logger.info({ err: error, site_id: site.id }, 'a deleted site could not be told');
      }
    await inTransaction(knex, async ({ trx }) => {
      if (!(await new SiteRepository(trx, clock.now()).delete(site.id))) throw gone();
      for (const drop of leavings) await drop(trx, site.id);
      await changes.append(trx, { siteId: null, type: 'site.deleted', description: `Deleted ${site.url}.`, actor });
      await bumpRevision(trx, 'sites', 'tags', 'updates', 'abandoned');
    });
    child.forget(site.id);
    return { site, childNotified };
  }

  /** Local: no call leaves for the site until it is reconnected. */
  disconnect(siteId: number, actor: string): Promise<KeyedSite> {
    return this.#setStatus(siteId, 'disconnected', actor, () => true);
  }

  suspend(siteId: number, actor: string): Promise<KeyedSite> {
    return this.#setStatus(siteId, 'suspended', actor, () => true);
  }

  /** Only a suspended site changes; for any other it is already so. */
  unsuspend(siteId: number, actor: string): Promise<KeyedSite> {
    return this.#setStatus(siteId, 'connected', actor, (status) => status === 'suspended');
  }

  async #setStatus(
    siteId: number,
    status: SiteStatus,
    actor: string,
    applies: (current: SiteStatus) => boolean,
  ): Promise<KeyedSite> {
    const { knex, clock, changes } = this.#parts;
    return inTransaction(knex, async ({ trx }) => {
      const repository = new SiteRepository(trx, clock.now());
      const site = found(await repository.findKeyed(siteId));
      if (site.status === status || !applies(site.status)) return site;
      await repository.patch(siteId, { status });
      const type = status === 'connected' ? 'site.unsuspended' : `site.${status}`;
      await changes.append(trx, { siteId, type, description: `Changed from ${site.status} to ${status}.`, actor });
      await bumpRevision(trx, 'sites');
      return { ...site, status };
    });
  }
}

const FIELD_NAMES: Record<string, string> = { clientId: 'client', tagIds: 'tags' };

const gone = (): NotFoundError => new NotFoundError('svc_site_not_found', 'No site goes by this reference.');

function found<T>(site: T | null): T {
  if (site === null) throw gone();
  return site;
}
