import type { Knex } from 'knex';
import { countOf } from '../../db/counting.ts';
import { offsetOf, type Page, type PageRequest } from '../../shared/paging.ts';
import type { ChangeSource } from './change-repository.ts';
import { COLUMNS, toChange, type ListedRow, type LoggedChange } from './logged-change.ts';

export interface ChangeFilter {
  /** Exactly this `<context>.<action>`. */
  type?: string;
  /** From one of these. */
  sources?: readonly ChangeSource[];
  /** What was changed: the first half of the type is one of these. */
  contexts?: readonly string[];
  /** What was done to it: the second half is one of these. */
  actions?: readonly string[];
}

/** By time, then by ID. */
export type ChangeOrder = 'asc' | 'desc';

/** Reads the log of changes: what was done here and what the child itself reported, in one order. */
export class ChangeReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** Newest first unless said otherwise, in two statements. */
  async ofSite(
    siteId: number,
    filter: ChangeFilter,
    request: PageRequest,
    order: ChangeOrder = 'desc',
  ): Promise<Page<LoggedChange>> {
    const [rows, total] = await Promise.all([
      this.#chosen(siteId, filter)
        .orderBy([
          { column: 'at', order },
          { column: 'id', order },
        ])
        .offset(offsetOf(request))
        .limit(request.perPage)
        .select<ListedRow[]>(...COLUMNS),
      countOf(this.#chosen(siteId, filter)),
    ]);
    return { items: rows.map(toChange), page: request.page, perPage: request.perPage, total };
  }

  #chosen(siteId: number, { type, sources, contexts, actions }: ChangeFilter): Knex.QueryBuilder {
    const query = this.#knex('changes').where({ site_id: siteId });
    if (type !== undefined) void query.where({ type });
    if (sources?.length) void query.whereIn('source', [...sources]);
    if (contexts?.length)
      void query.where(
        within(
          contexts.map((context) => `${context}.`),
          'first',
        ),
      );
    if (actions?.length)
      void query.where(
        within(
          actions.map((action) => `.${action}`),
          'last',
        ),
      );
    return query;
  }
}

/** Whether a type begins or ends with one of these; compared as they are, which LIKE does not do in either database. */
const within =
  (texts: readonly string[], end: 'first' | 'last') =>
  (either: Knex.QueryBuilder): void => {
    for (const text of texts) {
      const length = Array.from(text).length;
      if (end === 'first') void either.orWhereRaw('substr(type, 1, ?) = ?', [length, text]);
      else void either.orWhereRaw('substr(type, ?) = ?', [-length, text]);
    }
  };
