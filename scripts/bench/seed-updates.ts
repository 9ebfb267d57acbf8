import { createBaseServices } from '../../src/platform/base-services.ts';
import { readConfig } from '../../src/platform/config.ts';

const UPDATES_PER_SITE = 10;
const SITES_PER_STATEMENT = 10;

/** Inserts ten updates for each of the seeded sites: seven plugins, two themes and WordPress. */
export async function seedUpdates(env: Record<string, string>, sites: number): Promise<void> {
  const core = await createBaseServices(readConfig({ ...env, LOG_LEVEL: 'silent' }));
  const { knex } = core.database;
  for (let start = 0; start < sites; start += SITES_PER_STATEMENT) {
    const rows = Array.from({ length: SITES_PER_STATEMENT * UPDATES_PER_SITE }, (_, offset) => {
      const site = start + Math.floor(offset / UPDATES_PER_SITE);
      const item = offset % UPDATES_PER_SITE;
      const type = item < 7 ? 'plugin' : item < 9 ? 'theme' : 'core';
      return {
        site_id: site + 1,
        type,
        slug: type === 'core' ? 'wordpress' : `item-${(site * 7 + item) % 500}-${item}`,
        name: `Item ${item}`,
        current_version: '1.0',
        new_version: '1.1',
        site_key: `site-${String(site).padStart(6, '0')}.bench.example`,
        ignored: 0,
      };
    });
    await knex('site_updates').insert(rows);
    // SQLite releases native statement handles only between turns of the event loop.
    await new Promise(setImmediate);
  }
  await knex('revisions').where({ name: 'updates' }).increment('value', 1);
  await core.close();
}
