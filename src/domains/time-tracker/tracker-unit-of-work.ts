import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import { describeChangedObject } from '../../shared/changed-object.ts';
import type { Clock } from '../../shared/clock.ts';
import type { ChangeLog } from '../changes/index.ts';
import type { Formats, SettingsService } from '../settings/index.ts';
import { BucketReadModel } from './bucket-read-model.ts';
import { BucketRepository } from './bucket-repository.ts';
import { ClientSettingsRepository } from './client-settings-repository.ts';
import { OwnerLockRepository } from './owner-lock-repository.ts';
import { TaskReadModel, type TrackingContext } from './task-read-model.ts';
import { TaskRepository } from './task-repository.ts';

export interface TrackerUnitOfWorkDeps {
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

type BeforeAndAfter = readonly [
  before: Readonly<Record<string, unknown>> | null,
  after: Readonly<Record<string, unknown>> | null,
];

export interface TrackerTransaction extends TrackingContext {
  trx: Knex.Transaction;
  tasks: TaskRepository;
  records: TaskReadModel;
  buckets: BucketRepository;
  bucketRecords: BucketReadModel;
  owners: OwnerLockRepository;
  clientSettings: ClientSettingsRepository;
  log: (thing: LoggedThing, type: string, description: string, states?: BeforeAndAfter) => Promise<void>;
}

export class TrackerUnitOfWork {
  readonly #deps: TrackerUnitOfWorkDeps;
  readonly knex: Knex;

  constructor(deps: TrackerUnitOfWorkDeps) {
    this.#deps = deps;
    this.knex = deps.knex;
  }

  async moment(): Promise<TrackingContext> {
    const { clock, formats, settings } = this.#deps;
    const now = clock.now();
    return { now, today: formats.dayOf(now), settings: await settings.read('time-tracker') };
  }

  async tasks(): Promise<TaskReadModel> {
    return new TaskReadModel(this.knex, await this.moment());
  }

  async inTransaction<T>(actor: string, work: (parts: TrackerTransaction) => Promise<T>): Promise<T> {
    const { changeLog } = this.#deps;
    const settled = await this.moment();
    return inTransaction(this.knex, ({ trx }) => {
      // The transaction may have waited for another one. Read the time again, so that no stored time is before the end
      // of the other transaction.
      const now = this.#deps.clock.now();
      const moment = { ...settled, now, today: this.#deps.formats.dayOf(now) };
      return work({
        ...moment,
        trx,
        tasks: new TaskRepository(trx, now),
        records: new TaskReadModel(trx, moment),
        buckets: new BucketRepository(trx, now),
        bucketRecords: new BucketReadModel(trx, moment),
        owners: new OwnerLockRepository(trx),
        clientSettings: new ClientSettingsRepository(trx),
        log: ({ id, title, siteId = null }, type, description, [before, after] = [null, null]) => {
          const thing = describeChangedObject({ name: title, key: id }, before, after);
          return changeLog.append(trx, { siteId, type, description, actor, thing });
        },
      });
    });
  }
}
