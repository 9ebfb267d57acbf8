import type { Knex } from 'knex';
import { StartupError } from '../shared/startup-error.ts';
import type { Database } from './database.ts';
import { inLockedTransaction } from './locked-transaction.ts';
import type { Sealing } from './sealing.ts';

const NAME = 'sealing_key';
const PLACE = 'self_checks.value:sealing_key';
const KNOWN_TEXT = 'sitefleet';

/**
 * True if the database depends on the sealing key: it contains encrypted values, or credentials, whose hashes are
 * keyed.
 */
export async function dependsOnSealingKey(knex: Knex): Promise<boolean> {
  for (const table of ['self_checks', 'users', 'site_secrets'])
    if ((await knex.schema.hasTable(table)) && (await knex(table).first(knex.raw('1')))) return true;
  return false;
}

/**
 * Throws `StartupError` unless the key is the one that encrypted the database. At the first start, a known text is
 * encrypted and stored for later checks.
 */
export async function checkSealingKey(database: Database, sealing: Sealing): Promise<void> {
  const known = await readEncryptedKnownText(database.knex);
  if (known !== null) return refuseOtherSealingKey(sealing, known, PLACE);
  await inLockedTransaction(database, NAME, async ({ trx }) => {
    const meanwhile = await readEncryptedKnownText(trx);
    if (meanwhile !== null) return refuseOtherSealingKey(sealing, meanwhile, PLACE);
    // A database from a release before this check has no known text. The key must then decrypt an existing secret.
    const secret = await trx('site_secrets')
      .whereNotNull('private_key')
      .first<{ site_id: number; private_key: string } | undefined>('site_id', 'private_key');
    if (secret) refuseOtherSealingKey(sealing, secret.private_key, `site_secrets.private_key:${secret.site_id}`);
    await trx('self_checks').insert({ name: NAME, value: sealing.seal(KNOWN_TEXT, PLACE) });
  });
}

async function readEncryptedKnownText(knex: Knex): Promise<string | null> {
  const row = await knex('self_checks').where({ name: NAME }).first<{ value: string } | undefined>('value');
  return row?.value ?? null;
}

function refuseOtherSealingKey(sealing: Sealing, sealed: string, place: string): void {
  try {
    sealing.open(sealed, place);
  } catch {
    throw new StartupError(
      'The sealing key does not match this database. Set SITEFLEET_SECRET_KEY to the key of the database, ' +
        'or restore the file secret.key from the original data directory.',
    );
  }
}
