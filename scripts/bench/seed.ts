import { readConfig } from '../../src/platform/config.ts';
import { createBaseServices } from '../../src/platform/base-services.ts';
import { isShared } from '../../src/db/dialect.ts';
import { migrateUp } from '../../src/db/migrations/index.ts';
import { loadKeyPool, keyPairAt, DASHBOARD_URL } from './keys.ts';

const CHUNK = 50;

interface SeedOptions {
  /** False leaves out the tokens with which a child accepts a new key. */
  tokens?: boolean;
  /** False leaves out the keys, which take most of the time. Without them, only lists have the sites. */
  secrets?: boolean;
}

/** Inserts connected sites, as a registration would. Generates addresses if none are given. */
export async function seedSites(
  env: Record<string, string>,
  count: number,
  urls?: string[],
  { tokens = true, secrets = true }: SeedOptions = {},
): Promise<void> {
  const core = await createBaseServices(readConfig({ ...env, LOG_LEVEL: 'silent' }));
  const { knex } = core.database;
  await migrateUp(knex);
  const pool = loadKeyPool();
  const now = Date.now();
  for (let start = 0; start < count; start += CHUNK) {
    const indexes = Array.from({ length: Math.min(CHUNK, count - start) }, (_, offset) => start + offset);
    await knex.transaction(async (trx) => {
      await trx('sites').insert(
        indexes.map((index) => {
          const url = urls?.[index] ?? `https://site-${String(index).padStart(6, '0')}.bench.example/`;
          const key = url.replace(/^https?:\/\//, '').replace(/\/$/, '');
          const name = `Bench site ${index}`;
          return {
            id: index + 1,
            url,
            url_key: key,
            name,
            name_key: name.toLowerCase(),
            status: 'connected',
            client_id: null,
            created_at: now,
            updated_at: now,
          };
        }),
      );
      await trx('site_states').insert(
        indexes.map((index) => ({ site_id: index + 1, notes: '', admin_username: 'admin', section_hashes: '{}' })),
      );
      if (isShared(knex))
        await trx('site_call_leases').insert(
          indexes.map((index) => ({ site_id: index + 1, holder: 'registration', leased_until: 0 })),
        );
      if (secrets)
        await trx('site_secrets').insert(
          indexes.map((index) => {
            const pair = keyPairAt(pool, index);
            return {
              site_id: index + 1,
              server: DASHBOARD_URL,
              key_id: pair.keyId,
              private_key: core.sealing.seal(pair.privateKeyPem, `site_secrets.private_key:${index + 1}`),
              // A token that is never used. Without it, the first sync of each site would request one.
              regverify: tokens ? core.sealing.seal('bench', `site_secrets.regverify:${index + 1}`) : null,
            };
          }),
        );
    });
    // SQLite releases native statement handles only between turns of the event loop.
    await new Promise(setImmediate);
  }
  await knex('revisions').where({ name: 'sites' }).increment('value', 1);
  await core.close();
}
