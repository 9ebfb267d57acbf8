import type { Knex } from 'knex';
import { createTable, dropTables, flag, time, type Migration } from './columns.ts';

const PRODUCT_TYPES = [
  ['plugin', 'Plugin', '#5ec130', 'default:plug'],
  ['theme', 'Theme', '#34afd8', 'default:tint'],
  ['hosting', 'Hosting', '#f2e93a', 'default:server'],
  ['service', 'Service', '#ed1730', 'default:wrench'],
  ['other', 'Other', '#14f4fc', 'default:folder'],
] as const;
const PAYMENT_METHODS = [
  ['paypal', 'PayPal'],
  ['stripe', 'Stripe'],
  ['apple', 'Apple Pay'],
  ['amazon', 'Amazon Pay'],
  ['google', 'Google Pay'],
  ['credit_debit', 'Credit or debit card'],
  ['debit_card', 'Debit card'],
  ['cash', 'Cash'],
] as const;
const CUSTOM = { color: '#34424d', icon: 'default:folder' };

interface NewCostOptionRow {
  kind: string;
  slug: string;
  title: string;
  title_key: string;
  color: string | null;
  icon: string | null;
  built_in: 0 | 1;
  created_at: number;
  updated_at: number;
}

/** Values that existing costs use are added. */
export const createCostOptions: Migration = {
  name: '20261122T0945_create_cost_options',
  async up(knex) {
    await createTable(knex, 'cost_options', (table) => {
      table.string('kind', 16).notNullable();
      table.string('slug', 64).notNullable();
      table.string('title', 255).notNullable();
      table.string('title_key', 255).notNullable();
      table.string('color', 7);
      table.string('icon', 64);
      flag(table, 'built_in').notNullable();
      time(table, 'created_at').notNullable();
      time(table, 'updated_at').notNullable();
      table.primary(['kind', 'slug']);
      table.unique(['kind', 'title_key'], { indexName: 'cost_options_title' });
    });
    const builtIn: NewCostOptionRow[] = [
      ...PRODUCT_TYPES.map(([slug, title, color, icon]) =>
        toNewCostOptionRow('product_type', slug, title, { color, icon }, 1),
      ),
      ...PAYMENT_METHODS.map(([slug, title]) =>
        toNewCostOptionRow('payment_method', slug, title, { color: null, icon: null }, 1),
      ),
    ];
    await knex('cost_options').insert([
      ...builtIn,
      ...(await rowsOfUsedOptions(knex, 'product_type', CUSTOM, builtIn)),
      ...(await rowsOfUsedOptions(knex, 'payment_method', { color: null, icon: null }, builtIn)),
    ]);
  },
  down: (knex) => dropTables(knex, 'cost_options'),
};

type OptionColorAndIcon = Pick<NewCostOptionRow, 'color' | 'icon'>;

const toNewCostOptionRow = (
  kind: string,
  slug: string,
  title: string,
  look: OptionColorAndIcon,
  builtIn: 0 | 1,
): NewCostOptionRow => {
  const at = Date.now();
  return {
    kind,
    slug,
    title,
    title_key: title.toLowerCase(),
    ...look,
    built_in: builtIn,
    created_at: at,
    updated_at: at,
  };
};

async function rowsOfUsedOptions(
  knex: Knex,
  kind: 'product_type' | 'payment_method',
  look: OptionColorAndIcon,
  builtIn: NewCostOptionRow[],
): Promise<NewCostOptionRow[]> {
  const slugs = await knex('costs').distinct(kind).pluck<string[]>(kind);
  const isBuiltIn = (slug: string): boolean => builtIn.some((each) => each.kind === kind && each.slug === slug);
  return slugs.filter((slug) => !isBuiltIn(slug)).map((slug) => toNewCostOptionRow(kind, slug, slug, look, 0));
}
