import type { Knex } from 'knex';
import type { Migration } from './columns.ts';

const A_TIME = 500;
/** Names of the hash of the section that stores installed software, and of the hash of the whole report. */
const HASHES = ['installed', '*'] as const;

/**
 * Makes the next sync of each site store its software again, and the next refresh of the feeds compare all software.
 * The reason is that versions are now compared in another way. Also, a second plugin file of a folder and a must-use
 * plugin are no longer taken for the plugin of that name.
 */
export const compareSoftwareAgain: Migration = {
  name: '20261124T1335_compare_software_again',
  async up(knex) {
    for (let last = 0; ;) {
      const rows = await knex('site_states')
        .where('site_id', '>', last)
        .orderBy('site_id')
        .limit(A_TIME)
        .select<{ site_id: number; section_hashes: string }[]>('site_id', 'section_hashes');
      for (const row of rows) await forgetSectionHashes(knex, row);
      if (rows.length < A_TIME) break;
      last = rows.at(-1)?.site_id ?? last;
    }
    await knex.raw(
      'insert into vulnerability_matches_due (type, slug) select distinct type, slug from vulnerable_versions',
    );
  },
  // The former release can also read software that was stored and compared again.
  down: () => Promise.resolve(),
};

async function forgetSectionHashes(
  knex: Knex,
  { site_id, section_hashes }: { site_id: number; section_hashes: string },
): Promise<void> {
  const hashes = JSON.parse(section_hashes) as Record<string, string>;
  if (!HASHES.some((name) => name in hashes)) return;
  for (const name of HASHES) delete hashes[name];
  await knex('site_states')
    .where({ site_id })
    .update({ section_hashes: JSON.stringify(hashes) });
}
