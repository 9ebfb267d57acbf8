import assert from 'node:assert/strict';
import fc from 'fast-check';
import { bucketBalanceOf, type DebitedTime } from '../../../src/domains/time-tracker/bucket.ts';
import { amountToNumber, toPriceUnits, type Rounding } from '../../../src/domains/time-tracker/price.ts';
import {
  recalculateSettlement,
  calculateSettlement,
  startTask,
  stopTask,
  type BillingTerms,
  type BillingRelevantTask,
} from '../../../src/domains/time-tracker/task.ts';
import { elapsedSecondsAt, timeOfTimerEvent, newTimer, pauseTimer } from '../../../src/domains/time-tracker/timer.ts';
import { anyStep, BUCKETS, DEFAULT_CENTS, TASKS, TimeModel, type ModelStep } from '../../support/time-model.ts';

const START = Date.parse('2026-11-20T09:00:00.300Z');
const DAY = '2026-11-20';

/** Applies the rules of the tracker to tasks in memory, as its services apply them to stored tasks. */
class TrackerUnderTest {
  now = START;
  tasks: BillingRelevantTask[] = Array.from({ length: TASKS }, () => ({
    bucketId: null,
    billable: true,
    paymentStatus: 'unbilled',
    hourlyUnits: null,
    timer: newTimer(START),
    settlement: null,
  }));
  readonly bucketUnits: (number | null)[] = Array.from({ length: BUCKETS }, () => null);
  rounding: Rounding | null = null;

  apply(step: ModelStep): void {
    if (step.do === 'wait') this.now += step.ms;
    else if (step.do === 'round') this.rounding = step.enabled ? { mode: step.mode, minutes: step.minutes } : null;
    else if (step.do === 'refill') this.bucketUnits[step.bucket] = unitsOf(step.cents);
    // A restart keeps only stored data.
    else if (step.do === 'restart') this.tasks = JSON.parse(JSON.stringify(this.tasks)) as BillingRelevantTask[];
    else this.tasks[step.task] = this.#changed(this.tasks[step.task] as BillingRelevantTask, step);
  }

  #changed(task: BillingRelevantTask, step: Extract<ModelStep, { task: number }>): BillingRelevantTask {
    const repriced = (fields: Partial<BillingRelevantTask>): BillingRelevantTask => {
      const changed = { ...task, ...fields };
      return recalculateSettlement(changed, this.terms(changed), DAY);
    };
    switch (step.do) {
      case 'start':
        return startTask(task, this.now);
      case 'pause':
        return { ...task, timer: pauseTimer(task.timer, this.now) };
      case 'stop':
        return stopTask(task, this.now, this.terms(task), DAY);
      case 'edit':
        if (step.seconds === task.timer.recordedSeconds) return task;
        return repriced({
          timer: { ...task.timer, recordedSeconds: step.seconds, latestAt: timeOfTimerEvent(task.timer, this.now) },
        });
      case 'move':
        return step.bucket === task.bucketId ? task : repriced({ bucketId: step.bucket });
      case 'price':
        return unitsOf(step.cents) === task.hourlyUnits ? task : repriced({ hourlyUnits: unitsOf(step.cents) });
      case 'bill':
        return step.billable === task.billable ? task : repriced({ billable: step.billable });
    }
  }

  terms({ hourlyUnits, bucketId }: BillingRelevantTask): BillingTerms {
    const ofBucket = bucketId === null ? null : (this.bucketUnits[bucketId] ?? null);
    const units = hourlyUnits ?? ofBucket ?? toPriceUnits(DEFAULT_CENTS / 100);
    return { hourlyUnits: units, source: 'task', currency: 'EUR', decimals: 2, rounding: this.rounding };
  }

  sumOf(index: number) {
    const task = this.tasks[index] as BillingRelevantTask;
    const elapsed = elapsedSecondsAt(task.timer, this.now);
    const open = { ...task, timer: { ...task.timer, recordedSeconds: elapsed } };
    const { total } = task.settlement ?? calculateSettlement(open, this.terms(task), DAY);
    const billed = task.settlement?.seconds ?? null;
    return { status: task.timer.status, elapsed, billed, total: Math.round(amountToNumber(total) * 100) };
  }

  usedOf(bucketId: number): number {
    const usage = this.tasks.flatMap((task): DebitedTime[] =>
      task.bucketId === bucketId && task.settlement?.debit ? [{ clientId: 1, ...task.settlement.debit }] : [],
    );
    const rules = { seconds: 36_000, recurrence: 'monthly', anchorDay: DAY, carryOver: false } as const;
    const bucket = { ...rules, carriedSeconds: 0, carriedDay: DAY, archived: false };
    return bucketBalanceOf(bucket, usage, DAY).usedSeconds;
  }
}

const unitsOf = (cents: number | null): number | null => (cents === null ? null : toPriceUnits(cents / 100));

describe('sums of time and money', () => {
  it('when 10,000 random sequences run, then each sum equals an independent computation', () => {
    const property = fc.property(fc.array(anyStep, { minLength: 5, maxLength: 40 }), (steps) => {
      const [desk, model] = [new TrackerUnderTest(), new TimeModel(START)];
      for (const step of steps) {
        // The database allows one running timer per user. The timer itself rejects all other steps.
        if (model.apply(step)) desk.apply(step);
        else if (isOfTimer(step) && !isSecond(desk, step)) assert.throws(() => desk.apply(step), { status: 409 });
        for (let task = 0; task < TASKS; task++) assert.deepEqual(desk.sumOf(task), model.sumOf(task));
        for (let bucket = 0; bucket < BUCKETS; bucket++) assert.equal(desk.usedOf(bucket), model.usedOf(bucket));
      }
    });
    fc.assert(property, { numRuns: 10_000 });
  }).timeout(120_000);
});

const isOfTimer = ({ do: verb }: ModelStep): boolean => verb === 'start' || verb === 'pause' || verb === 'stop';

const isSecond = (desk: TrackerUnderTest, step: ModelStep): boolean =>
  step.do === 'start' && desk.tasks.some(({ timer }, index) => timer.status === 'running' && index !== step.task);
