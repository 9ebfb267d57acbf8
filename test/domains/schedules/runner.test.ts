import assert from 'node:assert/strict';
import { ScheduleRepository } from '../../../src/domains/schedules/schedule-repository.ts';
import { ScheduleRunner } from '../../../src/domains/schedules/schedule-runner.ts';
import type { Schedule, ScheduleRun, CronTiming } from '../../../src/platform/part.ts';
import { defineJobKind, createUnvalidatedParser, noInput, Queue } from '../../../src/queue/index.ts';
import { DatabaseUnavailableError } from '../../../src/shared/errors.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { withFreshDatabase, type TestDatabase } from '../../support/database.ts';
import { ManualClock } from '../../support/schedules.ts';
import { until } from '../../support/until.ts';

const HOURLY: CronTiming = { pattern: '0 * * * *', timeZone: 'UTC' };

const nothing = defineJobKind({
  name: 'nothing',
  about: 'other',
  input: noInput,
  result: createUnvalidatedParser<object>(),
  whenCancelled: 'finish',
  retryPermission: null,
  perform: async () => ({}),
});

describe('schedule runner', () => {
  let store: TestDatabase;
  withFreshDatabase((opened) => (store = opened));
  let clock: ManualClock;
  let queue: Queue;
  let logLines: string[];
  beforeEach(() => {
    clock = new ManualClock('2026-11-22T08:20:00Z');
    logLines = [];
    queue = new Queue({ knex: store.database.knex, clock, logger: logger() });
  });

  const logger = () => createLogger('info', { write: (line: string) => void logLines.push(line) });

  /** A schedule whose runs queue a job with one item. */
  const schedule = (changes: Partial<Schedule> = {}): Schedule => ({
    name: 'tidy',
    description: 'Tidies up.',
    timing: () => HOURLY,
    begin: ({ scope, requestedBy }) =>
      queue.enqueue(scope, nothing, { input: {}, items: [{ identifier: 'all' }], requestedBy }),
    ...changes,
  });

  /** Returns the runner of one process. */
  const runner = (
    schedules: Schedule[],
    options: { tickMs?: number; active?: boolean; refresh?: () => Promise<void> } = {},
  ) =>
    new ScheduleRunner({
      knex: store.database.knex,
      clock,
      logger: logger(),
      schedules: () => schedules,
      isModuleActive: async () => options.active ?? true,
      refreshSettings: async () => options.refresh?.(),
      tickMs: options.tickMs ?? null,
    });

  const stateOf = async (name = 'tidy') => {
    const state = (await new ScheduleRepository(store.database.knex).states()).get(name);
    assert.ok(state);
    return state;
  };
  const jobsOf = (name = 'tidy') =>
    store.database
      .knex('jobs')
      .where({ requested_by: `schedule:${name}` })
      .orderBy('created_at')
      .pluck<string[]>('id');
  const endJobs = () => store.database.knex('jobs').update({ state: 'completed', completed_at: clock.time });
  const tickAt = async (ticking: ScheduleRunner, at: string): Promise<void> => {
    clock.set(at);
    await ticking.tick();
  };

  it('when a schedule is new, then no job starts before its first due time', async () => {
    const one = runner([schedule()]);
    await one.tick();
    assert.deepEqual(await jobsOf(), []);
    assert.equal((await stateOf()).nextRunAt, Date.parse('2026-11-22T09:00:00Z'));
    await tickAt(one, '2026-11-22T08:59:59.999Z');
    assert.deepEqual(await jobsOf(), []);
  });

  it('when the due time is reached, then the job starts and the next run is stored', async () => {
    const due: number[] = [];
    const plain = schedule();
    const begin = (run: ScheduleRun) => {
      due.push(run.dueAt);
      return plain.begin(run);
    };
    const one = runner([{ ...plain, begin }]);
    await one.tick();
    await tickAt(one, '2026-11-22T09:00:02Z');
    const [jobId, ...more] = await jobsOf();
    assert.equal(more.length, 0);
    const { lastJobId, lastRunAt, nextRunAt } = await stateOf();
    assert.deepEqual([lastJobId, lastRunAt, nextRunAt], [jobId, clock.time, Date.parse('2026-11-22T10:00:00Z')]);
    assert.deepEqual(due, [Date.parse('2026-11-22T09:00:00Z')]);
    await one.tick();
    assert.equal((await jobsOf()).length, 1);
  });

  it('when the database does not finish the begin of one schedule, then the later ones still run', async () => {
    const begin = () =>
      Promise.reject(new DatabaseUnavailableError('svc_database_unavailable', 'A query took too long.'));
    const one = runner([schedule({ name: 'stuck', begin }), schedule()]);
    await one.tick();
    await assert.rejects(tickAt(one, '2026-11-22T09:00:02Z'), DatabaseUnavailableError);
    assert.equal((await jobsOf()).length, 1);
    assert.equal((await stateOf('stuck')).nextRunAt, Date.parse('2026-11-22T09:00:00Z'));
  });

  it('when many processes tick at the same time, then each run starts once', async () => {
    const processes = Array.from({ length: 6 }, () => runner([schedule()]));
    await Promise.all(processes.map((each) => each.tick()));
    for (let hour = 9; hour < 14; hour++) {
      clock.set(`2026-11-22T${String(hour).padStart(2, '0')}:00:00Z`);
      await Promise.all(processes.map((each) => each.tick()));
      assert.equal((await jobsOf()).length, hour - 8);
      await endJobs();
    }
  });

  it('when no process ran for a day, then one run starts and the next due time follows the pattern', async () => {
    await runner([schedule()]).tick();
    const after = runner([schedule()]);
    await tickAt(after, '2026-11-23T12:34:00Z');
    await after.tick();
    assert.equal((await jobsOf()).length, 1);
    assert.equal((await stateOf()).nextRunAt, Date.parse('2026-11-23T13:00:00Z'));
  });

  it('when a clock was ahead for a minute, then the next run follows the pattern again, with a warning', async () => {
    await runner([schedule()]).tick();
    const real = clock.now();
    clock.set('2027-05-01T00:00:30Z');
    await runner([schedule()]).tick();
    assert.equal((await stateOf()).nextRunAt, Date.parse('2027-05-01T01:00:00Z'));
    clock.time = real + 60_000;
    // A process that was running all the time, and one that was started later.
    await runner([schedule()]).tick();
    assert.equal((await stateOf()).nextRunAt, Date.parse('2026-11-22T09:00:00Z'));
    assert.equal(logLines.filter((line) => line.includes('a clock had been ahead')).length, 1);
  });

  it('when the clock is set back right after a run, then the run is not repeated', async () => {
    const tidy = runner([schedule()]);
    await tidy.tick();
    clock.set('2026-11-22T09:00:01Z');
    await tidy.tick();
    clock.set('2026-11-22T08:58:00Z');
    await tidy.tick();
    clock.set('2026-11-22T09:00:02Z');
    await tidy.tick();
    assert.equal((await stateOf()).nextRunAt, Date.parse('2026-11-22T10:00:00Z'));
    assert.equal(Number((await store.database.knex('jobs').count({ n: '*' }))[0]?.['n']), 1);
  });

  it('when a run fails after its job was queued, then the job is rolled back and the next tick starts it', async () => {
    const plain = schedule();
    let killed = true;
    const begin = async (run: ScheduleRun) => {
      const id = await plain.begin(run);
      if (killed) throw Object.assign(new Error('the connection was lost'), { code: 'ER_SERVER_SHUTDOWN' });
      return id;
    };
    const one = runner([{ ...plain, begin }]);
    await one.tick();
    clock.set('2026-11-22T09:00:00Z');
    await assert.rejects(one.tick());
    assert.deepEqual(await jobsOf(), []);
    killed = false;
    await tickAt(one, '2026-11-22T09:00:01Z');
    assert.equal((await jobsOf()).length, 1);
    assert.equal((await stateOf()).lastError, null);
  });

  it('when every attempt ends in a deadlock, then the next tick starts the run', async () => {
    const plain = schedule();
    let busy = true;
    const deadlock = () => Promise.reject(Object.assign(new Error('try again'), { code: 'ER_LOCK_DEADLOCK' }));
    const one = runner([{ ...plain, begin: (run) => (busy ? deadlock() : plain.begin(run)) }]);
    await one.tick();
    clock.set('2026-11-22T09:00:00Z');
    await assert.rejects(one.tick());
    busy = false;
    await tickAt(one, '2026-11-22T09:00:01Z');
    assert.equal((await jobsOf()).length, 1);
  });

  it('when the timing changes, then the next run moves at once', async () => {
    let timing: CronTiming | null = HOURLY;
    const one = runner([schedule({ timing: () => timing })]);
    await one.tick();
    timing = { pattern: '30 8 * * *', timeZone: 'UTC+2' };
    await one.tick();
    assert.equal((await stateOf()).nextRunAt, Date.parse('2026-11-23T06:30:00Z'));
    timing = null;
    await one.tick();
    assert.equal((await stateOf()).nextRunAt, null);
    await tickAt(one, '2026-12-24T00:00:00Z');
    assert.deepEqual(await jobsOf(), []);
  });

  describe('of another process that does not know a changed timing yet', () => {
    const noon = { pattern: '0 12 * * *', timeZone: 'UTC' };
    const atNoon = Date.parse('2026-11-22T12:00:00Z');
    const changed = () => runner([schedule({ timing: () => noon })]);

    it('when that process ticks, then it refreshes the settings first and keeps the new due time', async () => {
      let known: CronTiming = HOURLY;
      await changed().tick();
      await runner([schedule({ timing: () => known })], { refresh: async () => void (known = noon) }).tick();
      assert.equal((await stateOf()).nextRunAt, atNoon);
    });

    it('when the change is stored after its refresh, then it keeps the new due time', async () => {
      await runner([schedule({ timing: () => ({ ...noon, timeZone: 'UTC+2' }) })]).tick();
      await runner([schedule()], { refresh: () => changed().tick() }).tick();
      assert.equal((await stateOf()).nextRunAt, atNoon);
    });
  });

  it('when the job of the last run is still running, then the run is skipped and the skip is recorded', async () => {
    const one = runner([schedule()]);
    await one.tick();
    await tickAt(one, '2026-11-22T09:00:00Z');
    await tickAt(one, '2026-11-22T10:00:00Z');
    assert.equal((await jobsOf()).length, 1);
    assert.equal((await stateOf()).lastSkippedAt, clock.time);
    await endJobs();
    await tickAt(one, '2026-11-22T11:00:00Z');
    assert.equal((await jobsOf()).length, 2);
  });

  it('when one schedule fails to start, then its error is stored and the other schedules run', async () => {
    const fails = schedule({ name: 'a-broken-one', begin: () => Promise.reject(new Error('no such table: secret')) });
    const one = runner([fails, schedule()]);
    await one.tick();
    await tickAt(one, '2026-11-22T09:00:00Z');
    assert.equal((await jobsOf()).length, 1);
    const { lastError, lastErrorAt, nextRunAt } = await stateOf('a-broken-one');
    assert.deepEqual(
      [lastError, lastErrorAt, nextRunAt],
      ['Something went wrong on our side.', clock.time, Date.parse('2026-11-22T10:00:00Z')],
    );
    assert.ok(logLines.some((line) => line.includes('a-broken-one') && line.includes('no such table')));
    await one.tick();
    assert.equal(logLines.filter((line) => line.includes('no such table')).length, 1, 'it is not tried again at once');
  });

  it('when a run has nothing to do, then it is recorded without a job', async () => {
    const one = runner([schedule({ begin: async () => null })]);
    await one.tick();
    await tickAt(one, '2026-11-22T09:00:00Z');
    const { lastRunAt, lastJobId } = await stateOf();
    assert.deepEqual([lastRunAt, lastJobId], [clock.time, null]);
  });

  it('when the module of a schedule is disabled, then runs are skipped and not repeated later', async () => {
    const inModule = [schedule({ module: 'cost-tracker' })];
    await runner(inModule).tick();
    await tickAt(runner(inModule, { active: false }), '2026-11-22T09:00:00Z');
    const active = runner(inModule);
    await tickAt(active, '2026-11-22T09:30:00Z');
    assert.deepEqual(await jobsOf(), []);
    await tickAt(active, '2026-11-22T10:00:00Z');
    assert.equal((await jobsOf()).length, 1);
  });

  it('when nothing is due, then a tick sends one SQL statement', async () => {
    const one = runner([schedule(), schedule({ name: 'other' })]);
    await one.tick();
    let statements = 0;
    store.database.knex.on('query', () => statements++);
    await one.tick();
    assert.equal(statements, 1);
  });

  it('when the runner is started, then it ticks on a timer until it is stopped', async () => {
    const one = runner([schedule()], { tickMs: 5 });
    one.start();
    const marks = async () => (await new ScheduleRepository(store.database.knex).plannedRuns(clock)).runs;
    await until(async () => (await marks()).get('tidy')?.nextRunAt != null, 'the first look');
    clock.set('2026-11-22T09:00:00Z');
    await until(async () => (await jobsOf()).length === 1, 'the run');
    await one.stop();
    await endJobs();
    clock.set('2026-11-22T10:00:00Z');
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal((await jobsOf()).length, 1);
  });
});
