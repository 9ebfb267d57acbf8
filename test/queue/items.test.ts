import assert from 'node:assert/strict';
import { inTransaction } from '../../src/db/transaction.ts';
import { createUnvalidatedParser, defineJobKind, plainInput, type ItemCall } from '../../src/queue/index.ts';
import { HOUR } from '../../src/shared/clock.ts';
import { ConflictError, NotFoundError } from '../../src/shared/errors.ts';
import { createGate, registerHandler, testJob, type QueueBench, until, withQueueBench } from './support.ts';
import { unlimitedRequester } from '../../src/shared/requester.ts';

describe('queue', () => {
  let bench: QueueBench;
  withQueueBench((opened) => (bench = opened));

  it('when an item that may have changed its site is retried, then only a kind that looks first runs it as resumed', async () => {
    const queue = bench.queue();
    const seen: [string, boolean][] = [];
    for (const [name, whenRetried] of [
      ['looks', 'look'],
      ['repeats', 'repeat'],
    ] as const)
      queue.register(
        defineJobKind({
          ...{ name, about: 'site', whenCancelled: 'finish', whenRetried, retryPermission: null },
          ...{ input: plainInput<unknown>(), result: createUnvalidatedParser<unknown>() },
          perform: async ({ resumed }) => void seen.push([name, resumed]),
        }),
      );
    await queue.start();
    for (const kind of ['looks', 'repeats']) {
      const items = [{ siteId: 1, identifier: 'site', resumed: true }];
      const job = { kind, requestedBy: unlimitedRequester('tester'), input: {}, items };
      await bench.waitForJob(await inTransaction(bench.knex, (scope) => queue.retry(scope, 'ended', job)));
    }
    assert.deepEqual(seen, [
      ['looks', true],
      ['repeats', false],
    ]);
  });

  it('when a job is queued, then every item runs once in order and its result is stored', async () => {
    const queue = bench.queue({ concurrency: 1 });
    const seen: string[] = [];
    registerHandler(queue, 'sync', async ({ item, resumed, signal }) => {
      assert.equal(resumed, false);
      assert.equal(signal.aborted, false);
      assert.deepEqual([item.kind, item.requestedBy, item.input], ['sync', 'tester', { force: true }]);
      seen.push(String(item.identifier));
      return { number: item.siteId };
    });
    await queue.start();
    const id = await bench.enqueue(queue, testJob('sync', 7, { force: true }));
    await bench.waitForJob(id);
    assert.deepEqual(
      seen,
      Array.from({ length: 7 }, (_, index) => `site-${index}`),
    );
    const items = await bench.items(id);
    assert.deepEqual(
      items.map(({ position, state, attempt, result, error_code, lease_owner }) => [
        position,
        state,
        attempt,
        result,
        error_code,
        lease_owner,
      ]),
      items.map((_, index) => [index, 'succeeded', 1, { number: index + 1 }, null, null]),
    );
    assert.deepEqual(await bench.counts(id), ['completed', 7, 7, 7, {}]);
  });

  it('when a claim returns ten items, then each starts in its own turn of the event loop', async () => {
    const queue = bench.queue({ concurrency: 20 });
    const begun: number[] = [];
    let turn = 0;
    let counting = true;
    const count = (): void => {
      turn++;
      if (counting) setImmediate(count);
    };
    registerHandler(queue, 'sync', async () => void begun.push(turn));
    const id = await bench.enqueue(queue, testJob('sync', 10));
    count();
    await queue.start();
    await bench.waitForJob(id);
    counting = false;
    assert.equal(new Set(begun).size, 10, begun.join(' '));
  });

  it('when a handler returns nothing, then an empty result is stored', async () => {
    const queue = bench.queue();
    registerHandler(queue, 'check', async () => undefined);
    await queue.start();
    const id = await bench.enqueue(queue, testJob('check', 1));
    await bench.waitForJob(id);
    assert.deepEqual((await bench.items(id))[0]?.result, {});
  });

  it('when items concern sites or other subjects, then their handler gets the ID or the name', async () => {
    const queue = bench.queue();
    const seen: (string | number)[] = [];
    const input = plainInput<{ as: string }>();
    const result = createUnvalidatedParser<{ as: string }>();
    const common = { input, result, whenCancelled: 'finish', retryPermission: null } as const;
    const look = async ({ subject, input: { as } }: ItemCall<{ as: string }, string | number>) => {
      seen.push(subject);
      return { as };
    };
    const sites = defineJobKind({ ...common, name: 'site-look', about: 'site', perform: look });
    const mails = defineJobKind({ ...common, name: 'mail', about: 'other', perform: look });
    queue.register(sites, mails);
    await queue.start();
    const asked = { requestedBy: unlimitedRequester('tester'), input: { as: 'text' } };
    const [ofSites, ofMails] = await inTransaction(bench.knex, async (scope) => [
      await queue.enqueue(scope, sites, { ...asked, items: [{ siteId: 7, identifier: 'a.test' }] }),
      await queue.enqueue(scope, mails, { ...asked, items: [{ identifier: 'weekly' }, { identifier: 12 }] }),
    ]);
    for (const id of [ofSites, ofMails]) await bench.waitForJob(id);
    assert.deepEqual(new Set(seen), new Set([7, 'weekly', 12]));
    assert.deepEqual(
      (await bench.items(ofMails)).map(({ result }) => result),
      [{ as: 'text' }, { as: 'text' }],
    );
  });

  it('when an item of a site kind has no site, then it fails', async () => {
    const queue = bench.queue();
    registerHandler(queue, 'sync', () => Promise.resolve({}));
    const id = await bench.enqueue(queue, testJob('sync', 1));
    await bench.knex('job_items').where({ job_id: id }).update({ site_id: null });
    await queue.start();
    await bench.waitForJob(id);
    assert.equal((await bench.items(id))[0]?.error_code, 'svc_site_not_found');
  });

  it('when a job is queued, processing and completed, then the times of the changes are stored', async () => {
    const queue = bench.queue();
    const door = createGate();
    registerHandler(queue, 'sync', () => door.pass());
    const id = await bench.enqueue(queue, testJob('sync', 2));
    assert.deepEqual(await bench.counts(id), ['queued', 2, 0, 0, {}]);
    assert.equal((await bench.job(id)).started_at, null);
    bench.clock.time += 1000;
    await queue.start();
    await until(() => door.waiting() === 2, 'both items to begin');
    const processing = await bench.job(id);
    assert.equal(processing.state, 'processing');
    assert.equal(Number(processing.started_at), bench.clock.time);
    assert.equal(processing.completed_at, null);
    bench.clock.time += 1000;
    door.open();
    const { state, completed_at } = await bench.waitForJob(id);
    assert.deepEqual([state, Number(completed_at)], ['completed', bench.clock.time]);
  });

  it('when a handler throws, then only its item has the error', async () => {
    const queue = bench.queue();
    registerHandler(queue, 'sync', async ({ item }) => {
      if (item.position === 1) throw new ConflictError('svc_site_suspended', 'The site is suspended.');
      if (item.position === 2) throw new Error('select secret from site_secrets');
      if (item.position === 3) throw new NotFoundError('svc_tag_not_found', 'Not a code of items.');
      return { done: true };
    });
    await queue.start();
    const id = await bench.enqueue(queue, testJob('sync', 5));
    await bench.waitForJob(id);
    const fault = ['failed', 'svc_internal_error', 'Something went wrong on our side.'];
    assert.deepEqual(
      (await bench.items(id)).map(({ state, error_code, error_message }) => [state, error_code, error_message]),
      [
        ['succeeded', null, null],
        ['failed', 'svc_site_suspended', 'The site is suspended.'],
        fault,
        fault,
        ['succeeded', null, null],
      ],
    );
    assert.deepEqual(await bench.counts(id), ['completed', 5, 5, 2, { failed: 3 }]);
    assert.equal(bench.logs.filter(({ msg }) => msg === 'a job item failed with an internal error').length, 2);
  });

  it('when every item fails, then the job is failed', async () => {
    const queue = bench.queue();
    registerHandler(queue, 'sync', () => Promise.reject(new ConflictError('svc_site_suspended', 'x'.repeat(2000))));
    await queue.start();
    const id = await bench.enqueue(queue, testJob('sync', 3));
    await bench.waitForJob(id);
    assert.deepEqual(await bench.counts(id), ['failed', 3, 3, 0, { failed: 3 }]);
    assert.equal((await bench.items(id))[0]?.error_message?.length, 500);
  });

  it('when a process does not know a kind, then a process that knows it runs the job', async () => {
    const [old, current] = [bench.queue(), bench.queue()];
    registerHandler(old, 'known', async () => undefined);
    registerHandler(current, 'new', async () => undefined);
    const [unknown, known] = [
      await bench.enqueue(old, testJob('new', 2)),
      await bench.enqueue(old, testJob('known', 2)),
    ];
    await old.start();
    await bench.waitForJob(known);
    assert.deepEqual(await bench.counts(unknown), ['queued', 2, 0, 0, {}]);
    await current.start();
    await bench.waitForJob(unknown);
    assert.deepEqual(await bench.counts(unknown), ['completed', 2, 2, 2, {}]);
  });

  it('when a kind gets a second handler, then the registration is rejected', () => {
    const queue = bench.queue();
    registerHandler(queue, 'sync', async () => undefined);
    assert.throws(() => registerHandler(queue, 'sync', async () => undefined), /sync/);
  });

  it('when a job has no items, then it is completed at once', async () => {
    const queue = bench.queue();
    for (const id of [await bench.enqueue(queue, testJob('sync', 0)), await bench.begin(queue, testJob('sync', 0))]) {
      assert.deepEqual(await bench.counts(id), ['completed', 0, 0, 0, {}]);
      assert.equal(await queue.waitFor(id, 1000), true);
    }
  });

  it('when more items wait than the concurrency allows, then no more than that run at the same time', async () => {
    const queue = bench.queue({ concurrency: 4 });
    let running = 0;
    let most = 0;
    registerHandler(queue, 'sync', async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 2));
      running--;
    });
    await queue.start();
    const id = await bench.begin(queue, testJob('sync', 30));
    await bench.enqueue(queue, testJob('sync', 30));
    await bench.waitForJob(id);
    assert.ok(most <= 4 && most > 1, String(most));
  });

  it('when the surrounding transaction is rolled back, then nothing is queued', async () => {
    const queue = bench.queue();
    let calls = 0;
    registerHandler(queue, 'sync', async () => void calls++);
    await queue.start();
    for (const how of ['enqueue', 'begin'] as const)
      await assert.rejects(
        bench.knex.transaction(async (trx) => {
          const { kind, ...rest } = testJob('sync', 3);
          await queue[how]({ trx, afterCommit: () => undefined }, kind, rest);
          throw new Error('undone');
        }),
        /undone/,
      );
    await new Promise((resolve) => setTimeout(resolve, 60));
    assert.equal(calls, 0);
    assert.equal(Number((await bench.knex('jobs').count({ n: '*' }))[0]?.['n']), 0);
  });

  it('when a large job is running, then a small later job can finish before it', async () => {
    const queue = bench.queue({ concurrency: 8 });
    let large = 0;
    registerHandler(queue, 'large', async () => {
      large++;
      await new Promise((resolve) => setTimeout(resolve, 2));
    });
    registerHandler(queue, 'small', async () => undefined);
    await bench.enqueue(queue, testJob('large', 400));
    bench.clock.time += 1;
    const small = await bench.enqueue(queue, testJob('small', 5));
    await queue.start();
    await bench.waitForJob(small);
    assert.ok(large < 200, `${large} items of the large job went first`);
  });

  it('when 20 jobs of 600 items hang, then a later job with one item still runs', async () => {
    const queue = bench.queue({ concurrency: 16 });
    const door = createGate();
    registerHandler(queue, 'large', () => door.pass());
    registerHandler(queue, 'single', async () => undefined);
    for (let count = 0; count < 20; count++) await bench.enqueue(queue, testJob('large', 600));
    await queue.start();
    await until(() => door.waiting() === 16, 'the large jobs to occupy the process');
    bench.clock.time += 1;
    const ids = [await bench.enqueue(queue, testJob('single', 1)), await bench.begin(queue, testJob('single', 1))];
    for (const id of ids) assert.equal((await bench.waitForJob(id)).state, 'completed');
    assert.equal(door.waiting(), 16);
    door.open();
    await queue.stop(0);
  });
});

describe('job that begins in the calling process', () => {
  let bench: QueueBench;
  withQueueBench((opened) => (bench = opened));

  it('when the job begins, then it runs without a claim and waitFor returns true', async () => {
    const queue = bench.queue({ concurrency: 10 });
    registerHandler(queue, 'sync', async ({ item, resumed }) => ({ url: item.identifier, resumed }));
    const id = await bench.begin(queue, testJob('sync', 25));
    assert.equal((await bench.job(id)).started_at !== null, true);
    assert.equal(await queue.waitFor(id, 10_000), true);
    assert.deepEqual(await bench.counts(id), ['completed', 25, 25, 25, {}]);
    assert.deepEqual(
      (await bench.items(id)).map(({ result }) => result),
      Array.from({ length: 25 }, (_, index) => ({ url: `site-${index}`, resumed: false })),
    );
  });

  it('when the deadline of waitFor passes, then the job continues', async () => {
    const queue = bench.queue();
    const door = createGate();
    registerHandler(queue, 'sync', ({ item }) => (item.position === 0 ? Promise.resolve() : door.pass()));
    const id = await bench.begin(queue, testJob('sync', 2));
    assert.equal(await queue.waitFor(id, 80), false);
    await until(async () => (await bench.job(id)).processed > 0, 'the first item to be recorded');
    assert.deepEqual(await bench.counts(id), ['processing', 2, 1, 1, {}]);
    door.open();
    assert.equal(await queue.waitFor(id, 10_000), true);
    assert.deepEqual(await bench.counts(id), ['completed', 2, 2, 2, {}]);
  });

  it('when another process finishes the job, then waitFor returns true', async () => {
    const [here, there] = [bench.queue(), bench.queue()];
    registerHandler(there, 'sync', async () => undefined);
    const id = await bench.enqueue(here, testJob('sync', 3));
    const waited = here.waitFor(id, 10_000);
    await there.start();
    assert.equal(await waited, true);
  });

  it('when the queue has stopped, then waitFor returns false', async () => {
    const [here, there] = [bench.queue(), bench.queue()];
    const id = await bench.enqueue(here, testJob('sync', 3));
    // Longer than the test timeout, so only the stop can end the wait.
    const waited = there.waitFor(id, HOUR);
    await there.stop(0);
    assert.deepEqual([await waited, await there.waitFor(id, HOUR)], [false, false]);
  });

  it('when the process also claims items, then no item runs twice', async () => {
    const queue = bench.queue({ concurrency: 50 });
    const calls = new Map<number, number>();
    registerHandler(queue, 'sync', async ({ item }) => {
      calls.set(item.id, (calls.get(item.id) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, 30));
    });
    await queue.start();
    const id = await bench.begin(queue, testJob('sync', 40));
    await bench.waitForJob(id);
    assert.deepEqual([...new Set(calls.values())], [1]);
    assert.equal(calls.size, 40);
  });
});
