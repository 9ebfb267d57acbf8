import type { Knex } from 'knex';
import { lockForUpdate } from '../../db/dialect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { INSTALLED_SECTION } from './installed-software-section.ts';

const SITES_A_TIME = 500;
/** Hash of the whole report. An unchanged report is not taken apart. */
const WHOLE = '*';

/**
 * Makes the next sync store the software of sites whose rows are gone, for example after a restore of some tables. A
 * sync compares hashes only, so it would not notice.
 */
export async function forgetLostSoftware(knex: Knex): Promise<void> {
  for (let last: number | undefined = 0; last !== undefined;) last = await forgetLostSoftwareBatch(knex, last);
}

function forgetLostSoftwareBatch(knex: Knex, after: number): Promise<number | undefined> {
  return inTransaction(knex, async ({ trx }) => {
    const rows = await lockForUpdate(
      trx,
      trx('site_states')
        .where('site_states.site_id', '>', after)
        .where('section_hashes', 'like', `%"${INSTALLED_SECTION}"%`)
        .whereNotExists((software) => {
          void software
            .select(trx.raw('1'))
            .from('installed_versions')
            .where('installed_versions.site_id', trx.ref('site_states.site_id'));
        })
        .orderBy('site_id')
        .limit(SITES_A_TIME)
        .select<{ site_id: number; section_hashes: string }[]>('site_id', 'section_hashes'),
    );
    for (const { site_id, section_hashes } of rows) {
      const {
        [INSTALLED_SECTION]: _installed,
        [WHOLE]: _whole,
        ...hashes
      } = JSON.parse(section_hashes) as Record<string, string>;
      await trx('site_states')
        .where({ site_id })
        .update({ section_hashes: JSON.stringify(hashes) });
    }
    return rows.at(-1)?.site_id;
  });
}
