import type { Knex } from 'knex';
import { countOf } from '../../db/counting.ts';
import type { ChangedValues } from '../../shared/changed-values.ts';
import { offsetOf, type Page, type PageRequest } from '../../shared/paging.ts';
import type { ChangeRow, ChangeSource } from './change-repository.ts';

/** One entry of the log; `at` is in milliseconds since 1970. Texts of a child are hostile. */
export interface LoggedChange {
  id: number;
  siteId: number | null;
  source: ChangeSource;
  type: string;
  description: string;
  actor: string;
  at: number;
  /** Name or title of what was changed, and what tells it from others of its kind on that site. */
  name: string | null;
  key: string | null;
  before: ChangedValues;
  after: ChangedValues;
}

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

const COLUMNS = [
  ...['id', 'site_id', 'source', 'type', 'description', 'actor', 'at'],
  ...['object_name', 'object_key', 'old_values', 'new_values'],
] as const;
type ListedRow = Pick<ChangeRow, (typeof COLUMNS)[number]>;

const toChange = (row: ListedRow): LoggedChange => ({
  id: Number(row.id),
  siteId: row.site_id,
  source: row.source,
  type: row.type,
  description: row.description,
  actor: row.actor,
  at: Number(row.at),
  name: row.object_name,
  key: row.object_key,
  before: valuesIn(row.old_values),
  after: valuesIn(row.new_values),
});

const valuesIn = (json: string | null): ChangedValues => (json === null ? {} : (JSON.parse(json) as ChangedValues));

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
