import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { ChildLink, ChildSite, ChildStats, SyncRequest } from '../../connector/child-site.ts';
import { writersAtOnce } from '../../db/dialect.ts';
import { bumpRevision, type RevisionSubject } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import { Lanes } from '../../shared/lanes.ts';
import { isOlder, OLDEST_CHILD_VERSION, refuseIfOutdated } from './site.ts';
import { SiteRepository, type SyncMarks } from './site-repository.ts';
import type { SiteStatePatch, SslProbe, SyncLog, SyncSection } from './sync-section.ts';

export interface SyncParts {
  knex: Knex;
  clock: Clock;
  child: ChildSite;
  sections: readonly SyncSection[];
  log: SyncLog;
  probeSsl: SslProbe;
  abandonedAfterDays: () => number;
}

interface Fresh {
  section: SyncSection;
  value: unknown;
  hash: string;
}

/** Entries of the changes log that one sync asks for; the rest comes with the next. */
const CHANGES_A_SYNC = 200;

const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);

/**
 * Takes over what a child reports. Every section is hashed; a sync that brings nothing new is one small update, and one that
 * does writes the sections that differ, in one short transaction a site.
 */
export class SyncService {
  readonly #parts: SyncParts;
  readonly #lanes: Lanes;

  constructor(parts: SyncParts) {
    this.#parts = parts;
    this.#lanes = new Lanes(writersAtOnce(parts.knex));
  }

  /** Asks the child for everything and stores it as the state of now. */
  async pull(site: { id: number; url: string; urlKey: string }, link: ChildLink): Promise<void> {
    const { child, probeSsl } = this.#parts;
    const marks = await this.#marks(site.id);
    const [stats, ssl] = await Promise.all([child.stats(link, this.#requestFor(marks)), probeSsl(site.url)]);
    await this.#lanes.run(() => this.store(site, stats, { complete: true, ssl, marks }));
  }

  /**
   * Stores a report. `complete` marks a sync that went through: it sets the time of the last one and clears its error; the
   * report inside an action's answer does neither.
   */
  async store(
    site: { id: number; urlKey: string },
    stats: ChildStats,
    { complete, ssl = null, marks }: { complete: boolean; ssl?: Awaited<ReturnType<SslProbe>>; marks?: SyncMarks },
  ): Promise<void> {
    const { knex, clock, log } = this.#parts;
    const now = clock.now();
    const outdated = isOlder(stats.childVersion, OLDEST_CHILD_VERSION);
    const fresh = this.#read(stats);
    const state: SiteStatePatch = {
      ...(complete && !outdated
        ? { last_sync_at: now, sync_error_code: null, sync_error_message: null, sync_error_at: null }
        : {}),
      ...(ssl ? { ssl_valid: Number(ssl.valid), ssl_expires_at: ssl.expiresAt, ssl_checked_at: now } : {}),
    };
    // Marks from before the call do for this: what they call unchanged was so then, and a newer report is not undone.
    const { hashes } = marks ?? (await this.#marks(site.id));
    const differs = fresh.some(({ section, hash }) => hashes[section.name] !== hash);
    if (!differs && !stats.logs?.length) await new SiteRepository(knex, now).patchState(site.id, state);
    else
      await inTransaction(knex, async ({ trx }) => {
        const repository = new SiteRepository(trx, now);
        // Two reports of one site may be stored at once; each compares with, and writes over, what the other has committed.
        const known = (await repository.lockSyncMarks(site.id)).hashes;
        const changed = fresh.filter(({ section, hash }) => known[section.name] !== hash);
        const patch = { ...state, ...(await log.store(trx, site.id, stats)) };
        for (const { section, value, hash } of changed) {
          Object.assign(patch, await section.write(trx, site, value));
          known[section.name] = hash;
        }
        await repository.patchState(site.id, { ...patch, section_hashes: JSON.stringify(known) });
        const subjects = new Set<RevisionSubject>(changed.flatMap(({ section }) => section.subjects));
        if (subjects.size > 0) await bumpRevision(trx, ...subjects);
      });
    refuseIfOutdated(stats.childVersion);
  }

  /** What the report holds for each section that it has a part for. */
  #read(stats: ChildStats): Fresh[] {
    return this.#parts.sections.flatMap((section) => {
      const value = section.read(stats);
      return value === undefined ? [] : [{ section, value, hash: hashOf(value) }];
    });
  }

  /** What the child is asked for: what is new since the last report that was stored. */
  async request(siteId: number): Promise<SyncRequest> {
    return this.#requestFor(await this.#marks(siteId));
  }

  #marks(siteId: number): Promise<SyncMarks> {
    const { knex, clock } = this.#parts;
    return new SiteRepository(knex, clock.now()).syncMarks(siteId);
  }

  #requestFor({ actionsCursor, changesCursor }: SyncMarks): SyncRequest {
    return {
      abandonedAfterDays: this.#parts.abandonedAfterDays(),
      actionsSince: actionsCursor,
      changesSince: changesCursor,
      changesLimit: CHANGES_A_SYNC,
    };
  }
}
