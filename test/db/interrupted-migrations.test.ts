import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { isMysql } from '../../src/db/dialect.ts';
import { migrateDown, migrateUp, MIGRATIONS } from '../../src/db/migrations/index.ts';
import { migrateOnStart } from '../../src/service/migrate-on-start.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { openTestDatabase, withFreshDatabase } from '../support/database.ts';
import { withEmptyDatabase } from '../support/empty-database.ts';
import { tablesOf } from '../support/linked-rows.ts';

const silent = createLogger('silent');
const CHANGES = /^\s*(alter|create|drop|rename|insert|update|delete)\b/i;
const OF_THE_END = /^\s*(rollback|select release_lock|pragma|update .schema_migrations_lock)/i;

type Query = (connection: unknown, statement: string | { sql: string }) => Promise<unknown>;

class Killed extends Error {
  readonly fatal = true;
}

/** Calls `work` until it ends. Each call before is cut off at the next statement: before or after it, or once each. */
async function cutEverywhere(knex: Knex, work: () => Promise<unknown>, { onceEach }: { onceEach: boolean }) {
  const prototype = (knex.client as object).constructor.prototype as { query: Query };
  const original = Object.getOwnPropertyDescriptor(prototype, 'query');
  const { query } = prototype;
  const cutAt = new Set<string>();
  let isDead = false;
  const cut = (sql: string, isDone: boolean): void => {
    const place = onceEach ? `${sql} ${isDone}` : sql;
    if (cutAt.has(place) || (!onceEach && isDone !== (cutAt.size % 2 === 1))) return;
    cutAt.add(place);
    isDead = true;
    throw new Killed(place);
  };
  prototype.query = async function (connection, statement) {
    const sql = typeof statement === 'string' ? statement : statement.sql;
    if (OF_THE_END.test(sql)) return query.call(this, connection, statement);
    if (isDead) throw new Killed(sql);
    if (!CHANGES.test(sql)) return query.call(this, connection, statement);
    cut(sql, false);
    const outcome = await query.call(this, connection, statement);
    cut(sql, true);
    return outcome;
  };
  try {
    for (;;) {
      isDead = false;
      try {
        await work();
        return cutAt.size;
      } catch (error) {
        if (!isDead) throw error;
      }
    }
  } finally {
    if (original) Object.defineProperty(prototype, 'query', original);
    else delete (prototype as Partial<typeof prototype>).query;
  }
}

async function definitionsOf(knex: Knex): Promise<string[]> {
  if (!isMysql(knex)) {
    const made = knex('sqlite_master').whereNotNull('sql').whereNot('name', 'like', 'schema_migrations%');
    return made.orderBy('name').pluck<string[]>('sql');
  }
  const definitions: string[] = [];
  for (const table of await tablesOf(knex)) {
    const [[row]] = (await knex.raw('show create table ??', [table])) as [[Record<string, string>]];
    definitions.push((row['Create Table'] ?? '').replace(/ AUTO_INCREMENT=\d+/, ''));
  }
  return definitions;
}

describe('interrupted migrations', () => {
  it('when the process dies at any statement, then the next start completes the schema', async () => {
    const whole = await openTestDatabase();
    try {
      await withEmptyDatabase(1, async ([opened]) => {
        const { knex } = opened ?? assert.fail();
        const cuts = await cutEverywhere(knex, () => migrateUp(knex), { onceEach: false });
        assert.ok(cuts > MIGRATIONS.length * 3, `${cuts} cuts`);
        assert.deepEqual(
          await knex('schema_migrations').orderBy('id').pluck('name'),
          MIGRATIONS.map(({ name }) => name),
        );
        assert.deepEqual(await definitionsOf(knex), await definitionsOf(whole.database.knex));
      });
    } finally {
      await whole.close();
    }
  });

  it('when the process is asked to stop, then it completes the current migration and begins no further one', async () => {
    await withEmptyDatabase(1, async ([opened]) => {
      const { knex } = opened ?? assert.fail();
      const listening = process.listenerCount('SIGTERM');
      knex.on('query', ({ sql }: { sql: string }) => {
        if (/^create table .sites. /.test(sql)) process.emit('SIGTERM', 'SIGTERM');
      });
      assert.equal(await migrateOnStart(knex, silent), false);
      const names = MIGRATIONS.map(({ name }) => name);
      assert.deepEqual(await knex('schema_migrations').orderBy('id').pluck('name'), names.slice(0, 2));
      assert.equal(process.listenerCount('SIGTERM'), listening);
      assert.equal(await migrateOnStart(knex, silent), true);
      assert.deepEqual(await knex('schema_migrations').orderBy('id').pluck('name'), names);
    });
  });

  describe('with data', () => {
    let knex: Knex;
    withFreshDatabase(({ database }) => (knex = database.knex));

    it('when the process dies at any statement, then each row is converted once', async () => {
      while ((await migrateDown(knex))[0] !== '20261128T0810_keep_price_digits');
      const cost = { name: 'A', type: 'subscription', product_type: 'other', license_type: 'single_site', note: '' };
      const rest = { status: 'active', payment_method: 'cash', renewal_type: 'monthly', created_at: 1, updated_at: 1 };
      await knex('costs').insert({ ...cost, ...rest, price_minor: 2990 });
      for (const key of ['1', '2'])
        await knex('alerts').insert({
          ...{ type: 'cost_tracker_noti_email', site: 'null', raised_at: 1, alert_key: key },
          facts: JSON.stringify({ costId: 1, priceMinor: 2990 }),
        });
      await cutEverywhere(knex, () => migrateUp(knex), { onceEach: true });
      assert.deepEqual((await knex('costs').pluck<(number | string)[]>('price_units')).map(Number), [29_900_000]);
      const facts = await knex('alerts').orderBy('id').pluck<string[]>('facts');
      const expected = { costId: 1, price: 29.9 };
      assert.deepEqual(
        facts.map((text) => JSON.parse(text) as unknown),
        [expected, expected],
      );
    });
  });
});
