import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import { changedThing } from '../../shared/changed-thing.ts';
import type { Clock } from '../../shared/clock.ts';
import type { ChangeLog } from '../changes/index.ts';
import type { Formats, SettingsService } from '../settings/index.ts';
import { BucketReadModel } from './bucket-read-model.ts';
import { BucketRepository } from './bucket-repository.ts';
import { ClientSettingsRepository } from './client-settings-repository.ts';
import { PartyRepository } from './party-repository.ts';
import { TaskReadModel, type Moment } from './task-read-model.ts';
import { TaskRepository } from './task-repository.ts';

export interface TrackerParts {
  knex: Knex;
  clock: Clock;
  changeLog: ChangeLog;
  settings: SettingsService;
  formats: Formats;
}

interface LoggedThing {
  id: number;
  title: string;
  siteId?: number | null;
}

/** Fields of a thing before and after a change; null if it was created or deleted. */
type States = readonly [
  before: Readonly<Record<string, unknown>> | null,
  after: Readonly<Record<string, unknown>> | null,
];

/** Repositories of one transaction, which all use the same time. */
export interface Work extends Moment {
  tasks: TaskRepository;
  records: TaskReadModel;
  buckets: BucketRepository;
  bucketRecords: BucketReadModel;
  parties: PartyRepository;
  own: ClientSettingsRepository;
  /** `thing` is the changed record, `siteId` its site, if any. */
  log: (thing: LoggedThing, type: string, description: string, states?: States) => Promise<void>;
}

export class Tracker {
  readonly #parts: TrackerParts;
  readonly knex: Knex;

  constructor(parts: TrackerParts) {
    this.#parts = parts;
    this.knex = parts.knex;
  }

  async moment(): Promise<Moment> {
    const { clock, formats, settings } = this.#parts;
    const now = clock.now();
    return { now, today: formats.dayOf(now), settings: await settings.read('time-tracker') };
  }

  async tasks(): Promise<TaskReadModel> {
    return new TaskReadModel(this.knex, await this.moment());
  }

  async work<T>(actor: string, work: (parts: Work) => Promise<T>): Promise<T> {
    const { changeLog } = this.#parts;
    const settled = await this.moment();
    return inTransaction(this.knex, ({ trx }) => {
      // The transaction may have waited for another one. Reading the clock again prevents times before the end of that
      // one.
      const now = this.#parts.clock.now();
      const moment = { ...settled, now, today: this.#parts.formats.dayOf(now) };
      return work({
        ...moment,
        tasks: new TaskRepository(trx, now),
        records: new TaskReadModel(trx, moment),
        buckets: new BucketRepository(trx, now),
        bucketRecords: new BucketReadModel(trx, moment),
        parties: new PartyRepository(trx),
        own: new ClientSettingsRepository(trx),
        log: ({ id, title, siteId = null }, type, description, [before, after] = [null, null]) => {
          const thing = changedThing({ name: title, key: id }, before, after);
          return changeLog.append(trx, { siteId, type, description, actor, thing });
        },
      });
    });
  }
}
