import { readDatabaseTime } from '../../db/database-clock.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Schedule, CronTiming } from '../../platform/part.ts';
import { ConflictError, NotFoundError } from '../../shared/errors.ts';
import { JobReadModel } from '../jobs/index.ts';
import { NEVER_RUN, ScheduleRepository, type ScheduleState } from './schedule-repository.ts';
import type { ScheduleRunnerDeps } from './schedule-runner.ts';
import { timingFingerprintOf, nextRun } from './cron-timing.ts';
import { unlimitedRequester } from '../../shared/requester.ts';

export interface ScheduleRecord extends Omit<ScheduleState, 'fingerprint'> {
  name: string;
  description: string;
  timing: CronTiming | null;
}

export class ScheduleService {
  readonly #deps: Omit<ScheduleRunnerDeps, 'tickMs'>;

  constructor(deps: Omit<ScheduleRunnerDeps, 'tickMs'>) {
    this.#deps = deps;
  }

  async list(): Promise<ScheduleRecord[]> {
    await this.#deps.refreshSettings();
    const states = await new ScheduleRepository(this.#deps.knex).states();
    const byName = this.#deps.schedules().toSorted((one, other) => (one.name < other.name ? -1 : 1));
    return Promise.all(byName.map((schedule) => this.#record(schedule, states.get(schedule.name) ?? NEVER_RUN)));
  }

  async get(name: string): Promise<ScheduleRecord> {
    const schedule = this.#one(name);
    await this.#deps.refreshSettings();
    const states = await new ScheduleRepository(this.#deps.knex).states();
    return this.#record(schedule, states.get(name) ?? NEVER_RUN);
  }

  /**
   * Starts a run immediately, even if the schedule is off, and does not change the next run. Returns the job ID, or
   * null if there is nothing to do. Throws `svc_schedule_not_found`, `svc_module_not_available`, `svc_schedule_running`
   * or `svc_schedule_misconfigured`.
   */
  async run(name: string, actor: string): Promise<string | null> {
    const schedule = this.#one(name);
    const { knex, clock, refreshSettings } = this.#deps;
    await refreshSettings();
    if (!(await this.#isAvailable(schedule)))
      throw new NotFoundError('svc_module_not_available', 'The module of this schedule is not active.');
    await new ScheduleRepository(knex).add([name]);
    return inTransaction(knex, async (scope) => {
      const repository = new ScheduleRepository(scope.trx);
      const { lastJobId, lastRunAt } = await repository.lock(name);
      if (await new JobReadModel(scope.trx).isUnfinished(lastJobId))
        throw new ConflictError('svc_schedule_running', 'The job of the last run is still running.', {
          job_id: lastJobId,
        });
      const now = await readDatabaseTime(scope.trx, clock);
      const jobId = await schedule.begin({
        scope,
        dueAt: now,
        lastRunAt,
        requestedBy: unlimitedRequester(actor),
        onRequest: true,
      });
      await repository.save(name, { lastRunAt: now, lastJobId: jobId, lastError: null, lastErrorAt: null });
      return jobId;
    });
  }

  async #record(schedule: Schedule, { fingerprint, ...state }: ScheduleState): Promise<ScheduleRecord> {
    const { name, description } = schedule;
    const timing = (await this.#isAvailable(schedule)) ? schedule.timing() : null;
    const record = { name, description, timing, ...state };
    if (!timing) return { ...record, nextRunAt: null };
    // A changed setting is visible immediately, even before a process has stored the new next run.
    const isCurrent = fingerprint === timingFingerprintOf(timing) && state.nextRunAt !== null;
    return isCurrent ? record : { ...record, nextRunAt: nextRun(timing, this.#deps.clock.now()) };
  }

  async #isAvailable({ module }: Schedule): Promise<boolean> {
    return module === undefined || this.#deps.isModuleActive(module);
  }

  #one(name: string): Schedule {
    const schedule = this.#deps.schedules().find((each) => each.name === name);
    if (!schedule) throw new NotFoundError('svc_schedule_not_found', 'No schedule has this name.');
    return schedule;
  }
}
