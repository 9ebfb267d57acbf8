import type { Knex } from 'knex';
import type { Database } from '../../db/database.ts';
import { inTransaction } from '../../db/transaction.ts';
import { PostponedItem, type Attempt, type ItemResult, type JobKind, type SubjectType } from '../../queue/index.ts';
import { describeChangedObject } from '../../shared/changed-object.ts';
import { MINUTE, SECOND, type Clock } from '../../shared/clock.ts';
import { NotFoundError } from '../../shared/errors.ts';
import type { Precondition } from '../../shared/precondition.ts';
import type { ChangeLog } from '../changes/index.ts';
import { CachedValue } from '../settings/index.ts';
import { ModuleRepository, type ModuleState } from './module-repository.ts';
import { MODULES, type Module, type ModuleSlug } from './modules.ts';

/** Delay after which a job item of an inactive module checks again whether the module is active. */
const LOOKED_AT_AGAIN = 5 * MINUTE;

/** Manages the optional modules. A change takes effect at once in this process, and within a second in others. */
export class ModuleService {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #changeLog: ChangeLog;
  readonly #modules: CachedValue<Module[]>;

  constructor(database: Database, clock: Clock, changeLog: ChangeLog) {
    this.#database = database;
    this.#clock = clock;
    this.#changeLog = changeLog;
    this.#modules = new CachedValue(() => this.#load(), clock, SECOND);
  }

  async isActive(slug: string): Promise<boolean> {
    return (await this.#modules.get()).some((module) => module.slug === slug && module.active);
  }

  isActiveWithin(trx: Knex, slug: string): Promise<boolean> {
    return new ModuleRepository(trx).isActive(slug);
  }

  whileActive<Input, Result, Subject extends SubjectType>(
    slug: ModuleSlug,
    kind: JobKind<Input, Result, Subject>,
  ): JobKind<Input, Result, Subject> {
    const perform = async (attempt: Attempt): Promise<ItemResult<Result>> => {
      if (await this.isActive(slug)) return kind.perform(attempt);
      return new PostponedItem(this.#clock.now() + LOOKED_AT_AGAIN);
    };
    return { ...kind, perform };
  }

  async list(): Promise<Module[]> {
    return [...(await this.#modules.get())];
  }

  async get(slug: string): Promise<Module> {
    return findModule(await this.#modules.get(), slug);
  }

  async setActive(slug: string, active: boolean, actor: string, precondition?: Precondition<Module>): Promise<Module> {
    // Stores modules that are new in this version, so that every module has its row below.
    await this.#modules.get();
    return inTransaction(this.#database.knex, async (work) => {
      const repository = new ModuleRepository(work.trx);
      await repository.lock(slug);
      const before = findModule(toModules(await repository.list()), slug);
      precondition?.(before);
      if (before.active === active) return before;
      const after = { ...before, active, updatedAt: this.#clock.now() };
      await repository.put(after);
      const type = active ? 'module.activated' : 'module.deactivated';
      const description = `The module ${after.name} was turned ${active ? 'on' : 'off'}.`;
      const thing = describeChangedObject({ name: after.name, key: slug }, { active: before.active }, { active });
      await this.#changeLog.append(work.trx, { siteId: null, type, description, actor, thing });
      work.afterCommit(() => this.#modules.invalidate());
      return after;
    });
  }

  async reset(actor: string): Promise<ModuleSlug[]> {
    await this.#modules.get();
    return inTransaction(this.#database.knex, async (work) => {
      const repository = new ModuleRepository(work.trx);
      await repository.lockAll();
      const stored = await repository.list();
      const off = toModules(stored).filter(({ active }) => !active);
      await repository.clear();
      await repository.add(
        MODULES.map(
          ({ slug }) =>
            stored.find((each) => each.slug === slug && each.active) ?? {
              ...{ slug, active: true, updatedAt: this.#clock.now() },
            },
        ),
      );
      const changes = off.map(({ name, slug }) => ({
        siteId: null,
        type: 'module.activated',
        description: `The module ${name} was turned on, because the activation data were cleared.`,
        actor,
        thing: describeChangedObject({ name, key: slug }, { active: false }, { active: true }),
      }));
      if (changes.length > 0) await this.#changeLog.append(work.trx, ...changes);
      work.afterCommit(() => this.#modules.invalidate());
      return off.map(({ slug }) => slug);
    });
  }

  /** Reads the modules. One that is new in this version is stored as active at the first read. */
  async #load(): Promise<Module[]> {
    const repository = new ModuleRepository(this.#database.knex);
    const states = await repository.list();
    const missing = MODULES.filter(({ slug }) => !states.some((state) => state.slug === slug));
    if (missing.length === 0) return toModules(states);
    const updatedAt = this.#clock.now();
    await repository.add(missing.map(({ slug }) => ({ slug, active: true, updatedAt })));
    return toModules(await repository.list());
  }
}

function findModule(modules: readonly Module[], slug: string): Module {
  const module = modules.find((each) => each.slug === slug);
  if (!module) throw new NotFoundError('svc_module_not_found', 'There is no such module.');
  return module;
}

function toModules(states: ModuleState[]): Module[] {
  const bySlug = new Map(states.map((state) => [state.slug, state]));
  return MODULES.flatMap(({ slug, name }) => {
    const state = bySlug.get(slug);
    return state ? [{ slug, name, active: state.active, updatedAt: state.updatedAt }] : [];
  });
}
