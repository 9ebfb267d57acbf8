import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { FleetRunner, JobReadModel, type Job, type JobFilter, type JobItem } from '../../../src/domains/jobs/index.ts';
import { END_STATES, Queue, type ItemState, type ItemVerdict } from '../../../src/queue/index.ts';
import { DomainError } from '../../../src/shared/errors.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import { recordStatements, withFreshDatabase } from '../../support/database.ts';
import { seedScopedSites, type ScopeCase, type ScopedSites } from '../../support/site-scopes.ts';
import { unlimitedRequester } from '../../../src/shared/requester.ts';

const ALL = { page: 1, perPage: 100 };
const clock = { now: () => 1_795_000_000_000 };

/** `site` is an index, or null for an item that is not a site. */
interface SeededItem {
  site: number | null;
  state: ItemState;
  stage?: number;
  verdict?: ItemVerdict;
}

const RINGS = { names: ['shop', 'rest'], stopAfter: 2, stopAfterMissed: { percent: 10 } };
const JOBS: { id: string; kind?: string; state: string; items: SeededItem[]; more?: object }[] = [
  {
    ...{ id: 'mixed', state: 'completed' },
    items: [
      { site: 0, state: 'succeeded' },
      { site: 1, state: 'failed' },
      { site: 2, state: 'partial' },
      { site: 3, state: 'unknown' },
      { site: 4, state: 'not_begun' },
    ],
  },
  { id: 'of-one', state: 'failed', items: [{ site: 1, state: 'failed' }] },
  { id: 'not-a-site', state: 'completed', kind: 'prune', items: [{ site: null, state: 'succeeded' }] },
  {
    ...{ id: 'running', state: 'processing' },
    items: [
      { site: 0, state: 'running' },
      { site: 2, state: 'waiting' },
      { site: 4, state: 'succeeded' },
    ],
  },
  {
    ...{ id: 'cancelled', state: 'cancelled' },
    items: [
      { site: 3, state: 'not_begun' },
      { site: 0, state: 'not_begun' },
    ],
  },
  {
    ...{ id: 'stopped', state: 'failed', kind: 'update' },
    items: [
      { site: 2, state: 'succeeded', verdict: 'proven' },
      { site: 0, state: 'succeeded', verdict: 'flawed' },
      { site: 4, state: 'failed', verdict: 'flawed' },
      { site: 1, state: 'not_begun', stage: 1 },
      { site: 3, state: 'not_begun', stage: 1 },
    ],
    more: {
      ...{ stages: JSON.stringify(RINGS), open_stage: 0, stopped_stage: 0 },
      stage_stop: JSON.stringify({ why: 'flawed', count: 2, limit: 2 }),
    },
  },
];
const FILTERS: JobFilter[] = [
  {},
  ...(['queued', 'processing', 'completed', 'failed', 'cancelled'] as const).map((state) => ({ state })),
  { kind: 'update' },
  { kind: 'sync', state: 'failed' },
];

describe('jobs within a scope', () => {
  let knex: Knex;
  let jobs: JobReadModel;
  let seeded: ScopedSites;
  withFreshDatabase(({ database }) => (knex = database.knex));

  beforeEach(async () => {
    jobs = new JobReadModel(knex);
    seeded = await seedScopedSites(knex);
    for (const [index, { id, kind = 'sync', state, items, more }] of JOBS.entries()) {
      const counts = END_STATES.map((end) => [end, items.filter((item) => item.state === end).length] as const);
      const isRunning = state === 'processing';
      await knex('jobs').insert({
        ...{ id, kind, state, total: items.length, processed: counts.reduce((sum, [, count]) => sum + count, 0) },
        ...Object.fromEntries(counts),
        ...{ requested_by: 'ann', input: '{}', created_at: index, completed_at: isRunning ? null : 9, open_stage: 0 },
        ...more,
      });
      await knex('job_items').insert(
        items.map((item, position) => ({
          ...{ job_id: id, position, site_id: item.site === null ? null : seeded.sites[item.site], attempt: 1 },
          ...{ identifier: `item-${position}`, state: item.state, stage: item.stage ?? 0 },
          ...{ verdict: item.verdict ?? null },
          ...(FAILED.includes(item.state) && { error_code: 'svc_site_unreachable', error_message: 'No.' }),
          completed_at: item.state === 'running' || item.state === 'waiting' ? null : 9,
        })),
      );
    }
  });

  const itemsOf = async (id: string): Promise<JobItem[]> => (await jobs.items(ALL_SITES, id, undefined, ALL)).items;

  /** Returns the expected fields of a job, computed from all of its items. Null if none is visible. */
  const expectedJob = async ({ sees }: ScopeCase, job: Job) => {
    const items = (await itemsOf(job.id)).filter(({ siteId }) => sees(siteId));
    const count = (state: ItemState): number => items.filter((item) => item.state === state).length;
    const ended = Object.fromEntries(END_STATES.map((state) => [state, count(state)]));
    const isFailed = job.state === 'completed' && count('succeeded') + count('partial') === 0;
    const processed = items.length - count('waiting') - count('running');
    const state = isFailed ? 'failed' : job.state;
    return items.length === 0 ? null : { id: job.id, state, total: items.length, processed, ...ended };
  };
  const countedFields = ({ id, state, total, processed, ...job }: Job) => ({
    ...{ id, state, total, processed },
    ...Object.fromEntries(END_STATES.map((end) => [end, job[end]])),
  });

  it('when a scope is limited, then the list has the jobs with a visible item, counted over these items', async () => {
    const every = (await jobs.list(ALL_SITES, {}, ALL)).items;
    assert.equal(every.length, JOBS.length);
    for (const each of seeded.scopes) {
      const visible = (await Promise.all(every.map((job) => expectedJob(each, job)))).filter((job) => job !== null);
      for (const filter of FILTERS) {
        const expected = visible.filter(
          ({ id, state }) =>
            (!filter.state || filter.state === state) &&
            (!filter.kind || filter.kind === every.find((job) => job.id === id)?.kind),
        );
        const found = await jobs.list(each.scope, filter, ALL);
        const name = `${each.name}, ${JSON.stringify(filter)}`;
        assert.deepEqual([found.items.map(countedFields), found.total], [expected, expected.length], name);
        const second = await jobs.list(each.scope, filter, { page: 2, perPage: 1 });
        assert.deepEqual([second.items.map(countedFields), second.total], [expected.slice(1, 2), expected.length]);
      }
    }
  });

  it('when a scope is limited, then a job has only its visible items, failures and counts', async () => {
    for (const each of seeded.scopes)
      for (const { id } of JOBS) {
        const unlimited = await jobs.get(ALL_SITES, id);
        const expected = await expectedJob(each, unlimited);
        if (expected) assert.deepEqual(countedFields(await jobs.get(each.scope, id)), expected, each.name);
        else await assert.rejects(jobs.get(each.scope, id), refusedWith('svc_job_not_found'), each.name);
        for (const state of [undefined, 'succeeded', 'failed'] as const) {
          const all = await jobs.items(ALL_SITES, id, state, ALL);
          const visible = all.items.filter(({ siteId }) => each.sees(siteId));
          const found = await jobs.items(each.scope, id, state, ALL);
          assert.deepEqual([found.items, found.total], [visible, visible.length], each.name);
        }
        const failures = await jobs.failures(ALL_SITES, id);
        const visible = failures.filter((failure) => each.sees(failure.site_id ?? null));
        assert.deepEqual(await jobs.failures(each.scope, id), visible, each.name);
      }
  });

  it('when an update ran by rings, then its rings and the reason of its stop are those of the visible sites', async () => {
    const read = async (name: string) => {
      const { scope } = seeded.scopes.find((each) => each.name === name) ?? assert.fail();
      const job = await jobs.get(scope, 'stopped');
      const counts = (await jobs.stageCounts(scope, [job])).get('stopped') ?? [];
      return [job.stages?.names, counts.map(({ total, flawed }) => [total, flawed]), job.stageStop?.count ?? null];
    };
    const rings = [
      [3, 2],
      [2, 0],
    ];
    assert.deepEqual(await read('all sites'), [['shop', 'rest'], rings, 2]);
    const ofTag = [
      [3, 2],
      [0, 0],
    ];
    assert.deepEqual(await read('a tag'), [['shop', ''], ofTag, 2]);
    const ofClient = [
      [1, 1],
      [1, 0],
    ];
    assert.deepEqual(await read('a client'), [['shop', 'rest'], ofClient, 1]);
    const ofSite = [
      [0, 0],
      [1, 0],
    ];
    assert.deepEqual(await read('one site'), [['', 'rest'], ofSite, null]);
  });

  it('when an update was stopped by a share of failures, then its limit is the share of the visible sites', async () => {
    const stop = JSON.stringify({ why: 'missed', count: 1, limit: 30 });
    await knex('job_items').where({ job_id: 'stopped', verdict: 'flawed', state: 'failed' }).update({ verdict: null });
    await knex('jobs').where({ id: 'stopped' }).update({ stage_stop: stop });
    const stops = [];
    for (const { scope, sees } of seeded.scopes)
      if (JOBS.at(-1)?.items.some(({ site }) => sees(seeded.sites[site ?? 0] ?? 0)))
        stops.push((await jobs.get(scope, 'stopped')).stageStop);
    const visible = { why: 'missed', count: 1, limit: 1 };
    assert.deepEqual(stops, [JSON.parse(stop), null, null, visible, null, null]);
  });

  it('when a scope is limited, then a page of jobs needs one more statement, and their items none', async () => {
    for (const { name, scope } of seeded.scopes) {
      const count = async (work: () => Promise<unknown>) => (await recordStatements(knex, work)).length;
      const isEmpty = (await jobs.list(scope, {}, ALL)).total === 0;
      assert.equal(await count(() => jobs.list(scope, {}, ALL)), scope === ALL_SITES || isEmpty ? 2 : 3, name);
      assert.equal(await count(() => jobs.items(scope, 'mixed', undefined, ALL)), 2, name);
      assert.equal(await count(() => jobs.failures(scope, 'mixed')), 1, name);
    }
  });

  it('when a job has items outside the scope, then it can be neither cancelled nor retried', async () => {
    const logger = createLogger('silent');
    const queue = new Queue({ knex, clock, logger });
    const runner = new FleetRunner({ knex, queue, jobs, inlineDeadlineMs: 1_000 });
    const scopeOf = (name: string) => seeded.scopes.find((each) => each.name === name)?.scope ?? assert.fail();
    const outside = (count: number) => (error: unknown) =>
      refusedWith('svc_outside_limits')(error) && (error as DomainError).data['sites_outside'] === count;
    await assert.rejects(runner.cancel(scopeOf('a client'), 'running'), outside(2));
    await assert.rejects(runner.retryFailed(scopeOf('a client'), 'mixed', unlimitedRequester('ann')), outside(3));
    await assert.rejects(runner.cancel(scopeOf('one site'), 'running'), refusedWith('svc_job_not_found'));
    await assert.rejects(
      runner.retryFailed(scopeOf('no site'), 'mixed', unlimitedRequester('ann')),
      refusedWith('svc_job_not_found'),
    );
    assert.equal((await jobs.get(ALL_SITES, 'running')).state, 'processing');

    const retried = await runner.retryFailed(scopeOf('a client'), 'of-one', unlimitedRequester('ann'));
    assert.equal((await jobs.get(scopeOf('a client'), retried)).total, 1);
    assert.equal(await runner.cancel(scopeOf('a tag'), 'running'), true);
    assert.equal(await runner.cancel(ALL_SITES, 'no-such-job'), null);
    assert.ok(await runner.retryFailed(ALL_SITES, 'mixed', unlimitedRequester('ann')));
  });
});

const FAILED: readonly ItemState[] = ['partial', 'failed', 'unknown', 'not_begun'];

const refusedWith =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof DomainError && error.code === code;
