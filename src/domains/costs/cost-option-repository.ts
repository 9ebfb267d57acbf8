import type { Knex } from 'knex';
import { countRows } from '../../db/count-rows.ts';
import { isDuplicate, lockForUpdate } from '../../db/dialect.ts';
import { ConflictError, NotFoundError } from '../../shared/errors.ts';
import { nameKeyOf } from '../../shared/text.ts';
import type { CostOption, OptionKind } from './cost-option.ts';

interface OptionRow {
  kind: OptionKind;
  slug: string;
  title: string;
  color: string | null;
  icon: string | null;
  built_in: number;
}

const COLUMNS = ['kind', 'slug', 'title', 'color', 'icon', 'built_in'] as const;

const toOption = ({ built_in: builtIn, ...row }: OptionRow): CostOption => ({ ...row, builtIn: builtIn === 1 });

const toRow = ({ builtIn, ...option }: CostOption) => ({
  ...option,
  title_key: nameKeyOf(option.title),
  built_in: builtIn ? 1 : 0,
});

const MISSING = {
  product_type: () => new NotFoundError('svc_product_type_not_found', 'No product type has this slug.'),
  payment_method: () => new NotFoundError('svc_payment_method_not_found', 'No payment method has this slug.'),
} as const satisfies Record<OptionKind, () => NotFoundError>;

export class CostOptionRepository {
  readonly #db: Knex;
  readonly #now: number;

  constructor(db: Knex, now: number) {
    this.#db = db;
    this.#now = now;
  }

  async list(): Promise<CostOption[]> {
    const rows = await this.#db<OptionRow>('cost_options')
      .orderBy(['title_key', 'slug'])
      .select(...COLUMNS);
    return rows.map(toOption);
  }

  /** Locks the option, so that it cannot be deleted while a cost starts to use it. */
  async lockIfExists(kind: OptionKind, slug: string): Promise<CostOption | null> {
    const query = this.#db('cost_options')
      .where({ kind, slug })
      .first<OptionRow | undefined>(...COLUMNS);
    const row: OptionRow | undefined = await lockForUpdate(this.#db, query);
    return row ? toOption(row) : null;
  }

  async lock(kind: OptionKind, slug: string): Promise<CostOption> {
    const option = await this.lockIfExists(kind, slug);
    if (!option) throw MISSING[kind]();
    return option;
  }

  async insert(option: CostOption): Promise<void> {
    const times = { created_at: this.#now, updated_at: this.#now };
    await rejectTakenTitle(this.#db('cost_options').insert({ ...toRow(option), ...times }));
  }

  async update(option: CostOption): Promise<void> {
    const { kind, slug, ...row } = toRow(option);
    const write = this.#db('cost_options')
      .where({ kind, slug })
      .update({ ...row, updated_at: this.#now });
    await rejectTakenTitle(write);
  }

  async delete({ kind, slug }: CostOption): Promise<void> {
    await this.#db('cost_options').where({ kind, slug }).delete();
  }

  countUses({ kind, slug }: CostOption): Promise<number> {
    return countRows(this.#db('costs').where({ [kind]: slug }));
  }
}

async function rejectTakenTitle(write: PromiseLike<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (isDuplicate(error))
      throw new ConflictError('svc_already_exists', 'Another product type or payment method already has this title.');
    throw error;
  }
}
