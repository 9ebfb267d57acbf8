import type { Knex } from 'knex';
import { longRead } from '../../db/long-read.ts';
import { countRows } from '../../db/count-rows.ts';
import {
  DELETION_EFFECTS,
  type DeletedKind,
  type DeletionCount,
  type DeletionEffects,
  type DeletionViewer,
} from '../../shared/deletion-effects.ts';
import { isLimited } from '../../shared/site-scope.ts';

export async function countDeletionEffects<Kind extends DeletedKind>(
  knex: Knex,
  viewer: DeletionViewer,
  counts: readonly DeletionCount[],
  kind: Kind,
  id: number,
): Promise<DeletionEffects<Kind>> {
  const effects = new Map<string, number>(DELETION_EFFECTS[kind].map((effect) => [effect, 0]));
  for (const { of, effect, table, column, where = {}, whereNot, whereVisible } of counts) {
    if (of !== kind) continue;
    const rows = knex(table).where({ ...where, [`${table}.${column}`]: id });
    if (whereNot) void rows.whereNot(whereNot);
    if (isLimited(viewer.sites)) whereVisible?.(knex, rows, viewer);
    effects.set(effect, (effects.get(effect) ?? 0) + (await countRows(longRead(rows))));
  }
  return Object.fromEntries(effects) as DeletionEffects<Kind>;
}
