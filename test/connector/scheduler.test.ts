import assert from 'node:assert/strict';
import { createCircuitBreaker, Scheduler, type CallKind, type ConnectorLimits } from '../../src/connector/index.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { ChildRefusedError, ChildUnreachableError } from '../../src/shared/child-call-errors.ts';
import { DEFAULT_LIMITS, thrownBy } from './support.ts';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function make(
  limits: Partial<ConnectorLimits> = {},
  now?: () => number,
): { scheduler: Scheduler; limits: ConnectorLimits } {
  const current = { ...DEFAULT_LIMITS, ...limits };
  const breaker = createCircuitBreaker(systemClock);
  return { scheduler: new Scheduler({ limits: () => current, breaker, ...(now && { now }) }), limits: current };
}

/** Limits that count how often the scheduler reads them. */
function countedLimits(): { limits: ConnectorLimits; looks: () => number } {
  let looks = 0;
  const limits = {
    ...DEFAULT_LIMITS,
    get maximumIpRequests() {
      looks += 1;
      return DEFAULT_LIMITS.maximumIpRequests;
    },
  };
  return { limits, looks: () => looks };
}

/** Calls that a test ends, with a log of starts. */
class Calls {
  readonly started: string[] = [];
  running = 0;
  highest = 0;
  readonly #ends = new Map<string, () => void>();

  run(name: string): () => Promise<string> {
    return async () => {
      this.started.push(name);
      this.running += 1;
      this.highest = Math.max(this.highest, this.running);
      await new Promise<void>((resolve) => this.#ends.set(name, resolve));
      this.running -= 1;
      return name;
    };
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    this.#ends.delete(name);
    await sleep(0);
  }

  async endAll(): Promise<void> {
    while (this.#ends.size > 0) for (const name of [...this.#ends.keys()]) await this.end(name);
  }
}

describe('scheduler', () => {
  it('when many calls wait, then the global limit and those of a call kind and of an address apply', async () => {
    const { scheduler } = make({ maximumRequests: 10, maximumInstallUpdateRequests: 2, maximumIpRequests: 3 });
    const calls = new Calls();
    const add = (kind: CallKind, ipKey: string, name: string) =>
      scheduler.schedule({ siteId: null, ipKey, kind, run: calls.run(name) });
    const all: Promise<string>[] = [];
    for (let index = 0; index < 5; index += 1) all.push(add('update', `u${index}`, `update${index}`));
    for (let index = 0; index < 5; index += 1) all.push(add('sync', 'one', `one${index}`));
    assert.deepEqual(calls.started, ['update0', 'update1', 'one0', 'one1', 'one2']);
    for (let index = 0; index < 10; index += 1) all.push(add('sync', `ip${index}`, `sync${index}`));
    assert.equal(calls.running, 10);
    assert.deepEqual(scheduler.stats(), { waiting: 10, running: 10, broken: 0 });
    await calls.end('update0');
    assert.ok(calls.started.includes('update2'));
    await calls.endAll();
    assert.equal((await Promise.all(all)).length, 20);
    assert.equal(calls.highest, 10);
    assert.deepEqual(scheduler.stats(), { waiting: 0, running: 0, broken: 0 });
  });

  it('when a limit is changed, then it applies from the next call on', async () => {
    const { scheduler, limits } = make({ maximumIpRequests: 1, maximumRequests: 2 });
    const calls = new Calls();
    const all = ['a', 'b', 'c'].map((name) =>
      scheduler.schedule({ siteId: null, ipKey: 'ip', kind: 'sync', run: calls.run(name) }),
    );
    assert.deepEqual(calls.started, ['a']);
    limits.maximumIpRequests = 3;
    limits.maximumRequests = 4;
    all.push(scheduler.schedule({ siteId: null, ipKey: 'other', kind: 'sync', run: calls.run('d') }));
    assert.deepEqual([...calls.started].sort(), ['a', 'b', 'c', 'd']);
    await calls.endAll();
    await Promise.all(all);
  });

  it('when a minimum delay is set, then it is kept between all starts or between starts to one address', async () => {
    for (const [limits, ips] of [
      [{ minimumDelayMs: 10 }, ['a', 'b', 'c']],
      [{ minimumIpDelayMs: 10 }, ['a', 'a', 'a']],
    ] as const) {
      let time = 0;
      const { scheduler } = make(limits, () => time);
      let started = 0;
      const run = async (): Promise<void> => void (started += 1);
      const all = ips.map((ipKey) => scheduler.schedule({ siteId: null, ipKey, kind: 'sync', run }));
      for (const count of ips.keys()) {
        // The timers fire before the delay has passed.
        await sleep(25);
        time += 9;
        await sleep(25);
        assert.equal(started, count + 1, JSON.stringify(limits));
        time += 1;
        await all[count + 1];
      }
    }
  });

  it('when one address waits for its delay, then other addresses are not delayed', async () => {
    const { scheduler } = make({ minimumIpDelayMs: 60_000 });
    const run = async (): Promise<void> => {};
    const abort = new AbortController();
    await scheduler.schedule({ siteId: null, ipKey: 'a', kind: 'sync', run });
    const held = scheduler.schedule({ siteId: null, ipKey: 'a', kind: 'sync', run, signal: abort.signal });
    await scheduler.schedule({ siteId: null, ipKey: 'b', kind: 'sync', run });
    abort.abort(new Error('enough'));
    await assert.rejects(held, /enough/);
  });

  it('when a site has several calls, then they run one at a time in order and do not starve others', async () => {
    const { scheduler } = make();
    const calls = new Calls();
    const add = (siteId: number, kind: CallKind, name: string) =>
      scheduler.schedule({ siteId, ipKey: 'ip', kind, run: calls.run(name) });
    const all = [add(1, 'sync', 'a'), add(1, 'action', 'b'), add(1, 'sync', 'c'), add(2, 'sync', 'other')];
    assert.deepEqual(calls.started, ['a', 'other']);
    await calls.end('a');
    assert.deepEqual(calls.started, ['a', 'other', 'b']);
    all.push(add(1, 'sync', 'd'));
    await calls.end('b');
    await calls.end('c');
    assert.deepEqual(calls.started, ['a', 'other', 'b', 'c', 'd']);
    await calls.endAll();
    await Promise.all(all);
  });

  it('when addresses and kinds wait, then they take turns', async () => {
    const { scheduler } = make({ maximumRequests: 1, maximumIpRequests: 1 });
    const calls = new Calls();
    const add = (kind: CallKind, ipKey: string, name: string) =>
      scheduler.schedule({ siteId: null, ipKey, kind, run: calls.run(name) });
    const all = [add('sync', 'big', 'first')];
    for (let index = 0; index < 100; index += 1) all.push(add('sync', 'big', `big${index}`));
    all.push(add('sync', 'small', 'small'), add('action', 'third', 'action'), add('check', 'big', 'check'));
    for (let index = 0; index < 6; index += 1) await calls.end(calls.started.at(-1) ?? '');
    for (const name of ['small', 'action', 'check']) assert.ok(calls.started.includes(name), calls.started.join());
    await calls.endAll();
    assert.equal((await Promise.all(all)).length, 104);
  });

  it('when a call hangs, then only its slot is lost', async () => {
    const { scheduler } = make({ maximumRequests: 2 });
    const calls = new Calls();
    const hanging = scheduler.schedule({ siteId: 1, ipKey: 'dead', kind: 'sync', run: calls.run('hangs') });
    const done = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        scheduler.schedule({ siteId: index + 2, ipKey: `ip${index}`, kind: 'sync', run: async () => index }),
      ),
    );
    assert.equal(done.length, 200);
    assert.equal(scheduler.stats().running, 1);
    await calls.end('hangs');
    await hanging;
  });

  it('when a waiting call is aborted, then the other calls of the site run', async () => {
    const { scheduler } = make({ maximumRequests: 1 });
    const calls = new Calls();
    const abort = new AbortController();
    const add = (name: string, signal?: AbortSignal) =>
      scheduler.schedule({ siteId: 1, ipKey: 'ip', kind: 'sync', run: calls.run(name), ...(signal && { signal }) });
    const first = add('a');
    const second = add('b', abort.signal);
    const third = add('c');
    abort.abort(new Error('no more'));
    await assert.rejects(second, /no more/);
    assert.equal(scheduler.stats().waiting, 1);
    await calls.end('a');
    assert.deepEqual(calls.started, ['a', 'c']);
    await calls.endAll();
    await Promise.all([first, third]);
    await assert.rejects(add('d', AbortSignal.abort(new Error('before'))), /before/);
    assert.deepEqual(scheduler.stats(), { waiting: 0, running: 0, broken: 0 });
  });

  it('when the next call is aborted, then the following call of the site runs', async () => {
    const { scheduler } = make({ maximumRequests: 1, maximumIpRequests: 1 });
    const calls = new Calls();
    const abort = new AbortController();
    const add = (siteId: number, name: string, signal?: AbortSignal) =>
      scheduler.schedule({ siteId, ipKey: 'ip', kind: 'sync', run: calls.run(name), ...(signal && { signal }) });
    const a = add(1, 'a');
    const chosen = add(1, 'chosen', abort.signal);
    const after = add(1, 'after');
    const blocker = scheduler.schedule({ siteId: 2, ipKey: 'ip2', kind: 'action', run: calls.run('blocker') });
    await calls.end('a');
    assert.deepEqual(calls.started, ['a', 'blocker']);
    abort.abort(new Error('gone'));
    await assert.rejects(chosen, /gone/);
    await calls.end('blocker');
    assert.deepEqual(calls.started, ['a', 'blocker', 'after']);
    await calls.endAll();
    await Promise.all([a, after, blocker]);
  });

  it('when a call throws, then its error is returned, also for a synchronous throw', async () => {
    const { scheduler } = make();
    const run = (): Promise<void> => {
      throw new Error('boom');
    };
    await assert.rejects(scheduler.schedule({ siteId: 1, ipKey: 'ip', kind: 'sync', run }), /boom/);
    assert.equal(scheduler.stats().running, 0);
  });

  it('when 10,000 calls wait, then the limits are read a few times per call for any number of addresses', async () => {
    for (const ips of [10_000, 50]) {
      const { limits, looks } = countedLimits();
      const scheduler = new Scheduler({ limits: () => limits, breaker: createCircuitBreaker(systemClock) });
      let done = 0;
      await Promise.all(
        Array.from({ length: 10_000 }, (_, index) => {
          const run = async (): Promise<void> => void (done += 1);
          return scheduler.schedule({ siteId: index, ipKey: `ip${index % ips}`, kind: 'sync', run });
        }),
      );
      assert.equal(done, 10_000);
      assert.ok(looks() < 10 * 10_000, `${ips}: ${looks()}`);
    }
  });

  it('when 10,000 calls wait for one site, then the limits are read a few times per call', async () => {
    const { limits, looks } = countedLimits();
    const scheduler = new Scheduler({ limits: () => limits, breaker: createCircuitBreaker(systemClock) });
    const run = async (): Promise<void> => {};
    await Promise.all(
      Array.from({ length: 10_000 }, () => scheduler.schedule({ siteId: 1, ipKey: 'ip', kind: 'sync', run })),
    );
    assert.ok(looks() < 10 * 10_000, String(looks()));
  });
});

describe('circuit breaker', () => {
  const dead = () => new ChildUnreachableError('connect', 'No connection.', { fault: 'timeout' });

  function setUp() {
    const clock = { time: 1_000_000, now: () => clock.time };
    const breaker = createCircuitBreaker(clock);
    const scheduler = new Scheduler({ limits: () => DEFAULT_LIMITS, breaker });
    let called = 0;
    const call = (error: Error | null, kind: CallKind = 'sync', insists = false) =>
      scheduler.schedule({
        siteId: 1,
        ipKey: 'ip',
        kind,
        ignoresBreaker: insists,
        run: async () => {
          called += 1;
          if (error) throw error;
        },
      });
    return { clock, breaker, scheduler, call, called: () => called };
  }

  it('when three calls failed, then the next call fails at once, and one call is tried after the pause', async () => {
    const { clock, scheduler, call, called } = setUp();
    for (let round = 0; round < 3; round += 1) await assert.rejects(call(dead()), ChildUnreachableError);
    assert.equal(scheduler.stats().broken, 1);
    const error = (await thrownBy(() => call(null))) as ChildUnreachableError;
    assert.equal(called(), 3);
    assert.equal(error.layer, 'connect');
    assert.equal(error.data['retry_after_seconds'], 30);
    assert.equal(error.data['outcome'], 'not_run');
    clock.time += 30_001;
    await assert.rejects(call(dead()), { message: 'No connection.' });
    assert.equal(called(), 4);
    assert.equal(((await thrownBy(() => call(null))) as ChildUnreachableError).data['retry_after_seconds'], 60);
    clock.time += 60_001;
    await call(null);
    assert.equal(scheduler.stats().broken, 0);
    await call(null);
    assert.equal(called(), 6);
  });

  it('when failures continue, then the pause grows up to ten minutes', async () => {
    const { clock, breaker } = setUp();
    for (let round = 0; round < 12; round += 1) {
      breaker.record(1, dead());
      clock.time += 600_000;
    }
    breaker.record(1, dead());
    assert.equal(breaker.errorFor(1)?.data['retry_after_seconds'], 600);
    breaker.forget(1);
    assert.equal(breaker.errorFor(1), null);
    assert.equal(breaker.pausedCount, 0);
  });

  it('when a site responds or registers, then only calls without a response count, and a response resets the count', async () => {
    const { breaker, call, called } = setUp();
    const refused = new ChildRefusedError('auth', 'key_mismatch', 'No.');
    for (let round = 0; round < 5; round += 1) await assert.rejects(call(refused), ChildRefusedError);
    await assert.rejects(call(dead()));
    await assert.rejects(call(dead()));
    await assert.rejects(call(refused), ChildRefusedError);
    await assert.rejects(call(dead()));
    assert.equal(breaker.pausedCount, 0);
    await assert.rejects(call(dead()));
    await assert.rejects(call(dead()));
    assert.equal(breaker.pausedCount, 1);
    const before = called();
    await call(null, 'register', true);
    assert.equal(called(), before + 1);
    assert.equal(breaker.pausedCount, 0);
  });

  it('when a waiting call starts, then the breaker is checked again', async () => {
    const { breaker, call, called } = setUp();
    const all = [call(dead()), call(dead()), call(dead()), call(dead()), call(dead())];
    const results = await Promise.allSettled(all);
    assert.ok(results.every(({ status }) => status === 'rejected'));
    assert.equal(called(), 3);
    assert.equal(breaker.pausedCount, 1);
  });
});
