import type { Knex } from 'knex';

/** Context of a query that `SqliteClient` runs in a thread. */
export interface LongReadContext {
  isLongRead?: boolean;
}

/** Number of rows that a read may skip or count without being a long one. */
export const FEW_ROWS = 1_000;
/** Number of sites of which a read may return several rows each without being a long one. */
export const FEW_SITES = 50;

/**
 * Marks a read of which neither an index nor the request bounds the rows (see "Writing at scale" in
 * `docs/architecture.md`). On SQLite, it runs in a separate thread, so that other calls do not wait for it. In a
 * transaction and on other databases, the mark has no effect. Set `isLong` if this depends on the request.
 */
export const longRead = <Query extends Knex.QueryBuilder>(query: Query, isLong = true): Query =>
  isLong ? (query.queryContext({ isLongRead: true } satisfies LongReadContext) as Query) : query;
