import type { Knex } from 'knex';
import { isTransient } from '../../db/dialect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Schedule } from '../../part.ts';
import type { Clock } from '../../shared/clock.ts';
import { DatabaseUnavailableError, DomainError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import { loop } from '../../shared/loop.ts';
import { cut } from '../../shared/text.ts';
import { JobReadModel } from '../jobs/index.ts';
import { NEVER_RUN, ScheduleRepository, type ScheduleMark, type ScheduleState } from './schedule-repository.ts';
import { fingerprintOf, nextRun } from './timing.ts';

export interface ScheduleRunnerParts {
  knex: Knex;
  clock: Clock;
  logger: Logger;
  schedules: () => readonly Schedule[];
  isModuleActive: (slug: string) => Promise<boolean>;
  /** Has what another process changed of the settings a moment ago count here. */
  refreshSettings: () => Promise<unknown>;
  /** How often to look; null leaves it to whoever calls `tick`. */
  tickMs: number | null;
}

/** Who a run that began by itself is said to have been asked for by. */
const requesterOf = (name: string): string => `schedule:${name}`;

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
      const mark = marks.get(schedule.name) ?? NEVER_RUN;
      if (this.#asksForMore(schedule, mark)) await this.#advance(schedule, mark);
    }
  }

  /** Its timing has changed, or its run is due. */
  #asksForMore(schedule: Schedule, mark: ScheduleMark): boolean {
    return mark.fingerprint !== fingerprintOf(schedule.timing()) || this.#isDue(mark);
  }

  #isDue({ nextRunAt }: ScheduleMark): boolean {
    return nextRunAt !== null && nextRunAt <= this.#now();
  }

  /**
   * The settings are read after the mark, so that a timing that another process has put down is never taken back by one
   * that did not know of it yet. A failure of one schedule is its own; only a database that is away, or busy to the
   * end, ends the tick, and the next one goes on.
   */
  async #advance(schedule: Schedule, mark: ScheduleMark): Promise<void> {
    const { knex, logger, isModuleActive, refreshSettings } = this.#parts;
    try {
      await refreshSettings();
      const rests = schedule.module !== undefined && !(await isModuleActive(schedule.module));
      await inTransaction(knex, (scope) =>
        this.#locked(scope.trx, schedule, mark, async (state, dueAt) => {
          if (rests) return {};
          if (await new JobReadModel(scope.trx).isAtWork(state.lastJobId)) return { lastSkippedAt: this.#now() };
          const jobId = await schedule.begin({ scope, dueAt, requestedBy: requesterOf(schedule.name) });
          return { lastRunAt: this.#now(), lastJobId: jobId, lastError: null, lastErrorAt: null };
        }),
      );
    } catch (error) {
      if (error instanceof DatabaseUnavailableError || isTransient(error)) throw error;
      logger.error({ err: error, schedule: schedule.name }, 'a run of a schedule could not begin');
      await this.#recordFailure(schedule, mark, error);
    }
  }

  #recordFailure(schedule: Schedule, mark: ScheduleMark, error: unknown): Promise<void> {
    const lastError = error instanceof DomainError ? error.message : 'Something went wrong on our side.';
    return inTransaction(this.#parts.knex, ({ trx }) =>
      this.#locked(trx, schedule, mark, () => ({ lastError: cut(lastError, 500), lastErrorAt: this.#now() })),
    );
  }

  /**
   * Moves a schedule on under its lock, unless its timing is no longer what the mark says: then the next tick looks
   * again. `whenDue` is asked what came of the run when it is still due, which another process may have begun
   * meanwhile.
   */
  async #locked(
    trx: Knex.Transaction,
    schedule: Schedule,
    mark: ScheduleMark,
    whenDue: (state: ScheduleState, dueAt: number) => Promise<Partial<ScheduleState>> | Partial<ScheduleState>,
  ): Promise<void> {
    const repository = new ScheduleRepository(trx);
    const state = await repository.lock(schedule.name);
    if (state.fingerprint !== mark.fingerprint) return;
    const timing = schedule.timing();
    const fingerprint = fingerprintOf(timing);
    // The clock of the process that began the last run may go before ours.
    const nextRunAt = timing && nextRun(timing, Math.max(this.#now(), state.lastRunAt ?? 0));
    if (state.fingerprint !== fingerprint) await repository.save(schedule.name, { fingerprint, nextRunAt });
    else if (state.nextRunAt !== null && this.#isDue(state))
      await repository.save(schedule.name, { ...(await whenDue(state, state.nextRunAt)), nextRunAt });
  }

  #now(): number {
    return this.#parts.clock.now();
  }
}
