import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import { describeChangedObject, type ChangedObject } from '../../shared/changed-object.ts';
import type { Clock } from '../../shared/clock.ts';
import { ConflictError } from '../../shared/errors.ts';
import type { ChangeLog } from '../changes/index.ts';
import {
  checkedOption,
  newOptionSlug,
  type CostOption,
  type CostOptionPatch,
  type NewCostOption,
  type OptionKind,
} from './cost-option.ts';
import { CostOptionRepository } from './cost-option-repository.ts';

export interface CostOptionServiceDeps {
  knex: Knex;
  clock: Clock;
  changeLog: ChangeLog;
}

interface CostOptionUnitOfWork {
  options: CostOptionRepository;
  log: (type: string, description: string, thing: ChangedObject) => Promise<void>;
}

const WORDS: Readonly<Record<OptionKind, string>> = { product_type: 'product type', payment_method: 'payment method' };

export class CostOptionService {
  readonly #deps: CostOptionServiceDeps;

  constructor(deps: CostOptionServiceDeps) {
    this.#deps = deps;
  }

  list(): Promise<CostOption[]> {
    const { knex, clock } = this.#deps;
    return new CostOptionRepository(knex, clock.now()).list();
  }

  /** Throws `svc_already_exists` if another option of its kind has the title, ignoring case. */
  add(kind: OptionKind, input: NewCostOption, actor: string): Promise<CostOption> {
    const texts = checkedOption(kind, input);
    return this.#work(actor, async ({ options, log }) => {
      const taken = (await options.list()).flatMap((each) => (each.kind === kind ? [each.slug] : []));
      const option = { kind, slug: newOptionSlug(kind, texts.title, new Set(taken)), ...texts, builtIn: false };
      await options.insert(option);
      const thing = describeChangedObject(costOptionIdentityForChangeLog(option), null, loggedCostOptionValues(option));
      await log(`${kind}.added`, `Added the ${WORDS[kind]} ${option.title}.`, thing);
      return option;
    });
  }

  edit(kind: OptionKind, slug: string, patch: CostOptionPatch, actor: string): Promise<CostOption> {
    return this.#work(actor, async ({ options, log }) => {
      const stored = await options.lock(kind, slug);
      const option = { ...stored, ...checkedOption(kind, { ...stored, ...patch }) };
      const edited = (['title', 'color', 'icon'] as const).filter((field) => option[field] !== stored[field]);
      if (edited.length === 0) return stored;
      if (stored.builtIn && (kind === 'payment_method' || edited.includes('title')))
        throw new ConflictError(
          'svc_built_in',
          `The title of the built-in ${WORDS[kind]} ${stored.title} cannot be changed.`,
        );
      await options.update(option);
      const thing = describeChangedObject(
        costOptionIdentityForChangeLog(option),
        loggedCostOptionValues(stored),
        loggedCostOptionValues(option),
      );
      await log(`${kind}.updated`, `Changed ${edited.join(', ')} of the ${WORDS[kind]} ${option.title}.`, thing);
      return option;
    });
  }

  delete(kind: OptionKind, slug: string, actor: string): Promise<CostOption> {
    return this.#work(actor, async ({ options, log }) => {
      const option = await options.lock(kind, slug);
      if (option.builtIn)
        throw new ConflictError('svc_built_in', `The built-in ${WORDS[kind]} ${option.title} cannot be deleted.`);
      const costs = await options.countUses(option);
      if (costs > 0)
        throw new ConflictError(
          'svc_in_use',
          `The ${WORDS[kind]} ${option.title} is still used by costs (${costs}). Change these costs first.`,
        );
      await options.delete(option);
      const thing = describeChangedObject(costOptionIdentityForChangeLog(option), loggedCostOptionValues(option), null);
      await log(`${kind}.deleted`, `Deleted the ${WORDS[kind]} ${option.title}.`, thing);
      return option;
    });
  }

  #work<T>(actor: string, work: (parts: CostOptionUnitOfWork) => Promise<T>): Promise<T> {
    const { knex, clock, changeLog } = this.#deps;
    return inTransaction(knex, ({ trx }) =>
      work({
        options: new CostOptionRepository(trx, clock.now()),
        log: (type, description, thing) => changeLog.append(trx, { siteId: null, type, description, actor, thing }),
      }),
    );
  }
}

const costOptionIdentityForChangeLog = ({ title, slug }: CostOption): Pick<ChangedObject, 'name' | 'key'> => ({
  name: title,
  key: slug,
});

const loggedCostOptionValues = ({ title, color, icon }: CostOption) => ({ title, color, icon });
