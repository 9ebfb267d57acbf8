import type { Knex } from 'knex';
import { isTransient } from '../../db/dialect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Schedule } from '../../platform/part.ts';
import type { Clock } from '../../shared/clock.ts';
import { DatabaseUnavailableError, DomainError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import { loop } from '../../shared/loop.ts';
import { truncate } from '../../shared/text.ts';
import { JobReadModel } from '../jobs/index.ts';
import { NEVER_RUN, ScheduleRepository, type PlannedRun, type ScheduleState } from './schedule-repository.ts';
import { timingFingerprintOf, nextRun } from './cron-timing.ts';

export interface ScheduleRunnerDeps {
  knex: Knex;
  clock: Clock;
  logger: Logger;
  schedules: () => readonly Schedule[];
  isModuleActive: (slug: string) => Promise<boolean>;
  refreshSettings: () => Promise<unknown>;
  /** Null if only the caller of `tick` triggers ticks. */
  tickMs: number | null;
}

const scheduleRequester = (name: string): string => `schedule:${name}`;

/**
 * Starts scheduled jobs. Every process reads the rows of all schedules. The first process that locks a row whose run is
 * due queues the job and sets the next run in the same transaction. So each run happens once, regardless of the number
 * of processes and even if one is killed. Runs that were missed while no process was running are made up once.
 */
export class ScheduleRunner {
  readonly #deps: ScheduleRunnerDeps;
  readonly #stopping = new AbortController();
  #ticking: Promise<void> = Promise.resolve();

  constructor(deps: ScheduleRunnerDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { tickMs: everyMs, logger } = this.#deps;
    if (everyMs === null) return;
    const { signal } = this.#stopping;
    this.#ticking = loop({ everyMs, signal, logger, failure: 'the schedules could not be read' }, () => this.tick());
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ticking;
  }

  async tick(): Promise<void> {
    const { knex, schedules } = this.#deps;
    const repository = new ScheduleRepository(knex);
    const marks = await repository.plannedRuns();
    await repository.add(schedules().flatMap(({ name }) => (marks.has(name) ? [] : [name])));
    for (const schedule of schedules()) {
      if (this.#stopping.signal.aborted) return;
      const mark = marks.get(schedule.name) ?? NEVER_RUN;
      if (this.#needsUpdate(schedule, mark)) await this.#advance(schedule, mark);
    }
  }

  #needsUpdate(schedule: Schedule, mark: PlannedRun): boolean {
    return mark.fingerprint !== timingFingerprintOf(schedule.timing()) || this.#isDue(mark);
  }

  #isDue({ nextRunAt }: PlannedRun): boolean {
    return nextRunAt !== null && nextRunAt <= this.#now();
  }

  /**
   * Advances a schedule whose stored state is `mark`. Reads the settings after that state: otherwise this process could
   * overwrite a newer timing of another process with one from outdated settings. A failure is recorded for its schedule
   * and does not affect the others. Only a database that is unavailable or stays busy ends the tick; the next tick
   * continues.
   */
  async #advance(schedule: Schedule, mark: PlannedRun): Promise<void> {
    const { knex, logger, isModuleActive, refreshSettings } = this.#deps;
    try {
      await refreshSettings();
      const rests = schedule.module !== undefined && !(await isModuleActive(schedule.module));
      await inTransaction(knex, (scope) =>
        this.#locked(scope.trx, schedule, mark, async (state, dueAt) => {
          if (rests) return {};
          if (await new JobReadModel(scope.trx).isUnfinished(state.lastJobId)) return { lastSkippedAt: this.#now() };
          const jobId = await schedule.begin({ scope, dueAt, requestedBy: scheduleRequester(schedule.name) });
          return { lastRunAt: this.#now(), lastJobId: jobId, lastError: null, lastErrorAt: null };
        }),
      );
    } catch (error) {
      if (error instanceof DatabaseUnavailableError || isTransient(error)) throw error;
      logger.error({ err: error, schedule: schedule.name }, 'a run of a schedule could not be started');
      await this.#recordFailure(schedule, mark, error);
    }
  }

  #recordFailure(schedule: Schedule, mark: PlannedRun, error: unknown): Promise<void> {
    const lastError = error instanceof DomainError ? error.message : 'Something went wrong on our side.';
    return inTransaction(this.#deps.knex, ({ trx }) =>
      this.#locked(trx, schedule, mark, () => ({ lastError: truncate(lastError, 500), lastErrorAt: this.#now() })),
    );
  }

  /**
   * Sets the next run under a lock. Does nothing if the stored fingerprint is not that of `mark`: the next tick checks
   * again. Calls `whenDue` for the result of the run only if it is still due, because another process may have started
   * it.
   */
  async #locked(
    trx: Knex.Transaction,
    schedule: Schedule,
    mark: PlannedRun,
    whenDue: (state: ScheduleState, dueAt: number) => Promise<Partial<ScheduleState>> | Partial<ScheduleState>,
  ): Promise<void> {
    const repository = new ScheduleRepository(trx);
    const state = await repository.lock(schedule.name);
    if (state.fingerprint !== mark.fingerprint) return;
    const timing = schedule.timing();
    const fingerprint = timingFingerprintOf(timing);
    // The clock of the process that started the last run may be ahead of this one.
    const nextRunAt = timing && nextRun(timing, Math.max(this.#now(), state.lastRunAt ?? 0));
    if (state.fingerprint !== fingerprint) await repository.save(schedule.name, { fingerprint, nextRunAt });
    else if (state.nextRunAt !== null && this.#isDue(state))
      await repository.save(schedule.name, { ...(await whenDue(state, state.nextRunAt)), nextRunAt });
  }

  #now(): number {
    return this.#deps.clock.now();
  }
}
