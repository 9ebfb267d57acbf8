import type { Knex } from 'knex';
import type { ChildLink } from '../../connector/child-site.ts';
import { bumpRevision } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import { ChildRefusedError, ConflictError, DomainError } from '../../shared/errors.ts';
import { cut } from '../../shared/text.ts';
import { refuseIfOutdated, type KeyedSite } from './site.ts';
import type { Admission, LinkedSite, SiteLinks } from './site-links.ts';
import { SiteRepository } from './site-repository.ts';
import type { ChangeRecorder } from './ports.ts';

export interface CallOptions {
  /** Refuses by throwing; by default sites that are suspended or disconnected, and too old child plugins. */
  admit?: Admission;
  /** The call goes to many sites: one that is known not to answer is not waited for. */
  oneOfMany?: boolean;
  /**
   * The caller only reads: nothing is written, of how the call ended or of what it found out about the way to the site.
   */
  reads?: boolean;
  /** Ends the call: its caller does not wait for it any longer, and its end says nothing about the site. */
  signal?: AbortSignal | undefined;
}

export type SiteCall<T> = (link: ChildLink, site: KeyedSite, linked: LinkedSite) => Promise<T>;

/**
 * Calls to a site that is under management: refused for a suspended or disconnected one, with the key that works, and
 * with the outcome written to the record. A site becomes disconnected by itself only when the child refuses our
 * signature for good; one that cannot be reached stays as it is, with the error and its time.
 */
export class SiteCalls {
  readonly #knex: Knex;
  readonly #clock: Clock;
  readonly #links: SiteLinks;
  readonly #changes: ChangeRecorder;

  constructor(parts: { knex: Knex; clock: Clock; links: SiteLinks; changes: ChangeRecorder }) {
    this.#knex = parts.knex;
    this.#clock = parts.clock;
    this.#links = parts.links;
    this.#changes = parts.changes;
  }

  /** Runs one call; the site is read anew, because what was read before may have been suspended since. */
  async run<T>(siteId: number, call: SiteCall<T>, options: CallOptions = {}): Promise<T> {
    const { reads = false, signal } = options;
    try {
      return await this.#attempt(siteId, call, options);
    } catch (error) {
      if (!(error instanceof DomainError) || reads || signal?.aborted) throw error;
      if (await this.#hasOtherKey(siteId, error)) return this.run(siteId, call, options);
      await this.remember(siteId, error);
      throw error;
    }
  }

  async #attempt<T>(siteId: number, call: SiteCall<T>, options: CallOptions): Promise<T> {
    const { admit = refuseUnlessFit, oneOfMany = false, reads = false, signal } = options;
    const linked = await this.#links.link(siteId, admit, { keep: !reads });
    return call({ ...linked.link, oneOfMany, reads, signal }, linked.site, linked);
  }

  /** A registration whose answer was lost has come about since: its key is the one of the site from now on. */
  async #hasOtherKey(siteId: number, error: DomainError): Promise<boolean> {
    if (!(error instanceof ChildRefusedError) || error.reason !== 'key_mismatch') return false;
    return this.#links.settlePending(siteId).catch(() => false);
  }

  /** Writes to the record of a site what an error says about it. */
  async remember(siteId: number, error: DomainError): Promise<void> {
    if (error.status < 500 && error.code !== 'svc_child_outdated') return;
    const now = this.#clock.now();
    const state = { sync_error_code: error.code, sync_error_message: cut(error.message, 500), sync_error_at: now };
    const lost =
      error instanceof ChildRefusedError && (error.reason === 'key_mismatch' || error.reason === 'not_connected');
    await inTransaction(this.#knex, async ({ trx }) => {
      const repository = new SiteRepository(trx, now);
      await repository.patchState(siteId, state);
      if (!lost) return;
      await repository.patch(siteId, { status: 'disconnected' });
      await this.#changes.append(trx, {
        siteId,
        type: 'site.disconnected',
        description: `The site no longer accepts our key (${error.reason}).`,
        actor: 'system',
        thing: { name: null, key: siteId, after: { status: 'disconnected' } },
      });
      await bumpRevision(trx, 'sites');
    });
  }
}

/** What an old child plugin would misunderstand is not asked of it. */
export const refuseUnlessFit: Admission = (site, childVersion) => {
  refuseUnlessConnected(site);
  if (childVersion !== null) refuseIfOutdated(childVersion);
};

export function refuseUnlessConnected({ status }: Pick<KeyedSite, 'status'>): void {
  if (status === 'suspended')
    throw new ConflictError('svc_site_suspended', 'The site is suspended; unsuspend it first.');
  if (status === 'disconnected')
    throw new ConflictError('svc_site_disconnected', 'The site is disconnected; reconnect it first.');
}
