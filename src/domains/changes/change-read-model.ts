import type { Knex } from 'knex';
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
}

export interface ChangeFilter {
  /** Exactly this `<context>.<action>`. */
  type?: string;
  source?: ChangeSource;
}

const COLUMNS = ['id', 'site_id', 'source', 'type', 'description', 'actor', 'at'] as const;
type ListedRow = Pick<ChangeRow, (typeof COLUMNS)[number]>;

const toChange = (row: ListedRow): LoggedChange => ({
  id: Number(row.id),
  siteId: row.site_id,
  source: row.source,
  type: row.type,
  description: row.description,
  actor: row.actor,
  at: Number(row.at),
});

/** Reads the log of changes: what was done here and what the child itself reported, in one order. */
export class ChangeReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** Newest first, in two statements. */
  async ofSite(siteId: number, filter: ChangeFilter, request: PageRequest): Promise<Page<LoggedChange>> {
    const [rows, counted] = await Promise.all([
      this.#chosen(siteId, filter)
        .orderBy([
          { column: 'at', order: 'desc' },
          { column: 'id', order: 'desc' },
        ])
        .offset(offsetOf(request))
        .limit(request.perPage)
        .select<ListedRow[]>(...COLUMNS),
      this.#chosen(siteId, filter).count<{ n: number | string }[]>({ n: '*' }),
    ]);
    const total = Number(counted[0]?.n ?? 0);
    return { items: rows.map(toChange), page: request.page, perPage: request.perPage, total };
  }

  #chosen(siteId: number, { type, source }: ChangeFilter): Knex.QueryBuilder {
    const query = this.#knex('changes').where({ site_id: siteId });
    if (type !== undefined) void query.where({ type });
    if (source !== undefined) void query.where({ source });
    return query;
  }
}
