import type { Knex } from 'knex';
import type { ChildLink } from '../../connector/child-site.ts';
import type { Lease } from '../../db/lease.ts';
import { bumpRevision } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import { ChildRefusedError, ConflictError, DatabaseUnavailableError, DomainError } from '../../shared/errors.ts';
import { truncate } from '../../shared/text.ts';
import { refuseOutdatedChild, type SiteWithUrlKey } from './site.ts';
import type { AdmissionCheck, LinkedSite, SiteLinks } from './site-links.ts';
import { SiteRepository } from './site-repository.ts';
import type { ChangeRecorder } from './ports.ts';

export interface CallOptions {
  /** Throws if the site must not be called. Default: `refuseUnlessCallable`. */
  admit?: AdmissionCheck;
  /** True if the call goes to many sites. A site that is known not to respond then fails at once. */
  oneOfMany?: boolean;
  /** True if the caller only reads. Then neither an error of the call nor a newly found endpoint is stored. */
  reads?: boolean;
  /** Aborts the call because its caller no longer waits. The site's record does not change. */
  signal?: AbortSignal | undefined;
  /** Lease of the work that calls. It is confirmed before each change is sent. */
  lease?: Lease | undefined;
}

export type SiteCall<T> = (link: ChildLink, site: SiteWithUrlKey, linked: LinkedSite) => Promise<T>;

/**
 * Calls connected sites with the key that they accept, and stores errors in their records. A site becomes disconnected
 * only if the child permanently refuses our signature. An unreachable site keeps its status, with the error and its
 * time.
 */
export class SiteCalls {
  readonly #knex: Knex;
  readonly #clock: Clock;
  readonly #links: SiteLinks;
  readonly #changes: ChangeRecorder;

  constructor(deps: { knex: Knex; clock: Clock; links: SiteLinks; changes: ChangeRecorder }) {
    this.#knex = deps.knex;
    this.#clock = deps.clock;
    this.#links = deps.links;
    this.#changes = deps.changes;
  }

  /** Reads the site first, because it may have been suspended since the caller read it. */
  async run<T>(siteId: number, call: SiteCall<T>, options: CallOptions = {}): Promise<T> {
    const { reads = false, signal } = options;
    try {
      return await this.#attempt(siteId, call, options);
    } catch (error) {
      if (!(error instanceof DomainError) || error instanceof DatabaseUnavailableError) throw error;
      if (reads || signal?.aborted) throw error;
      if (await this.#hasOtherKey(siteId, error)) return this.run(siteId, call, options);
      await this.recordError(siteId, error);
      throw error;
    }
  }

  async #attempt<T>(siteId: number, call: SiteCall<T>, options: CallOptions): Promise<T> {
    const { admit = refuseUnlessCallable, oneOfMany = false, reads = false, signal, lease } = options;
    const confirmLease = lease && (() => lease.confirm());
    const linked = await this.#links.link(siteId, admit, { keep: !reads });
    return call({ ...linked.link, oneOfMany, reads, signal, confirmLease }, linked.site, linked);
  }

  /** True if the child accepts the pending key instead: a registration whose response was lost did succeed. */
  async #hasOtherKey(siteId: number, error: DomainError): Promise<boolean> {
    if (!(error instanceof ChildRefusedError) || error.reason !== 'key_mismatch') return false;
    return this.#links.settlePending(siteId).catch(() => false);
  }

  async recordError(siteId: number, error: DomainError): Promise<void> {
    if (error.status < 500 && error.code !== 'svc_child_outdated') return;
    const now = this.#clock.now();
    const state = { sync_error_code: error.code, sync_error_message: truncate(error.message, 500), sync_error_at: now };
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

/** Throws if a site must not be called. An outdated child plugin could misunderstand a call. */
export const refuseUnlessCallable: AdmissionCheck = (site, childVersion) => {
  refuseUnlessConnected(site);
  if (childVersion !== null) refuseOutdatedChild(childVersion, site.id);
};

export function refuseUnlessConnected({ status }: Pick<SiteWithUrlKey, 'status'>): void {
  if (status === 'suspended')
    throw new ConflictError('svc_site_suspended', 'The site is suspended. Unsuspend it first.');
  if (status === 'disconnected')
    throw new ConflictError('svc_site_disconnected', 'The site is disconnected. Reconnect it first.');
}
