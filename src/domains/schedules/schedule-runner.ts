import type { Knex } from 'knex';
import { readDatabaseTime } from '../../db/database-clock.ts';
import { isTransient } from '../../db/dialect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { CronTiming, Schedule } from '../../platform/part.ts';
import { isPossibleTime, toIso, type Clock } from '../../shared/clock.ts';
import { DatabaseUnavailableError, DomainError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import { repeatUntilAborted } from '../../shared/repeat-until-aborted.ts';
import { truncate } from '../../shared/text.ts';
import { JobReadModel } from '../jobs/index.ts';
import { NEVER_RUN, ScheduleRepository, type PlannedRun, type ScheduleState } from './schedule-repository.ts';
import { timingFingerprintOf, nextRun } from './cron-timing.ts';
import { unlimitedRequester, type Requester } from '../../shared/requester.ts';

export interface ScheduleRunnerDeps {
  knex: Knex;
  clock: Clock;
  logger: Logger;
  schedules: () => readonly Schedule[];
  isModuleActive: (slug: string) => Promise<boolean>;
  refreshSettings: () => Promise<unknown>;
  /** Interval of the ticks. Null starts no timer, so a tick happens only if a caller calls `tick`. */
  tickMs: number | null;
}

const scheduleRequester = (name: string): Requester => unlimitedRequester(`schedule:${name}`);

/**
 * Starts scheduled jobs. Every process reads the rows of all schedules. The first process that locks a row whose run is
 * due queues the job and sets the next run in the same transaction. So each run happens once, regardless of the number
 * of processes and even if one is killed. Runs that were missed while no process was running are made up once.
 */
export class ScheduleRunner {
  readonly #deps: ScheduleRunnerDeps;
  readonly #stopping = new AbortController();
  #ticking: Promise<void> = Promise.resolve();
  #lastTickAt = 0;
  /**
   * Stored next runs that are not later than the timing of their schedule allows. They are not checked again until they
   * change or the clock goes back.
   */
  readonly #possibleRuns = new Map<string, number | null>();

  constructor(deps: ScheduleRunnerDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { tickMs: everyMs, logger } = this.#deps;
    if (everyMs === null) return;
    const { signal } = this.#stopping;
    this.#ticking = repeatUntilAborted({ everyMs, signal, logger, failure: 'the schedules could not be read' }, () =>
      this.tick(),
    );
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ticking;
  }

  async tick(): Promise<void> {
    const { knex, clock, schedules } = this.#deps;
    const repository = new ScheduleRepository(knex);
    const { now, runs: marks } = await repository.plannedRuns(clock);
    if (now < this.#lastTickAt) this.#possibleRuns.clear();
    this.#lastTickAt = now;
    await repository.add(schedules().flatMap(({ name }) => (marks.has(name) ? [] : [name])));
    const failures: unknown[] = [];
    for (const schedule of schedules()) {
      if (this.#stopping.signal.aborted) return;
      const mark = marks.get(schedule.name) ?? NEVER_RUN;
      if (this.#needsUpdate(schedule, mark, now))
        await this.#advance(schedule, mark).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  #needsUpdate(schedule: Schedule, mark: PlannedRun, now: number): boolean {
    const timing = schedule.timing();
    if (mark.fingerprint !== timingFingerprintOf(timing) || isDue(mark, now)) return true;
    if (!timing || this.#possibleRuns.get(schedule.name) === mark.nextRunAt) return false;
    if (isLaterThanTimingAllows(timing, mark, now)) return true;
    this.#possibleRuns.set(schedule.name, mark.nextRunAt);
    return false;
  }

  /**
   * Starts the run of a schedule if it is due, and stores when the next one is. `mark` is the state that was stored
   * before. Reads the settings after that state: otherwise this process could overwrite a newer timing of another
   * process with one from outdated settings. A failure is recorded for its schedule and does not affect the others.
   * Throws only if the database is unavailable or stays busy. The run then stays due for the next tick.
   */
  async #advance(schedule: Schedule, mark: PlannedRun): Promise<void> {
    const { knex, logger, isModuleActive, refreshSettings } = this.#deps;
    try {
      await refreshSettings();
      const rests = schedule.module !== undefined && !(await isModuleActive(schedule.module));
      await inTransaction(knex, (scope) =>
        this.#locked(scope.trx, schedule, mark, async (state, dueAt, now) => {
          if (rests) return {};
          if (await new JobReadModel(scope.trx).isUnfinished(state.lastJobId)) return { lastSkippedAt: now };
          const jobId = await schedule.begin({
            scope,
            dueAt,
            lastRunAt: state.lastRunAt,
            requestedBy: scheduleRequester(schedule.name),
            onRequest: false,
          });
          return { lastRunAt: now, lastJobId: jobId, lastError: null, lastErrorAt: null };
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
      this.#locked(trx, schedule, mark, (_state, _dueAt, now) => ({
        lastError: truncate(lastError, 500),
        lastErrorAt: now,
      })),
    );
  }

  /**
   * Sets the next run under a lock. If the stored fingerprint is not that of `mark`, another process has stored a
   * timing: does nothing, because the next tick checks again. If the run is still due, calls `whenDue`, which returns
   * the result of the run. It may not be due any more, because another process may have started it. A next run that is
   * later than the pattern allows was set while a clock was ahead, and is set again.
   */
  async #locked(
    trx: Knex.Transaction,
    schedule: Schedule,
    mark: PlannedRun,
    whenDue: (
      state: ScheduleState,
      dueAt: number,
      now: number,
    ) => Promise<Partial<ScheduleState>> | Partial<ScheduleState>,
  ): Promise<void> {
    const repository = new ScheduleRepository(trx);
    const state = await repository.lock(schedule.name);
    if (state.fingerprint !== mark.fingerprint) return;
    const timing = schedule.timing();
    const fingerprint = timingFingerprintOf(timing);
    // The time is read under the lock, because this process may have stood still since the tick began.
    const now = await readDatabaseTime(trx, this.#deps.clock);
    const nextRunAt = timing && nextRun(timing, startOfNextRunSearch(state, now));
    if (state.fingerprint !== fingerprint) await repository.save(schedule.name, { fingerprint, nextRunAt });
    else if (state.nextRunAt !== null && isDue(state, now))
      await repository.save(schedule.name, { ...(await whenDue(state, state.nextRunAt, now)), nextRunAt });
    else if (timing && isLaterThanTimingAllows(timing, state, now)) {
      const times = { schedule: schedule.name, stored: toIso(state.nextRunAt), next_run_at: toIso(nextRunAt) };
      this.#deps.logger.warn(times, 'the next run of a schedule was set again, because a clock had been ahead');
      await repository.save(schedule.name, { nextRunAt });
    }
  }
}

const isDue = ({ nextRunAt }: PlannedRun, now: number): boolean => nextRunAt !== null && nextRunAt <= now;

function isLaterThanTimingAllows(timing: CronTiming, run: PlannedRun, now: number): boolean {
  const next = nextRun(timing, startOfNextRunSearch(run, now));
  return run.nextRunAt !== null && next !== null && run.nextRunAt > next;
}

/**
 * Returns the time after which the next run is searched: now, or the last run if that is later, as after a clock was
 * set back by a few minutes. The last run must not be repeated.
 */
function startOfNextRunSearch({ lastRunAt }: PlannedRun, now: number): number {
  return lastRunAt !== null && isPossibleTime(lastRunAt, now) ? Math.max(now, lastRunAt) : now;
}
