import type { Knex } from 'knex';
import { chunks } from '../../db/chunks.ts';
import { deleteOldest } from '../../db/delete-oldest.ts';
import { toJson } from '../../db/json.ts';
import { digestOf } from '../../shared/digest.ts';
import { FeedGenerationRepository, type FeedGeneration } from './feed-generation-repository.ts';
import { feedKey, type Feed, type FeedKind } from './feeds/feed.ts';
import { severityRankOf, type FeedRecord, type CopyrightNotice } from './vulnerability.ts';

/** Times are milliseconds since 1970. */
export interface StoredFeed extends Feed, FeedGeneration {
  /** Identifies the version of the feed that was read last; empty if none was read. */
  mark: string;
  records: number;
  skipped: number;
  /** Time of the last attempt, also a failed one; `readAt` is the time of the last complete read. */
  checkedAt: number | null;
  readAt: number | null;
  error: string | null;
  errorAt: number | null;
}

interface FeedRow {
  id: number;
  generation: number;
  kind: FeedKind;
  location: string;
  mark: string;
  records: number;
  skipped: number;
  checked_at: number | null;
  read_at: number | null;
  error: string | null;
  error_at: number | null;
}

const FEED_COLUMNS = [
  ...['id', 'generation', 'kind', 'location', 'mark', 'records', 'skipped'],
  ...['checked_at', 'read_at', 'error', 'error_at'],
] as const;

const toFeed = (row: FeedRow): StoredFeed => ({
  id: row.id,
  generation: row.generation,
  kind: row.kind,
  location: row.location,
  mark: row.mark,
  records: row.records,
  skipped: row.skipped,
  checkedAt: row.checked_at,
  readAt: row.read_at,
  error: row.error,
  errorAt: row.error_at,
});

export interface ChangedRecord {
  hash: string;
  record: FeedRecord;
}

export interface KnownRecord {
  id: number;
  /** Empty if the record was withdrawn. */
  hash: string;
}

/** Number of rows per statement. It is low, because the rows contain whole descriptions. */
const WIDE_ROWS = 50;
const PAGE = 5000;

export class FeedRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async list(): Promise<StoredFeed[]> {
    const rows = await this.#db('vulnerability_feeds')
      .orderBy('id')
      .select<FeedRow[]>(...FEED_COLUMNS);
    return rows.map(toFeed);
  }

  async byKey(key: string): Promise<StoredFeed | null> {
    const row = await this.#db('vulnerability_feeds')
      .where({ feed_key: key })
      .first<FeedRow | undefined>(...FEED_COLUMNS);
    return row ? toFeed(row) : null;
  }

  async ensure({ kind, location }: Feed): Promise<void> {
    const feed_key = feedKey({ kind, location });
    await this.#db('vulnerability_feeds').insert({ kind, location, feed_key }).onConflict('feed_key').ignore();
  }

  async patch(id: number, patch: Partial<Omit<StoredFeed, 'id' | 'generation' | 'kind' | 'location'>>): Promise<void> {
    const { checkedAt, readAt, errorAt, ...same } = patch;
    await this.#db('vulnerability_feeds')
      .where({ id })
      .update({
        ...same,
        ...(checkedAt !== undefined && { checked_at: checkedAt }),
        ...(readAt !== undefined && { read_at: readAt }),
        ...(errorAt !== undefined && { error_at: errorAt }),
      });
  }

  async known(feedId: number): Promise<Map<string, KnownRecord>> {
    const known = new Map<string, KnownRecord>();
    for (let after = 0; ;) {
      const rows = await this.#db('vulnerabilities')
        .where({ feed_id: feedId })
        .where('id', '>', after)
        .orderBy('id')
        .limit(PAGE)
        .select<{ id: number; external_id: string; hash: string }[]>('id', 'external_id', 'hash');
      for (const { id, external_id, hash } of rows) known.set(external_id, { id, hash });
      const last = rows.at(-1);
      if (!last || rows.length < PAGE) return known;
      after = last.id;
    }
  }

  /** Stores changed records. Their vulnerable versions come into force with the next generation of the feed. */
  async put(feed: FeedGeneration, changed: readonly ChangedRecord[]): Promise<void> {
    await new FeedGenerationRepository(this.#db, feed).lock();
    for (const some of chunks(changed, WIDE_ROWS)) await this.#putSome(feed, some);
  }

  async #putSome(feed: FeedGeneration, changed: readonly ChangedRecord[]): Promise<void> {
    const feedId = feed.id;
    const noticeIds = await this.#noticeIds(changed.flatMap(({ record }) => record.notices));
    const rows = changed.map(({ hash, record }) => ({
      feed_id: feedId,
      external_id: record.externalId,
      title: record.title,
      description: record.description,
      severity: severityRankOf(record.severity),
      cvss: record.cvssScore === null ? null : Math.round(record.cvssScore * 10),
      cvss_vector: record.cvssVector,
      cve: record.cve,
      published_at: record.publishedAt,
      modified_at: record.modifiedAt,
      details: toJson({
        references: record.references,
        notices: record.notices.map((notice) => noticeIds.get(noticeDigestOf(notice))),
      }),
      hash,
      withdrawn_at: null,
    }));
    await this.#db('vulnerabilities').insert(rows).onConflict(['feed_id', 'external_id']).merge();
    const stored = await this.#db('vulnerabilities')
      .where({ feed_id: feedId })
      .whereIn(
        'external_id',
        rows.map(({ external_id }) => external_id),
      )
      .select<{ id: number; external_id: string }[]>('id', 'external_id');
    const ids = new Map(stored.map(({ id, external_id }) => [external_id, id]));
    const generations = new FeedGenerationRepository(this.#db, feed);
    await generations.end([...ids.values()]);
    const versions = changed.flatMap(({ record: { externalId, affected } }) =>
      affected.map(({ type, slug, name, ranges, patched }) => ({
        vulnerability_id: ids.get(externalId),
        type,
        slug,
        name,
        ranges: toJson(ranges),
        patched: toJson(patched),
      })),
    );
    await generations.add(versions);
  }

  /** Marks records that the feed does not contain anymore. They are kept because past exposures refer to them. */
  async withdraw(ids: readonly number[], now: number): Promise<void> {
    for (const some of chunks(ids))
      await this.#db('vulnerabilities').whereIn('id', some).update({ withdrawn_at: now, hash: '' });
  }

  async markDue(items: readonly { type: string; slug: string }[]): Promise<void> {
    const distinct = [...new Map(items.map(({ type, slug }) => [`${type} ${slug}`, { type, slug }])).values()];
    for (const some of chunks(distinct)) await this.#db('vulnerability_matches_due').insert(some);
  }

  pruneWithdrawn(before: number, most: number): Promise<number> {
    const exposures = this.#db('exposures')
      .select(this.#db.raw('1'))
      .whereRaw('exposures.vulnerability_id = vulnerabilities.id');
    return deleteOldest(this.#db, {
      ...{ table: 'vulnerabilities', column: 'withdrawn_at', before, most },
      where: (rows) => rows.whereNotExists(exposures),
    });
  }

  /** Stores each notice once, because thousands of records share the same notices. */
  async #noticeIds(notices: readonly CopyrightNotice[]): Promise<Map<string, number>> {
    const byKey = new Map(notices.map((notice) => [noticeDigestOf(notice), notice]));
    const keys = [...byKey.keys()];
    if (keys.length === 0) return new Map();
    const find = async (): Promise<Map<string, number>> => {
      const rows = await this.#db('vulnerability_notices')
        .whereIn('notice_key', keys)
        .select<{ id: number; notice_key: string }[]>('id', 'notice_key');
      return new Map(rows.map(({ id, notice_key }) => [notice_key, id]));
    };
    const idsByKey = await find();
    const missing = [...byKey].filter(([key]) => !idsByKey.has(key));
    if (missing.length === 0) return idsByKey;
    await this.#db('vulnerability_notices')
      .insert(missing.map(([notice_key, notice]) => ({ notice_key, body: toJson(notice) })))
      .onConflict('notice_key')
      .ignore();
    return find();
  }
}

const noticeDigestOf = (notice: CopyrightNotice): string => digestOf(toJson(notice));
