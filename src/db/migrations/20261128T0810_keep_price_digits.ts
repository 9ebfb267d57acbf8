import type { Knex } from 'knex';
import type { Migration } from './columns.ts';

const ORDER = 'costs_price_order';
const ALERT = 'cost_tracker_noti_email';
const CHUNK = 500;
/** Prices were stored in hundredths and are now stored in millionths of the currency. */
const FACTOR = 10_000;

/**
 * Stores prices with six decimals instead of two. In alerts, changes the price from hundredths to the amount itself,
 * which mails that are not sent yet will show.
 */
export const keepPriceDigits: Migration = {
  name: '20261128T0810_keep_price_digits',
  async up(knex) {
    await replacePrices(knex, { from: 'price_minor', to: 'price_units', formula: `price_minor * ${FACTOR}` });
    await rewriteAlertFacts(knex, ({ priceMinor, ...facts }) => ({ ...facts, price: Number(priceMinor) / 100 }));
  },
  /** Prices with more than two decimals are rounded. */
  async down(knex) {
    await replacePrices(knex, { from: 'price_units', to: 'price_minor', formula: `round(price_units / ${FACTOR}.0)` });
    await rewriteAlertFacts(knex, ({ price, ...facts }) => ({ ...facts, priceMinor: Math.round(Number(price) * 100) }));
  },
};

async function replacePrices(
  knex: Knex,
  { from, to, formula }: { from: string; to: string; formula: string },
): Promise<void> {
  await knex.schema.alterTable('costs', (table) => {
    table.bigInteger(to).notNullable().defaultTo(0);
  });
  await knex('costs').update({ [to]: knex.raw(formula) });
  await knex.schema.alterTable('costs', (table) => {
    table.dropIndex([from, 'id'], ORDER);
    table.index([to, 'id'], ORDER);
  });
  await knex.raw('alter table ?? drop column ??', ['costs', from]);
}

type Facts = Record<string, unknown>;

async function rewriteAlertFacts(knex: Knex, rewrite: (facts: Facts) => Facts): Promise<void> {
  for (let last = 0; ;) {
    const rows = await knex('alerts')
      .where({ type: ALERT })
      .where('id', '>', last)
      .orderBy('id')
      .limit(CHUNK)
      .select<{ id: number; facts: string }[]>('id', 'facts');
    for (const { id, facts } of rows)
      await knex('alerts')
        .where({ id })
        .update({ facts: JSON.stringify(rewrite(JSON.parse(facts) as Facts)) });
    if (rows.length < CHUNK) return;
    last = rows.at(-1)?.id ?? last;
  }
}
