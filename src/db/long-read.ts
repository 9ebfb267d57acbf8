import type { Knex } from 'knex';

/** Context of a query that `SqliteClient` runs in a thread. */
export interface LongReadContext {
  isLongRead?: boolean;
}

/**
 * Marks a read that can take longer than 10 ms, because it counts, sorts or groups rows of the whole fleet. On SQLite,
 * it runs in a separate thread, so that other calls do not wait for it. In a transaction and on other databases, the
 * mark has no effect.
 */
export const longRead = <Query extends Knex.QueryBuilder>(query: Query): Query =>
  query.queryContext({ isLongRead: true } satisfies LongReadContext) as Query;
