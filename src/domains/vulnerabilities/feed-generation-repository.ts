import type { Knex } from 'knex';
import { chunks, IDS_A_STATEMENT } from '../../db/chunks.ts';
import { deleteOldest } from '../../db/delete-oldest.ts';
import { lockForUpdate } from '../../db/dialect.ts';
import { feedFault } from './feeds/feed.ts';

/** `generation` is the number of the generation in force, which comparisons use. */
export interface FeedGeneration {
  id: number;
  generation: number;
}

interface SoftwareTypeAndSlug {
  type: string;
  slug: string;
}

/**
 * Stored as the hash of a record that must be compared again. No real hash equals it. An empty hash would mean that the
 * record was withdrawn.
 */
const UNSURE = '?';

/** Condition for the versions in force. Needs `vulnerable_versions` joined with `vulnerability_feeds`. */
export const ACTIVE_VERSIONS_SQL = `vulnerable_versions.born_in <= vulnerability_feeds.generation
  and (vulnerable_versions.gone_in is null or vulnerable_versions.gone_in > vulnerability_feeds.generation)`;

export const limitToActiveVersions = (query: Knex.QueryBuilder): Knex.QueryBuilder =>
  query.join('vulnerability_feeds', 'vulnerability_feeds.id', 'vulnerabilities.feed_id').whereRaw(ACTIVE_VERSIONS_SQL);

/**
 * Stores which versions of which software are vulnerable according to a feed. A new generation is written in several
 * transactions beside the one in force. When it is complete, a single statement puts it in force. So no comparison ever
 * sees an incomplete generation, even if the process dies.
 */
export class FeedGenerationRepository {
  readonly #db: Knex;
  readonly #feed: FeedGeneration;

  constructor(db: Knex, feed: FeedGeneration) {
    this.#db = db;
    this.#feed = feed;
  }

  /**
   * Locks the feed until the transaction ends. Throws `svc_feed_failed` if another process has put the next generation
   * in force.
   */
  async lock(): Promise<void> {
    const { id, generation } = this.#feed;
    const feed = this.#db('vulnerability_feeds').where({ id, generation }).first<{ id: number } | undefined>('id');
    if (!(await lockForUpdate(this.#db, feed))) throw feedFault('Another process has read the feed in the meantime.');
  }

  async end(vulnerabilityIds: readonly number[]): Promise<void> {
    for (const some of chunks(vulnerabilityIds, IDS_A_STATEMENT)) {
      const lasting = this.#db('vulnerable_versions').whereIn('vulnerability_id', some).whereNull('gone_in');
      await this.#markDue(await lasting.clone().select<SoftwareTypeAndSlug[]>('type', 'slug'));
      await lasting.update({ gone_in: this.#feed.generation + 1 });
    }
  }

  /**
   * Adds versions to the new generation. If it already has such a row, for example from another process, replaces the
   * row.
   */
  async add(versions: readonly (SoftwareTypeAndSlug & Record<string, unknown>)[]): Promise<void> {
    const born_in = this.#feed.generation + 1;
    for (const some of chunks(versions))
      await this.#db('vulnerable_versions')
        .insert(some.map((version) => ({ ...version, born_in, gone_in: null })))
        .onConflict(['vulnerability_id', 'type', 'slug', 'born_in'])
        .merge();
    await this.#markDue(versions);
  }

  /**
   * Reverts a part of an incomplete generation that a dead process has left. Returns false if nothing is left. The
   * hashes of the affected records are invalidated, so that they are compared again. The mark of the feed is cleared:
   * with it, a feed that is the one of the last complete read would count as unchanged, and would not be compared.
   */
  async rollBack(most: number): Promise<boolean> {
    const { id, generation } = this.#feed;
    const left = await this.#db('vulnerable_versions')
      .join('vulnerabilities', 'vulnerabilities.id', 'vulnerable_versions.vulnerability_id')
      .where('vulnerabilities.feed_id', id)
      .where((either) => void either.where('born_in', '>', generation).orWhere('gone_in', '>', generation))
      .limit(most)
      .select<{ id: number; vulnerability_id: number; born_in: number }[]>(
        'vulnerable_versions.id',
        'vulnerable_versions.vulnerability_id',
        'vulnerable_versions.born_in',
      );
    if (left.length === 0) return false;
    const records = [...new Set(left.map((each) => each.vulnerability_id))];
    await this.#db('vulnerabilities').whereIn('id', records).update({ hash: UNSURE });
    await this.#db('vulnerability_feeds').where({ id }).update({ mark: '' });
    const isNew = (each: { born_in: number }): boolean => each.born_in > generation;
    const idsOf = (those: typeof left): number[] => those.map((each) => each.id);
    await this.#db('vulnerable_versions')
      .whereIn('id', idsOf(left.filter(isNew)))
      .delete();
    const old = left.filter((each) => !isNew(each));
    await this.#db('vulnerable_versions').whereIn('id', idsOf(old)).update({ gone_in: null });
    return true;
  }

  async activate(): Promise<void> {
    const { id, generation } = this.#feed;
    await this.#db('vulnerability_feeds')
      .where({ id })
      .update({ generation: generation + 1 });
  }

  pruneInactive(most: number): Promise<number> {
    const { id, generation } = this.#feed;
    const ofFeed = this.#db('vulnerabilities')
      .select(this.#db.raw('1'))
      .whereRaw('vulnerabilities.id = vulnerable_versions.vulnerability_id')
      .where('vulnerabilities.feed_id', id);
    return deleteOldest(this.#db, {
      ...{ table: 'vulnerable_versions', column: 'gone_in', before: generation + 1, most },
      where: (rows) => rows.whereExists(ofFeed),
    });
  }

  async #markDue(items: readonly SoftwareTypeAndSlug[]): Promise<void> {
    const [feed_id, generation] = [this.#feed.id, this.#feed.generation + 1];
    const distinct = [...new Map(items.map(({ type, slug }) => [`${type} ${slug}`, { type, slug }])).values()];
    for (const some of chunks(distinct))
      await this.#db('vulnerability_matches_due')
        .insert(some.map((item) => ({ ...item, feed_id, generation })))
        .onConflict(['feed_id', 'generation', 'type', 'slug'])
        .ignore();
  }
}
