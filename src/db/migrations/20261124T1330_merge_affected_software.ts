import type { Knex } from 'knex';
import type { Migration } from './columns.ts';

const SOFTWARE = ['vulnerability_id', 'type', 'slug', 'born_in'] as const;
const SOFTWARE_INDEX = 'vulnerable_versions_software';
const RECORD_INDEX = 'vulnerable_versions_record';
const OPEN = ['site_id', 'vulnerability_id', 'type', 'item', 'lasting'] as const;
const OPEN_INDEX = 'exposures_open';
const OLD_OPEN = ['site_id', 'vulnerability_id', 'item', 'lasting'] as const;
const OLD_OPEN_INDEX = 'exposures_lasting';
const A_TIME = 500;

/**
 * Makes the software of a vulnerability record unique. A record that named the same software twice had two rows, and
 * each exposed site then had the same exposure twice, which the unique key of exposures rejected. That key gets the
 * type of the software, so that a plugin and a theme may have the same name.
 */
export const mergeAffectedSoftware: Migration = {
  name: '20261124T1330_merge_affected_software',
  async up(knex) {
    while (await mergeDuplicatedSoftware(knex));
    await knex.schema.alterTable('vulnerable_versions', (table) => {
      table.unique([...SOFTWARE], { indexName: SOFTWARE_INDEX });
    });
    // The new unique key begins with the column of this index, so the index is not needed any more.
    await knex.schema.alterTable('vulnerable_versions', (table) => void table.dropIndex([], RECORD_INDEX));
    await knex.schema.alterTable('exposures', (table) => void table.unique([...OPEN], { indexName: OPEN_INDEX }));
    await knex.schema.alterTable('exposures', (table) => void table.dropUnique([...OLD_OPEN], OLD_OPEN_INDEX));
  },
  async down(knex) {
    await deleteNamesakeExposures(knex);
    await knex.schema.alterTable('exposures', (table) => {
      table.unique([...OLD_OPEN], { indexName: OLD_OPEN_INDEX });
    });
    await knex.schema.alterTable('exposures', (table) => void table.dropUnique([...OPEN], OPEN_INDEX));
    await knex.schema.alterTable('vulnerable_versions', (table) => {
      table.index(['vulnerability_id'], RECORD_INDEX);
    });
    await knex.schema.alterTable(
      'vulnerable_versions',
      (table) => void table.dropUnique([...SOFTWARE], SOFTWARE_INDEX),
    );
  },
};

interface Group {
  vulnerability_id: number;
  type: string;
  slug: string;
  born_in: number;
}

async function mergeDuplicatedSoftware(knex: Knex): Promise<boolean> {
  const groups = await knex('vulnerable_versions')
    .groupBy(...SOFTWARE)
    .havingRaw('count(*) > 1')
    .limit(A_TIME)
    .select<Group[]>(...SOFTWARE);
  for (const { vulnerability_id, type, slug, born_in } of groups) {
    const rows = await knex('vulnerable_versions')
      .where({ vulnerability_id, type, slug, born_in })
      .orderBy('id')
      .select<{ id: number; ranges: string; patched: string }[]>('id', 'ranges', 'patched');
    const [first, ...others] = rows;
    if (!first) continue;
    const ranges = JSON.stringify(rows.flatMap((row) => JSON.parse(row.ranges) as unknown[]));
    const patched = JSON.stringify([...new Set(rows.flatMap((row) => JSON.parse(row.patched) as string[]))]);
    await knex('vulnerable_versions').where({ id: first.id }).update({ ranges, patched });
    for (const { id } of others) await knex('vulnerable_versions').where({ id }).delete();
  }
  return groups.length > 0;
}

/** Deletes open exposures that differ from another one only in the type of the software. */
async function deleteNamesakeExposures(knex: Knex): Promise<void> {
  const ids = await knex('exposures as younger')
    .join('exposures as older', (on) => {
      for (const column of OLD_OPEN) on.on(`younger.${column}`, `older.${column}`);
      on.on('older.id', '<', 'younger.id');
    })
    .where('younger.lasting', 1)
    .distinct()
    .pluck<number[]>('younger.id');
  for (let start = 0; start < ids.length; start += A_TIME)
    await knex('exposures')
      .whereIn('id', ids.slice(start, start + A_TIME))
      .delete();
}
