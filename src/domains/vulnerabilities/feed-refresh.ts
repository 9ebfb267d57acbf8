import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import { chunks } from '../../db/chunks.ts';
import { toJson } from '../../db/json.ts';
import type { Lease } from '../../db/lease.ts';
import { inTransaction } from '../../db/transaction.ts';
import { HOUR, type Clock } from '../../shared/clock.ts';
import { DatabaseUnavailableError, DomainError } from '../../shared/errors.ts';
import { nextEventLoopTurn } from '../../shared/event-loop.ts';
import { digestOf } from '../../shared/digest.ts';
import { truncate } from '../../shared/text.ts';
import { FeedGenerationRepository } from './feed-generation-repository.ts';
import { FeedRepository, type ChangedRecord, type StoredFeed, type KnownRecord } from './feed-repository.ts';
import { streamFeedRecords } from './feeds/record-stream.ts';
import { feedFault, FORMATS } from './feeds/feed.ts';
import type { FeedFetcher } from './feeds/feed-fetcher.ts';
import type { FeedRecord } from './vulnerability.ts';

export interface FeedRefreshDeps {
  knex: Knex;
  clock: Clock;
  fetcher: Pick<FeedFetcher, 'fetch'>;
}

export interface RefreshResult {
  changed: boolean;
  records: number;
  skipped: number;
  /** Number of new or changed records. `withdrawn` is the number of records that the feed does not contain anymore. */
  written: number;
  withdrawn: number;
}

/** Number of records after which other tasks of the event loop can run. */
const A_TURN = 100;
const RECORDS_PER_TRANSACTION = 50;
const VERSIONS_PER_ROLLBACK = 200;
const VERSIONS_PER_PRUNE = 500;
const MAX_RECORDS = 1_000_000;
const SCRATCH = 'sitefleet-feed-';
/** Age at which a scratch folder is deleted. No refresh takes that long, so a killed process has left the folder. */
const LEFT_BEHIND = 6 * HOUR;

interface FeedComparison {
  path: string;
  records: number;
  skipped: number;
  gone: number[];
}

/**
 * Imports a feed. The feed is read completely before anything is written, so an incomplete download changes nothing.
 * Changes are written in several transactions beside the generation in force. They are put in force when all are
 * written, and only then the feed counts as read. A process that dies before that leaves nothing visible, and the next
 * refresh starts again. Each transaction that writes locks `lease` first: a process that hung may write nothing after
 * its successor has started.
 */
export class FeedRefresh {
  readonly #deps: FeedRefreshDeps;

  constructor(deps: FeedRefreshDeps) {
    this.#deps = deps;
  }

  async refresh(feed: StoredFeed, lease: Lease, signal: AbortSignal): Promise<RefreshResult> {
    const { clock, fetcher: fetching } = this.#deps;
    await removeStaleFolders(clock.now() - LEFT_BEHIND);
    const scratch = await mkdtemp(join(tmpdir(), SCRATCH));
    try {
      const fetched = await fetching.fetch(feed, feed.mark, scratch, signal);
      if (!fetched) {
        await this.#feeds().patch(feed.id, { checkedAt: clock.now(), error: null, errorAt: null });
        return { changed: false, records: feed.records, skipped: feed.skipped, written: 0, withdrawn: 0 };
      }
      await this.#rollBack(feed, lease);
      const { gone, ...comparison } = await this.#compare(feed, fetched.files, scratch, signal);
      const written = await this.#write(feed, comparison.path, lease, signal);
      await this.#activate(feed, gone, lease);
      const { records, skipped } = comparison;
      const now = clock.now();
      const { mark } = fetched;
      await this.#patch(feed, lease, {
        ...{ mark, records, skipped, checkedAt: now, readAt: now, error: null, errorAt: null },
      });
      return { changed: true, records, skipped, written, withdrawn: gone.length };
    } catch (error) {
      if (error instanceof DomainError && !(error instanceof DatabaseUnavailableError) && !signal.aborted)
        await this.#recordFailure(feed, lease, error.message);
      throw error;
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }

  /** Withdraws all records of a feed that was removed from the settings. */
  async empty(feed: StoredFeed, lease: Lease): Promise<RefreshResult> {
    await this.#rollBack(feed, lease);
    const known = await this.#feeds().known(feed.id);
    const gone = [...known.values()].flatMap(({ id, hash }) => (hash === '' ? [] : [id]));
    await this.#activate(feed, gone, lease);
    await this.#patch(feed, lease, { mark: '', records: 0, skipped: 0, error: null, errorAt: null });
    return { changed: gone.length > 0, records: 0, skipped: 0, written: 0, withdrawn: gone.length };
  }

  async #compare(
    feed: StoredFeed,
    files: readonly string[],
    scratch: string,
    signal: AbortSignal,
  ): Promise<FeedComparison> {
    const known = await this.#feeds().known(feed.id);
    const { read, mayBeEmpty } = FORMATS[feed.kind];
    const seen = new Set<string>();
    let unread = 0;
    let looked = 0;
    async function* changedLines(): AsyncGenerator<string> {
      for await (const { key, value } of streamFeedRecords(files, feed.kind, signal)) {
        if (++looked % A_TURN === 0) await nextEventLoopTurn();
        if (looked > MAX_RECORDS) throw feedFault(`The feed has more than ${MAX_RECORDS} records.`);
        const record = read(key, value);
        if (record === null) unread++;
        if (record === null || record === 'other' || seen.has(record.externalId)) continue;
        seen.add(record.externalId);
        const hash = hashOf(record);
        if (known.get(record.externalId)?.hash !== hash) yield `${toJson({ hash, record })}\n`;
      }
    }
    const changed = join(scratch, 'changed.ndjson');
    await pipeline(Readable.from(changedLines()), createWriteStream(changed));
    if (unread * 2 > looked) throw feedFault(`${unread} of ${looked} records of the feed do not have its format.`);
    if (looked === 0 && !mayBeEmpty) throw feedFault('The feed contains no records.');
    return { path: changed, records: seen.size, skipped: unread, gone: idsOfWithdrawnRecords(known, seen) };
  }

  async #write(feed: StoredFeed, path: string, lease: Lease, signal: AbortSignal): Promise<number> {
    let written = 0;
    let batch: ChangedRecord[] = [];
    const flush = async (): Promise<void> => {
      signal.throwIfAborted();
      const some = batch;
      batch = [];
      await this.#whileLeased(lease, (trx) => new FeedRepository(trx).put(feed, some));
      written += some.length;
    };
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
      batch.push(JSON.parse(line) as ChangedRecord);
      if (batch.length === RECORDS_PER_TRANSACTION) await flush();
    }
    if (batch.length > 0) await flush();
    return written;
  }

  #whileLeased<T>(lease: Lease, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    return inTransaction(this.#deps.knex, async ({ trx }) => {
      await lease.lock(trx);
      return work(trx);
    });
  }

  #withLockedFeed<T>(feed: StoredFeed, lease: Lease, work: (next: FeedGenerationRepository) => Promise<T>): Promise<T> {
    return this.#whileLeased(lease, async (trx) => {
      const next = new FeedGenerationRepository(trx, feed);
      await next.lock();
      return work(next);
    });
  }

  async #rollBack(feed: StoredFeed, lease: Lease): Promise<void> {
    while (await this.#withLockedFeed(feed, lease, (next) => next.rollBack(VERSIONS_PER_ROLLBACK)));
  }

  async #activate(feed: StoredFeed, gone: readonly number[], lease: Lease): Promise<void> {
    const { clock } = this.#deps;
    for (const some of chunks(gone)) await this.#withLockedFeed(feed, lease, (next) => next.end(some));
    await this.#withLockedFeed(feed, lease, (next) => next.activate());
    for (const some of chunks(gone))
      await this.#whileLeased(lease, (trx) => new FeedRepository(trx).withdraw(some, clock.now()));
    const old = { id: feed.id, generation: feed.generation + 1 };
    const forget = () =>
      this.#whileLeased(lease, (trx) => new FeedGenerationRepository(trx, old).pruneInactive(VERSIONS_PER_PRUNE));
    while ((await forget()) === VERSIONS_PER_PRUNE);
  }

  #recordFailure(feed: StoredFeed, lease: Lease, message: string): Promise<void> {
    const now = this.#deps.clock.now();
    return this.#patch(feed, lease, { checkedAt: now, error: truncate(message, 500), errorAt: now });
  }

  #patch({ id }: StoredFeed, lease: Lease, patch: Parameters<FeedRepository['patch']>[1]): Promise<void> {
    return this.#whileLeased(lease, (trx) => new FeedRepository(trx).patch(id, patch));
  }

  #feeds(): FeedRepository {
    return new FeedRepository(this.#deps.knex);
  }
}

async function removeStaleFolders(before: number): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const path = join(tmpdir(), name);
    const entry = name.startsWith(SCRATCH) ? await stat(path).catch(() => null) : null;
    if (entry && entry.mtimeMs < before) await rm(path, { recursive: true, force: true });
  }
}

const hashOf = (record: FeedRecord): string => digestOf(toJson(record));

const idsOfWithdrawnRecords = (known: ReadonlyMap<string, KnownRecord>, seen: ReadonlySet<string>): number[] =>
  [...known].flatMap(([externalId, { id, hash }]) => (hash !== '' && !seen.has(externalId) ? [id] : []));
