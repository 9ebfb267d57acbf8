import type { Knex } from 'knex';
import { FEW_ROWS, longRead } from '../../db/long-read.ts';
import { CHANGE_COLUMNS, type ListedRow } from './logged-change.ts';

export interface ChangeCursor {
  at: number;
  id: number;
}

export interface NewestChangesQuery {
  siteId: number;
  group: number;
  types: readonly string[];
}

export interface NewestChangesWindow {
  from: number;
  until: number;
  limit: number;
  sinceAdded?: boolean;
  after?: ChangeCursor;
}

type NewestRow = ListedRow & { part_group: number };
type Bound = string | number;
interface Statement {
  sql: string;
  bindings: Bound[];
}

/**
 * Reads each type separately from the end of its range in the index (site, type, time), up to the limit. So neither a
 * rare type nor a long log makes the statement slower.
 */
export async function readNewestChanges(
  knex: Knex,
  parts: readonly NewestChangesQuery[],
  window: NewestChangesWindow,
): Promise<NewestRow[]> {
  const all = unionAll(
    parts.map((part) => {
      const { sql, bindings } = statementOfQuery(part, window);
      return { sql: `select ${part.group} as part_group, id from (${sql}) as newest`, bindings };
    }),
  );
  const listed = CHANGE_COLUMNS.map((column) => `changes.${column}`);
  const picked = knex.from(knex.raw(`(${all.sql}) as picked`, all.bindings));
  const types = parts.reduce((sum, part) => sum + part.types.length, 0);
  return longRead(picked, types * window.limit > FEW_ROWS)
    .join('changes', 'changes.id', 'picked.id')
    .select<NewestRow[]>('part_group', ...listed);
}

function statementOfQuery({ siteId, types }: NewestChangesQuery, window: NewestChangesWindow): Statement {
  const all = unionAll([...new Set(types)].map((type) => statementOfType(siteId, type, window)));
  return {
    sql: `select at, id from (${all.sql}) as types_of_part order by at desc, id desc limit ${window.limit}`,
    bindings: all.bindings,
  };
}

function statementOfType(
  siteId: number,
  type: string,
  { from, until, limit, after, sinceAdded = false }: NewestChangesWindow,
): Statement {
  const behind = after ? ' and at <= ? and (at < ? or id < ?)' : '';
  const added = sinceAdded ? ' and at >= (select created_at from sites where sites.id = ?)' : '';
  const where = `site_id = ? and type = ? and at >= ? and at < ?${added}${behind}`;
  return {
    sql: `select at, id from changes where ${where} order by at desc, id desc limit ${limit}`,
    bindings: [
      siteId,
      type,
      from,
      until,
      ...(sinceAdded ? [siteId] : []),
      ...(after ? [after.at, after.at, after.id] : []),
    ],
  };
}

/** Joins statements with `union all`. A part with its own order must be a subquery to be accepted by both databases. */
const unionAll = (parts: readonly Statement[]): Statement => ({
  sql: parts.map(({ sql }) => `select * from (${sql}) as part`).join(' union all '),
  bindings: parts.flatMap(({ bindings }) => bindings),
});
