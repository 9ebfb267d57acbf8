import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../db/database.ts';
import type { Sealing } from '../../db/sealing.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Precondition } from '../../shared/precondition.ts';
import type { ChangeLog } from '../changes/index.ts';
import { refuseContradictions } from './group-rules.ts';
import { DEFAULTS, effective, inWords, wantedOf, withWanted, type AllSettings, type Wanted } from './group-values.ts';
import { storedName, type Group, type SecretOf, type Settings, type SettingsPatch } from './registry.ts';
import { SettingsRepository, type StoredSetting } from './settings-repository.ts';
import { Snapshot } from './snapshot.ts';

/** A change made by another process is to count within a second, the time of the query included. */
const MAX_AGE = 900;

export interface SettingsParts {
  database: Database;
  clock: Clock;
  sealing: Sealing;
  changeLog: ChangeLog;
}

/**
 * The settings of an operator: read from one snapshot of the table, checked against the registry when they are edited.
 */
export class SettingsService {
  readonly #parts: SettingsParts;
  readonly #repository: SettingsRepository;
  readonly #snapshot: Snapshot<AllSettings>;
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: SettingsParts) {
    const { database, clock, sealing } = parts;
    const repository = new SettingsRepository(database.knex, sealing);
    this.#parts = parts;
    this.#repository = repository;
    this.#snapshot = new Snapshot(async () => effective(await repository.list()), clock, MAX_AGE);
  }

  /** Loads the settings and keeps them fresh, so that `current` is never older than a second. After the migrations. */
  async start(): Promise<void> {
    await this.#snapshot.refresh();
    this.stop();
    // A failure is tried again at the next tick; what was loaded last stays in force.
    this.#timer = setInterval(() => void this.#snapshot.refresh().catch(() => undefined), MAX_AGE).unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  async read<G extends Group>(group: G): Promise<Settings<G>> {
    return (await this.#snapshot.get())[group];
  }

  /** For hot paths, without waiting; the defaults before the first load. */
  current<G extends Group>(group: G): Settings<G> {
    return (this.#snapshot.peek() ?? DEFAULTS)[group];
  }

  /** A secret, for the one who is about to use it; null when there is none. */
  async secret<G extends Group>(group: G, name: SecretOf<G>): Promise<string | null> {
    const stored = await this.#repository.find(storedName(group, name));
    return stored && this.#repository.open(stored);
  }

  /** The group after the change. It is in force in this process when the call returns. */
  async edit<G extends Group>(
    group: G,
    patch: SettingsPatch<G>,
    actor: string,
    precondition?: Precondition<Settings<G>>,
  ): Promise<Settings<G>> {
    const { database, clock, sealing, changeLog } = this.#parts;
    await inTransaction(database.knex, async (work) => {
      const repository = new SettingsRepository(work.trx, sealing);
      await repository.lock();
      const stored = await repository.list();
      const before = effective(stored)[group];
      precondition?.(before);
      const wanted = wantedOf(group, patch, before);
      refuseContradictions(group, withWanted(group, before, wanted));
      const changed = wanted.filter(isChange(stored, repository));
      if (changed.length === 0) return;
      await repository.put(changed.flatMap(toStored(repository)), clock.now());
      await repository.delete(changed.flatMap(({ name, value }) => (value === undefined ? [name] : [])));
      const description = `Settings changed: ${changed.map((each) => inWords(each, before)).join(', ')}.`;
      await changeLog.append(work.trx, { siteId: null, type: 'settings.edited', description, actor });
      work.afterCommit(() => this.#snapshot.drop());
    });
    return this.read(group);
  }
}

/** A setting that stands at its default by its own row is not the same as one that follows the default. */
function isChange(stored: readonly StoredSetting[], repository: SettingsRepository): (wanted: Wanted) => boolean {
  const rows = new Map(stored.map((row) => [row.name, row]));
  return ({ name, value, secret }) => {
    const row = rows.get(name);
    const stands = row && secret ? repository.open(row) : row?.value;
    return !isDeepStrictEqual(stands, value);
  };
}

const toStored =
  (repository: SettingsRepository) =>
  ({ name, value, secret }: Wanted): StoredSetting[] =>
    value === undefined ? [] : [{ name, value: secret ? repository.seal(name, value as string) : value }];
