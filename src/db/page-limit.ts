import type { Knex } from 'knex';
import { offsetOf, type PageRequest } from '../shared/paging.ts';
import { FEW_ROWS, longRead } from './long-read.ts';

/** Limits a query to the rows of a page. The database reads all rows before them. */
export function limitToPage(query: Knex.QueryBuilder, request: PageRequest): void {
  void longRead(query, offsetOf(request) > FEW_ROWS)
    .offset(offsetOf(request))
    .limit(request.perPage);
}
