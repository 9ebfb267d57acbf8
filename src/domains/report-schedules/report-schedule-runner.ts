import type { Knex } from 'knex';
import type { TransactionScope } from '../../db/transaction.ts';
import type { Schedule } from '../../platform/part.ts';
import type { Queue } from '../../queue/index.ts';
import type { Clock } from '../../shared/clock.ts';
import { JobReadModel } from '../jobs/index.ts';
import type { ReportDays } from '../pro-reports/index.ts';
import type { Settings } from '../settings/index.ts';
import { StoredReportRepository } from './stored-report-repository.ts';
import type { QueuedReport, ReportFault } from './stored-report.ts';
import type { MakeReportJob } from './make-report.job.ts';
import { lastDue, nextDue, lastCompletePeriod } from './recurrence-times.ts';
import { ReportScheduleRepository } from './report-schedule-repository.ts';
import type { NextRun, StoredReportSchedule } from './report-schedule.ts';
import { isReportTargetSuspended, ReportTargetReadModel, type ReportTarget } from './report-target-read-model.ts';
import type { Requester } from '../../shared/requester.ts';

/** Maximum number of reports that one run queues. The next run starts a minute later. */
const AT_ONCE = 200;

const CANCELLED: ReportFault = { code: 'svc_cancelled', message: 'The job of the report was cancelled.' };

export interface ReportScheduleRunnerDeps {
  clock: Clock;
  queue: Queue;
  makeReport: MakeReportJob;
  general: () => Settings<'general'>;
  dayOf: (ms: number, zone: string) => string;
  /** Returns the end of the last day in a time zone, in milliseconds since 1970. */
  endOf: (days: ReportDays, zone: string) => number;
}

export interface WantedReport {
  schedule: StoredReportSchedule;
  about: ReportTarget;
  days: ReportDays;
  text?: string | null;
}

export class ReportScheduleRunner {
  readonly #deps: ReportScheduleRunnerDeps;

  constructor(deps: ReportScheduleRunnerDeps) {
    this.#deps = deps;
  }

  get timeZone(): string {
    return this.#deps.general().timezone_string;
  }

  /**
   * Queues a report for each schedule that is due and sets its next run, in the transaction of the run. If several runs
   * were missed, only one report is made, for the last due time.
   */
  async begin(scope: TransactionScope, requestedBy: Requester): Promise<void> {
    const now = this.#deps.clock.now();
    const schedules = new ReportScheduleRepository(scope.trx);
    await this.#settle(scope);
    const due = await schedules.claimDue(now, AT_ONCE);
    const abouts = await new ReportTargetReadModel(scope.trx).of(due);
    const wanted: WantedReport[] = [];
    for (const schedule of due) {
      const { id, nextRunAt } = schedule;
      const zone = schedule.zone ?? this.timeZone;
      const about = abouts.get(id) ?? { site: null, client: null };
      const isWanted = !isReportTargetSuspended(about);
      if (isWanted) {
        const dueAt = lastDue(schedule, zone, nextRunAt ?? now, now);
        const days = lastCompletePeriod(schedule.frequency, this.#deps.dayOf(dueAt, zone));
        // In the client's time zone, the last day of the period may not be over yet. Then the report waits for its end.
        const overAt = this.#deps.endOf(days, this.#zoneOf(about));
        if (overAt > now) {
          await schedules.reschedule(id, { nextRunAt: overAt, zone });
          continue;
        }
        wanted.push({ schedule, about, days });
      }
      await schedules.reschedule(id, { ...this.dueFrom(schedule, now), ...(isWanted && { lastRunAt: now }) });
    }
    await this.#followTimeZone(schedules, now);
    if (wanted.length > 0) await this.queue(scope, wanted, requestedBy);
  }

  dueFrom(schedule: Pick<StoredReportSchedule, 'active' | 'frequency' | 'day' | 'time'>, now: number) {
    const { timeZone: zone } = this;
    return schedule.active ? { nextRunAt: nextDue(schedule, zone, now), zone } : { nextRunAt: null, zone: null };
  }

  async queue(
    { trx, afterCommit }: TransactionScope,
    wanted: readonly WantedReport[],
    requestedBy: Requester,
  ): Promise<number[]> {
    const { queue, makeReport, clock } = this.#deps;
    const reports = new StoredReportRepository(trx);
    const ids: number[] = [];
    for (const each of wanted) ids.push(await reports.insert(this.#queued(each), clock.now()));
    const items = ids.map((identifier) => ({ identifier }));
    const jobId = await queue.enqueue({ trx, afterCommit }, makeReport, { input: {}, items, requestedBy });
    await reports.setJob(ids, jobId);
    return ids;
  }

  /** Returns the ID of a job that makes a report of the schedule, or null. A retry of a failed report is such a job. */
  async jobUnderWay(trx: Knex.Transaction, scheduleId: number): Promise<string | null> {
    const reports = await new StoredReportRepository(trx).unmadeOf(scheduleId);
    return new JobReadModel(trx).unfinishedJobOf(this.#deps.makeReport.name, reports);
  }

  #queued({ schedule, about, days, text = null }: WantedReport): QueuedReport {
    const { site, client } = about;
    return {
      scheduleId: schedule.id,
      about: schedule.siteId === null ? 'client' : 'site',
      siteId: site?.id ?? null,
      clientId: client?.id ?? null,
      name: site ? site.name.trim() || site.url : (client?.name ?? ''),
      url: site?.url ?? '',
      frequency: schedule.frequency,
      ...days,
      zone: this.#zoneOf(about),
      text,
    };
  }

  #zoneOf({ client }: ReportTarget): string {
    return client?.time_zone || this.timeZone;
  }

  async #followTimeZone(schedules: ReportScheduleRepository, now: number): Promise<void> {
    for (const schedule of await schedules.claimOfOtherZones(this.timeZone, now, AT_ONCE)) {
      const next = this.dueFrom(schedule, now);
      // A run that keeps its time also keeps its zone, which decides about the period that it reports.
      if (!this.#leavesOutPeriod(schedule, next)) await schedules.reschedule(schedule.id, next);
    }
  }

  /** True if the planned run reports an earlier period than the next run, so that no run would report this period. */
  #leavesOutPeriod({ frequency, ...planned }: StoredReportSchedule, next: NextRun): boolean {
    const periodOf = ({ nextRunAt, zone }: NextRun): ReportDays | null =>
      nextRunAt === null ? null : lastCompletePeriod(frequency, this.#deps.dayOf(nextRunAt, zone ?? this.timeZone));
    const [early, late] = [periodOf(planned), periodOf(next)];
    return early !== null && late !== null && early.startDate < late.startDate;
  }

  /**
   * Marks queued reports as failed if their job has ended or was deleted. A job leaves its report queued if it fails
   * before it begins the report, or while the database is unavailable.
   */
  async #settle({ trx }: TransactionScope): Promise<void> {
    const reports = new StoredReportRepository(trx);
    const queued = await reports.queued();
    const alive = await new JobReadModel(trx).unfinishedAmong(queued.flatMap(({ jobId }) => jobId ?? []));
    const left = queued.filter(({ jobId }) => jobId === null || !alive.has(jobId));
    const faults = await reports.faultsOfJobs(left.flatMap(({ jobId }) => jobId ?? []));
    for (const { id } of left) await reports.saveFailed(id, faults.get(id) ?? CANCELLED);
  }
}

export const reportsSchedule = (runs: Pick<ReportScheduleRunner, 'begin'>): Schedule => ({
  name: 'reports',
  module: 'pro-reports',
  description: 'Creates, stores and sends the reports that are due.',
  timing: () => ({ pattern: '* * * * *', timeZone: 'UTC' }),
  begin: async ({ scope, requestedBy }) => {
    await runs.begin(scope, requestedBy);
    // A job ID would make further runs wait until all reports of this run are made.
    return null;
  },
});
