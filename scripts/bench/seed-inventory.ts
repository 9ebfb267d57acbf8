import { createBaseServices } from '../../src/platform/base-services.ts';
import { readConfig } from '../../src/platform/config.ts';
import { installedPluginsOf } from './feed.ts';

const SITES_PER_TRANSACTION = 20;
const ROWS_PER_STATEMENT = 100;

/** Inserts the inventory of the seeded sites, as a sync would. */
export async function seedInventory(env: Record<string, string>, sites: number): Promise<void> {
  const base = await createBaseServices(readConfig({ ...env, LOG_LEVEL: 'silent' }));
  const { knex } = base.database;
  const since = Date.now();
  for (let first = 1; first <= sites; first += SITES_PER_TRANSACTION) {
    const ids = Array.from(
      { length: Math.min(SITES_PER_TRANSACTION, sites - first + 1) },
      (_, offset) => first + offset,
    );
    const rows = ids.flatMap((site_id) => [
      { site_id, type: 'core', item: 'wordpress', slug: 'wordpress', name: 'WordPress', version: '6.8', since },
      ...installedPluginsOf(site_id).map(({ slug, version }) => ({
        ...{ site_id, type: 'plugin', item: `${slug}/${slug}.php`, slug, name: slug, version, since },
      })),
    ]);
    await knex.transaction(async (trx) => {
      for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT)
        await trx('installed_versions').insert(rows.slice(start, start + ROWS_PER_STATEMENT));
    });
    // SQLite releases native statement handles only between turns of the event loop.
    await new Promise(setImmediate);
  }
  await base.close();
}
