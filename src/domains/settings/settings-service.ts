import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../db/database.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import { FieldErrors } from '../../shared/fields.ts';
import type { Precondition } from '../../shared/precondition.ts';
import type { ChangeLog } from '../changes/index.ts';
import { check } from './definitions.ts';
import { definitionsOf, GROUPS, storedName, type Group, type Settings, type SettingsPatch } from './registry.ts';
import { SettingsRepository, type StoredSetting } from './settings-repository.ts';
import { Snapshot } from './snapshot.ts';

type AllSettings = { readonly [G in Group]: Settings<G> };

/** A change made by another process is to count within a second, the time of the query included. */
const MAX_AGE = 900;

/**
 * The settings of an operator: read from one snapshot of the table, checked against the registry when they are edited.
 */
export class SettingsService {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #changeLog: ChangeLog;
  readonly #snapshot: Snapshot<AllSettings>;
  #timer: NodeJS.Timeout | null = null;

  constructor(database: Database, clock: Clock, changeLog: ChangeLog) {
    const repository = new SettingsRepository(database.knex);
    this.#database = database;
    this.#clock = clock;
    this.#changeLog = changeLog;
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

  /** The group after the change. It is in force in this process when the call returns. */
  async edit<G extends Group>(
    group: G,
    patch: SettingsPatch<G>,
    actor: string,
    precondition?: Precondition<Settings<G>>,
  ): Promise<Settings<G>> {
    const wanted = checked(group, patch);
    await inTransaction(this.#database.knex, async (work) => {
      const repository = new SettingsRepository(work.trx);
      await repository.lock();
      const stored = await repository.list();
      precondition?.(effective(stored)[group]);
      const before = new Map(stored.map(({ name, value }) => [name, value]));
      // A setting that stands at its default by its own row is not the same as one that follows the default.
      const changed = wanted.filter(({ name, value }) => !isDeepStrictEqual(before.get(name), value));
      if (changed.length === 0) return;
      const put = changed.flatMap(({ name, value }) => (value === undefined ? [] : [{ name, value }]));
      await repository.put(put, this.#clock.now());
      await repository.delete(changed.flatMap(({ name, value }) => (value === undefined ? [name] : [])));
      const description = `Settings changed: ${changed.map(inWords).join(', ')}.`;
      await this.#changeLog.append(work.trx, { siteId: null, type: 'settings.edited', description, actor });
      work.afterCommit(() => this.#snapshot.drop());
    });
    return this.read(group);
  }
}

interface Wanted {
  /** As it is stored. */
  name: string;
  /** Undefined for the default. */
  value: unknown;
  secret: boolean;
}

function inWords({ name, value, secret }: Wanted): string {
  if (value === undefined) return `${name} = default`;
  return secret ? name : `${name} = ${JSON.stringify(value)}`;
}

function checked(group: Group, patch: Record<string, unknown>): Wanted[] {
  const definitions = new Map(definitionsOf(group));
  const errors = new FieldErrors();
  const wanted: Wanted[] = [];
  for (const [name, input] of Object.entries(patch)) {
    if (input === undefined) continue;
    const definition = definitions.get(name);
    if (!definition) errors.add({ path: name, message: 'is no setting of this group' });
    else if (input === null) wanted.push({ name: storedName(group, name), value: undefined, secret: false });
    else {
      const result = check(definition, input);
      if ('problem' in result) errors.add({ path: name, message: result.problem });
      else wanted.push({ name: storedName(group, name), value: result.value, secret: definition.secret });
    }
  }
  errors.refuse();
  return wanted;
}

/** The values in force. A stored one that an earlier version allowed and this one does not gives way to the default. */
function effective(stored: StoredSetting[]): AllSettings {
  const values = new Map(stored.map(({ name, value }) => [name, value]));
  const groups = GROUPS.map((group) => {
    const settings = definitionsOf(group).map(([name, definition]) => {
      const result = check(definition, values.get(storedName(group, name)));
      return [name, 'value' in result ? result.value : definition.default] as const;
    });
    return [group, Object.freeze(Object.fromEntries(settings))] as const;
  });
  return Object.fromEntries(groups) as unknown as AllSettings;
}

const DEFAULTS = effective([]);
