import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import type { Database } from '../../db/database.ts';
import { bumpRevision, RevisionReader } from '../../db/revisions.ts';
import type { Sealing } from '../../db/sealing.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import { InvalidError, type FieldError } from '../../shared/errors.ts';
import type { Precondition } from '../../shared/precondition.ts';
import type { ChangeLog } from '../changes/index.ts';
import { changedSettingsForChangeLog } from './changed-settings.ts';
import { refuseBrokenGroupRules, refuseRedirectedSecrets } from './group-rules.ts';
import {
  DEFAULTS,
  effectiveSettings,
  describeSettingChange,
  parseSettingsPatch,
  applySettingChanges,
  type AllSettings,
  type SettingChange,
} from './group-values.ts';
import {
  storedSettingName,
  type SettingsGroupName,
  type SecretOf,
  type Settings,
  type SettingsPatch,
} from './settings-registry.ts';
import { SettingsRepository, type StoredSetting } from './settings-repository.ts';

/**
 * Maximum age of loaded settings in milliseconds. With the time of the query, every process sees a change of another
 * process within a second.
 */
const MAX_AGE = 900;

export interface SettingsDeps {
  database: Database;
  clock: Clock;
  sealing: Sealing;
  changeLog: ChangeLog;
}

/** Returns what is wrong with a new value of a setting. The paths begin with the name of the setting. */
export type SettingCheck<V> = (trx: Knex, value: V) => Promise<readonly FieldError[]>;

export class SettingsService {
  readonly #deps: SettingsDeps;
  readonly #repository: SettingsRepository;
  readonly #revision: RevisionReader;
  #cached: { value: AllSettings; revision: number } | null = null;
  #timer: NodeJS.Timeout | null = null;
  readonly #checks = new Map<string, SettingCheck<never>>();

  constructor(deps: SettingsDeps) {
    const { database, sealing } = deps;
    this.#deps = deps;
    this.#repository = new SettingsRepository(database.knex, sealing);
    this.#revision = new RevisionReader(database.knex, 'settings');
  }

  /**
   * Loads the settings and then reloads them regularly, so that `current` is at most a second old. Call it after the
   * migrations.
   */
  async start(): Promise<void> {
    await this.refresh();
    this.stop();
    this.#timer = setInterval(
      () => void this.#load(this.#cached?.revision ?? 0).catch(() => undefined),
      MAX_AGE,
    ).unref();
  }

  /** Adds a check that needs data of another domain. It runs in the transaction of an edit that changes the setting. */
  addCheck<G extends SettingsGroupName, N extends keyof Settings<G> & string>(
    group: G,
    name: N,
    check: SettingCheck<Settings<G>[N]>,
  ): void {
    this.#checks.set(storedSettingName(group, name), check);
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  async read<G extends SettingsGroupName>(group: G): Promise<Settings<G>> {
    return (await this.refresh())[group];
  }

  current<G extends SettingsGroupName>(group: G): Settings<G> {
    return (this.#cached?.value ?? DEFAULTS)[group];
  }

  /**
   * Reloads the settings if any process has changed them. `known` is the current revision. Without it, one small SQL
   * statement reads the revision.
   */
  async refresh(known?: number): Promise<AllSettings> {
    const revision = known ?? (await this.#revision.read());
    return this.#cached && this.#cached.revision >= revision ? this.#cached.value : this.#load(revision);
  }

  /** The result can be newer than `revision`. */
  async #load(revision: number): Promise<AllSettings> {
    const value = effectiveSettings(await this.#repository.list());
    if (!this.#cached || this.#cached.revision <= revision) this.#cached = { value, revision };
    return value;
  }

  async secret<G extends SettingsGroupName>(group: G, name: SecretOf<G>): Promise<string | null> {
    const stored = await this.#repository.find(storedSettingName(group, name));
    return stored && this.#repository.open(stored);
  }

  /** When this returns, the change is effective in this process. */
  async edit<G extends SettingsGroupName>(
    group: G,
    patch: SettingsPatch<G>,
    actor: string,
    precondition?: Precondition<Settings<G>>,
  ): Promise<Settings<G>> {
    const { database, clock, sealing, changeLog } = this.#deps;
    await inTransaction(database.knex, async (work) => {
      const repository = new SettingsRepository(work.trx, sealing);
      await repository.lock();
      const stored = await repository.list();
      const before = effectiveSettings(stored)[group];
      precondition?.(before);
      const wanted = parseSettingsPatch(group, patch, before);
      const after = applySettingChanges(group, before, wanted);
      refuseBrokenGroupRules(group, after);
      refuseRedirectedSecrets(group, { patch, before, after });
      const changed = wanted.filter(createStoredValueComparison(stored, repository));
      if (changed.length === 0) return;
      await this.#refuseInvalid(work.trx, changed);
      await repository.put(changed.flatMap(createStoredSettingMapper(repository)), clock.now());
      await repository.delete(changed.flatMap(({ name, value }) => (value === undefined ? [name] : [])));
      const description = `Settings changed: ${changed.map((each) => describeSettingChange(each, before)).join(', ')}.`;
      const thing = changedSettingsForChangeLog(group, changed, before, applySettingChanges(group, before, changed));
      await changeLog.append(work.trx, { siteId: null, type: 'settings.edited', description, actor, thing });
      await bumpRevision(work.trx, 'settings');
    });
    return this.read(group);
  }

  async #refuseInvalid(trx: Knex, changed: readonly SettingChange[]): Promise<void> {
    const problems: FieldError[] = [];
    for (const { name, value } of changed)
      if (value !== undefined) problems.push(...((await this.#checks.get(name)?.(trx, value as never)) ?? []));
    if (problems.length > 0) throw new InvalidError(problems);
  }
}

/**
 * Returns a function that is true if an edit changes what is stored. A stored value that equals the default counts as
 * set: it does not follow a later change of the default.
 */
function createStoredValueComparison(
  stored: readonly StoredSetting[],
  repository: SettingsRepository,
): (wanted: SettingChange) => boolean {
  const rows = new Map(stored.map((row) => [row.name, row]));
  return ({ name, value, secret }) => {
    const row = rows.get(name);
    const stands = row && secret ? repository.open(row) : row?.value;
    return !isDeepStrictEqual(stands, value);
  };
}

const createStoredSettingMapper =
  (repository: SettingsRepository) =>
  ({ name, value, secret }: SettingChange): StoredSetting[] =>
    value === undefined ? [] : [{ name, value: secret ? repository.seal(name, value as string) : value }];
