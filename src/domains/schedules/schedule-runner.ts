import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import type { Schedule } from '../../part.ts';
import type { Clock } from '../../shared/clock.ts';
import { DatabaseUnavailableError, DomainError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import { loop } from '../../shared/loop.ts';
import { JobReadModel } from '../jobs/index.ts';
import { ScheduleRepository, type ScheduleMark, type ScheduleState } from './schedule-repository.ts';
import { fingerprintOf, nextRun } from './timing.ts';

export interface ScheduleRunnerParts {
  knex: Knex;
  clock: Clock;
  logger: Logger;
  schedules: () => readonly Schedule[];
  isModuleActive: (slug: string) => Promise<boolean>;
  /** How often to look; null leaves it to whoever calls `tick`. */
  tickMs: number | null;
}

/** Who a run that began by itself is said to have been asked for by. */
export const requesterOf = (name: string): string => `schedule:${name}`;

/**
 * Begins what is due. Every process looks at the rows of all schedules; whoever locks a row first while its run is due
 * begins the job, and moves the next run on in the same transaction, so that a run happens once however many
 * processes there are and whenever one of them is killed. What was missed while none was there happens once.
 */
export class ScheduleRunner {
  readonly #parts: ScheduleRunnerParts;
  readonly #stopping = new AbortController();
  #ticking: Promise<void> = Promise.resolve();

  constructor(parts: ScheduleRunnerParts) {
    this.#parts = parts;
  }

  start(): void {
    const { tickMs: everyMs, logger } = this.#parts;
    if (everyMs === null) return;
    const { signal } = this.#stopping;
    this.#ticking = loop({ everyMs, signal, logger, failure: 'the schedules could not be read' }, () => this.tick());
  }

  /** Begins nothing more; what was being begun has begun when this ends. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ticking;
  }

  /** Looks at all schedules, in one statement while nothing is due. */
  async tick(): Promise<void> {
    const { knex, schedules } = this.#parts;
    const repository = new ScheduleRepository(knex);
    const marks = await repository.marks();
    await repository.add(schedules().flatMap(({ name }) => (marks.has(name) ? [] : [name])));
    for (const schedule of schedules()) {
      if (this.#stopping.signal.aborted) return;
      if (this.#asksForMore(schedule, marks.get(schedule.name))) await this.#advance(schedule);
    }
  }

  /** Its timing has changed, or its run is due. */
  #asksForMore(schedule: Schedule, mark: ScheduleMark | undefined): boolean {
    if (mark?.fingerprint !== fingerprintOf(schedule.timing())) return true;
    return mark.nextRunAt !== null && mark.nextRunAt <= this.#parts.clock.now();
  }

  /** A failure of one schedule is its own; only a database that is away ends the tick, and the next one goes on. */
  async #advance(schedule: Schedule): Promise<void> {
    const { knex, logger, isModuleActive } = this.#parts;
    try {
      const rests = schedule.module !== undefined && !(await isModuleActive(schedule.module));
      await inTransaction(knex, (scope) =>
        this.#locked(scope.trx, schedule, async (state, dueAt) => {
          if (rests) return {};
          if (await new JobReadModel(scope.trx).isAtWork(state.lastJobId)) return { lastSkippedAt: this.#now() };
          const jobId = await schedule.begin({ scope, dueAt, requestedBy: requesterOf(schedule.name) });
          return { lastRunAt: this.#now(), lastJobId: jobId, lastError: null, lastErrorAt: null };
        }),
      );
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) throw error;
      logger.error({ err: error, schedule: schedule.name }, 'a run of a schedule could not begin');
      await this.#recordFailure(schedule, error);
    }
  }

  #recordFailure(schedule: Schedule, error: unknown): Promise<void> {
    const lastError = error instanceof DomainError ? error.message : 'Something went wrong on our side.';
    return inTransaction(this.#parts.knex, ({ trx }) =>
      this.#locked(trx, schedule, () => ({ lastError: lastError.slice(0, 500), lastErrorAt: this.#now() })),
    );
  }

  /**
   * Moves a schedule on under its lock. `whenDue` is asked what came of the run when it is still due, which another
   * process may have begun meanwhile.
   */
  async #locked(
    trx: Knex.Transaction,
    schedule: Schedule,
    whenDue: (state: ScheduleState, dueAt: number) => Promise<Partial<ScheduleState>> | Partial<ScheduleState>,
  ): Promise<void> {
    const repository = new ScheduleRepository(trx);
    const state = await repository.lock(schedule.name);
    const timing = schedule.timing();
    const fingerprint = fingerprintOf(timing);
    // The clock of the process that began the last run may go before ours.
    const nextRunAt = timing && nextRun(timing, Math.max(this.#now(), state.lastRunAt ?? 0));
    if (state.fingerprint !== fingerprint) await repository.save(schedule.name, { fingerprint, nextRunAt });
    else if (state.nextRunAt !== null && state.nextRunAt <= this.#now())
      await repository.save(schedule.name, { ...(await whenDue(state, state.nextRunAt)), nextRunAt });
  }

  #now(): number {
    return this.#parts.clock.now();
  }
}
