import { ConflictError } from '../../shared/errors.ts';
import { ALL_SITES, type SiteScope } from '../../shared/site-scope.ts';
import { outsideError } from '../sites/index.ts';
import { startTask, stopTask, type StoredTask } from './task.ts';
import type { TaskRecord } from './task-read-model.ts';
import { ensureOperator, rejectSecondTimer, type TimerOperator } from './task-repository.ts';
import { currentTerms, sitesOutsideOf } from './task-service.ts';
import { pauseTimer } from './timer.ts';
import type { TrackerUnitOfWork, TrackerTransaction } from './tracker-unit-of-work.ts';

/**
 * Runs the timers of tasks. Only the start time of a timer is stored, so it continues after a restart of the process.
 */
export class TimerService {
  readonly #tracker: TrackerUnitOfWork;

  constructor(tracker: TrackerUnitOfWork) {
    this.#tracker = tracker;
  }

  /**
   * Starts a timer. `switching` first pauses the timer that the user runs on another task. Throws
   * `svc_timer_already_running`, `svc_timer_other_running`, `svc_task_billed`, and `svc_outside_limits` if the timer of
   * the user runs on a task outside the scope.
   */
  async start(
    scope: SiteScope,
    id: number,
    operator: TimerOperator,
    { switching }: { switching: boolean },
  ): Promise<TaskRecord> {
    await ensureOperator(this.#tracker.knex, operator);
    return this.#change(scope, id, operator, async (work) => {
      await work.tasks.lockOperator(operator);
      const otherId = await work.tasks.runningOf(operator);
      const held = await lockTasks(work, scope, id, otherId);
      const task = startTask(held.task, work.now);
      if (held.other) {
        await refuseOutside(work, scope, held.other);
        if (!switching) refuseSecondTimer(held.other);
        await pauseTask(work, held.other);
      }
      const { runningSince } = task.timer;
      await work.tasks.openEntry(id, runningSince ?? work.now, operator.name);
      const write = work.tasks.update(id, { ...task, operator: operator.name }, operator.userId);
      await rejectSecondTimer(write);
      const states = [loggedTimerValues(held.task), loggedTimerValues(task)] as const;
      await work.log(task, 'timer.started', `Started the timer of the task ${task.title}.`, states);
    });
  }

  pause(scope: SiteScope, id: number, operator: TimerOperator): Promise<TaskRecord> {
    return this.#change(scope, id, operator, async (work) => pauseTask(work, await work.tasks.lock(scope, id)));
  }

  stop(scope: SiteScope, id: number, operator: TimerOperator): Promise<TaskRecord> {
    return this.#change(scope, id, operator, async (work) => {
      const stored = await work.tasks.lock(scope, id);
      const task = stopTask(stored, work.now, await currentTerms(work, stored), work.today);
      if (stored.timer.status === 'running') await work.tasks.closeEntry(id, task.timer.latestAt);
      await work.tasks.update(id, task, null);
      const seconds = task.settlement?.seconds ?? 0;
      const states = [loggedTimerValues(stored), loggedTimerValues(task)] as const;
      await work.log(task, 'timer.stopped', `Stopped the timer of the task ${task.title} at ${seconds} s.`, states);
    });
  }

  async #change(
    scope: SiteScope,
    id: number,
    operator: TimerOperator,
    change: (work: TrackerTransaction) => Promise<void>,
  ): Promise<TaskRecord> {
    await this.#tracker.inTransaction(operator.name, change);
    return (await this.#tracker.tasks()).get(scope, id);
  }
}

async function pauseTask(work: TrackerTransaction, stored: StoredTask): Promise<void> {
  const timer = pauseTimer(stored.timer, work.now);
  await work.tasks.closeEntry(stored.id, timer.latestAt);
  await work.tasks.update(stored.id, { ...stored, timer }, null);
  const states = [loggedTimerValues(stored), loggedTimerValues({ timer })] as const;
  await work.log(stored, 'timer.paused', `Paused the timer of the task ${stored.title}.`, states);
}

const loggedTimerValues = ({ timer: { status, recordedSeconds } }: Pick<StoredTask, 'timer'>) => ({
  status,
  elapsedSeconds: recordedSeconds,
});

/** Locks both tasks in the order of their IDs, so that two users who switch between the same tasks cannot deadlock. */
async function lockTasks(work: TrackerTransaction, scope: SiteScope, id: number, otherId: number | null) {
  const held = new Map<number, StoredTask>();
  const ids = [...new Set([id, ...(otherId === null ? [] : [otherId])])].sort((one, other) => one - other);
  for (const each of ids) held.set(each, await work.tasks.lock(each === id ? scope : ALL_SITES, each));
  const other = otherId === null || otherId === id ? undefined : held.get(otherId);
  // Another call may have paused the timer of the other task before that task was locked.
  const isRunning = other?.timer.status === 'running';
  return { task: held.get(id) as StoredTask, other: isRunning ? other : null };
}

async function refuseOutside({ trx, tasks }: TrackerTransaction, scope: SiteScope, other: StoredTask): Promise<void> {
  if (await tasks.isInScope(scope, other.id)) return;
  throw outsideError('Your timer of a task outside your limits is running.', await sitesOutsideOf(trx, scope, other));
}

function refuseSecondTimer({ id, title }: StoredTask): never {
  const message = `Your timer of the task ${title} is running. Pause it first, or send switch=1.`;
  throw new ConflictError('svc_timer_other_running', message, { task_id: id });
}
