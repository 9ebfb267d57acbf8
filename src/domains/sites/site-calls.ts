import type { Knex } from 'knex';
import type { ChildLink, SiteTurn } from '../../connector/child-site.ts';
import type { Lease } from '../../db/lease.ts';
import { bumpRevision } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import { isKeyRefusal } from '../../shared/child-call-errors.ts';
import { DatabaseUnavailableError, DomainError } from '../../shared/errors.ts';
import { nextEventLoopTurn } from '../../shared/event-loop.ts';
import type { SiteWithUrlKey } from './site.ts';
import { refuseUnlessCallable, type AdmissionCheck } from './site-admission.ts';
import type { SiteWithChildLink, ChildLinkResolver } from './child-link-resolver.ts';
import { SiteRepository } from './site-repository.ts';
import type { ChangeRecorder } from './ports.ts';
import { storeSyncError } from './sync-error.ts';

export interface CallOptions {
  admit?: AdmissionCheck;
  /** True if the call goes to many sites. A site that is known not to respond then fails at once. */
  oneOfMany?: boolean;
  /** True if the caller only reads. In this case, neither a refused key nor a newly found endpoint is stored. */
  reads?: boolean;
  syncs?: boolean;
  /** Aborts the call because its caller no longer waits. The site's record does not change. */
  signal?: AbortSignal | undefined;
  /** Before each change is sent, the call confirms that it still holds this lease. */
  lease?: Lease | undefined;
}

export type SiteCall<T> = (link: ChildLink, site: SiteWithUrlKey, linked: SiteWithChildLink) => Promise<T>;

/**
 * Calls connected sites with the key that they accept. A site becomes disconnected only if the child permanently
 * refuses our signature. An unreachable site keeps its status. The error of a sync is stored in the record of the site.
 */
export class SiteCalls {
  readonly #knex: Knex;
  readonly #clock: Clock;
  readonly #links: ChildLinkResolver;
  readonly #changes: ChangeRecorder;

  constructor(deps: { knex: Knex; clock: Clock; links: ChildLinkResolver; changes: ChangeRecorder }) {
    this.#knex = deps.knex;
    this.#clock = deps.clock;
    this.#links = deps.links;
    this.#changes = deps.changes;
  }

  /** Reads the site first, because it may have been suspended since the caller read it. */
  async run<T>(siteId: number, call: SiteCall<T>, options: CallOptions = {}): Promise<T> {
    const { admit = refuseUnlessCallable, oneOfMany = false, reads = false, syncs = false, signal, lease } = options;
    let turn: SiteTurn | undefined;
    // Hundreds of such calls begin together, and each takes a part of a millisecond until it waits for the site.
    if (oneOfMany && reads) await nextEventLoopTurn();
    try {
      const linked = await this.#links.link(siteId, admit, { keep: !reads });
      turn = linked.link.turn;
      const confirmLease = lease && (() => lease.confirm());
      return await call({ ...linked.link, oneOfMany, reads, signal, confirmLease }, linked.site, linked);
    } catch (error) {
      const isOurs = error instanceof DomainError && !(error instanceof DatabaseUnavailableError);
      if (isOurs && !reads && !signal?.aborted) {
        if (syncs) await this.#storeSyncError(siteId, error, turn?.number);
        await this.recordRefusal(siteId, error);
      }
      throw error;
    }
  }

  async #storeSyncError(siteId: number, error: DomainError, number: number | undefined): Promise<void> {
    if (error.status < 500 && error.code !== 'svc_child_outdated') return;
    await storeSyncError({ knex: this.#knex, clock: this.#clock }, siteId, error, number);
  }

  async recordRefusal(siteId: number, error: DomainError): Promise<void> {
    if (!isKeyRefusal(error) || error.keyId === null) return;
    const { keyId } = error;
    await inTransaction(this.#knex, async ({ trx }) => {
      const repository = new SiteRepository(trx, this.#clock.now());
      const site = await repository.lock(siteId);
      if (site?.status !== 'connected' || !(await this.#links.isOnlyKey(trx, siteId, keyId))) return;
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
