import assert from 'node:assert/strict';
import { FanOut, type SiteOutcome } from '../../../src/domains/fleet-reads/index.ts';
import type { CallOptions, SiteWithUrlKey, ResolvedSite, SiteCalls } from '../../../src/domains/sites/index.ts';
import { ChildUnreachableError } from '../../../src/shared/child-call-errors.ts';

const siteOf = (id: number): SiteWithUrlKey => ({
  id,
  url: `https://site${id}.test/`,
  urlKey: `site${id}.test`,
  name: `Site ${id}`,
  status: 'connected',
  clientId: null,
});
const sitesUpTo = (count: number): ResolvedSite[] =>
  Array.from({ length: count }, (_, index) => ({
    identifier: `http://site${index + 1}.test`,
    site: siteOf(index + 1),
  }));

/** Calls that a test ends. */
class HeldCalls {
  readonly #ends = new Map<number, (error?: Error) => void>();
  readonly signals = new Map<number, AbortSignal | undefined>();
  begun = 0;

  readonly calls = {
    run: (siteId: number, _call: unknown, { signal }: CallOptions) => {
      this.begun += 1;
      this.signals.set(siteId, signal);
      return new Promise((resolve, reject) => {
        this.#ends.set(siteId, (error) => (error ? reject(error) : resolve(`value ${siteId}`)));
      });
    },
  } as unknown as SiteCalls;

  end(siteId: number, error?: Error): void {
    this.#ends.get(siteId)?.(error);
  }
}

async function all<T>(outcomes: AsyncIterable<SiteOutcome<T>>): Promise<SiteOutcome<T>[]> {
  const found: SiteOutcome<T>[] = [];
  for await (const outcome of outcomes) found.push(outcome);
  return found;
}

describe('FanOut.callAll', () => {
  it('when sites respond, then each has one outcome, in the order of the responses', async () => {
    const held = new HeldCalls();
    const outcomes = new FanOut({ calls: held.calls }).callAll(sitesUpTo(3), async () => undefined)();
    const read = all(outcomes);
    await new Promise(setImmediate);
    held.end(3);
    await new Promise(setImmediate);
    held.end(1, new ChildUnreachableError('connect', 'The site refused the connection.'));
    await new Promise(setImmediate);
    held.end(2);
    const found = await read;
    assert.deepEqual(
      found.map((outcome) =>
        'error' in outcome ? [outcome.site.id, outcome.error.code] : [outcome.site.id, outcome.value],
      ),
      [
        [3, 'value 3'],
        [1, 'svc_site_unreachable'],
        [2, 'value 2'],
      ],
    );
  });

  it('when sites miss the deadline, then each of them has an error outcome', async () => {
    const held = new HeldCalls();
    const fanOut = new FanOut({ calls: held.calls, deadlineMs: 50 });
    const read = all(fanOut.callAll(sitesUpTo(3), async () => undefined)());
    await new Promise(setImmediate);
    held.end(2);
    const found = await read;
    assert.deepEqual(
      found.map(({ site }) => site.id),
      [2, 1, 3],
    );
    for (const outcome of found.slice(1))
      assert.ok('error' in outcome && outcome.error.code === 'svc_site_unreachable');
    held.end(1);
    held.end(3);
  });

  it('when the deadline passes, then calls without a response are aborted', async () => {
    const held = new HeldCalls();
    const read = all(new FanOut({ calls: held.calls, deadlineMs: 50 }).callAll(sitesUpTo(2), async () => undefined)());
    await new Promise(setImmediate);
    assert.deepEqual([held.signals.get(1)?.aborted, held.signals.get(2)?.aborted], [false, false]);
    held.end(1);
    await read;
    assert.equal(held.signals.get(2)?.aborted, true);
  });

  it('when the caller waits for a shorter time, then the sites without a response are errors by then', async () => {
    const held = new HeldCalls();
    const wait = { deadlineMs: 50, onJob: () => undefined };
    const read = all(new FanOut({ calls: held.calls }).callAll(sitesUpTo(2), async () => undefined, wait)());
    const messages = (await read).map((outcome) => ('error' in outcome ? outcome.error.message : ''));
    assert.equal(messages.length, 2);
    for (const message of messages) assert.match(message, /within 1 seconds/);
  });

  it('when the consumer stops, then running calls are aborted', async () => {
    const held = new HeldCalls();
    const outcomes = new FanOut({ calls: held.calls }).callAll(sitesUpTo(2), async () => undefined)();
    const first = outcomes.next();
    await new Promise(setImmediate);
    held.end(1);
    await first;
    assert.equal(held.signals.get(2)?.aborted, false);
    await outcomes.return(undefined);
    assert.equal(held.signals.get(2)?.aborted, true);
  });

  it('when the consumer does not read, then no more calls start, so memory use stays the same', async () => {
    const held = new HeldCalls();
    const outcomes = new FanOut({ calls: held.calls }).callAll(sitesUpTo(2_000), async () => undefined)();
    const first = outcomes.next();
    await new Promise(setImmediate);
    const window = held.begun;
    assert.ok(window > 0 && window < 2_000);
    for (let id = 1; id <= window; id++) held.end(id);
    await first;
    await new Promise(setImmediate);
    assert.equal(held.begun, window);
    await outcomes.next();
    await new Promise(setImmediate);
    assert.equal(held.begun, window + 1);
    await outcomes.return(undefined);
  });

  it('when the output is full behind a slow site, then no more calls start', async () => {
    const held = new HeldCalls();
    let full = false;
    const outcomes = new FanOut({ calls: held.calls }).callAll(sitesUpTo(2_000), async () => undefined)(() => full);
    const first = outcomes.next();
    await new Promise(setImmediate);
    const window = held.begun;
    full = true;
    for (let id = 2; id <= window; id++) held.end(id);
    await first;
    for (let taken = 1; taken < window - 1; taken++) await outcomes.next();
    assert.equal(held.begun, window);
    full = false;
    const slow = outcomes.next();
    held.end(1);
    await slow;
    const next = outcomes.next();
    await new Promise(setImmediate);
    assert.equal(held.begun, 2 * window);
    held.end(window + 1);
    await next;
    await outcomes.return(undefined);
  });

  it('when there are no sites, then there are no outcomes', async () => {
    assert.deepEqual(await all(new FanOut({ calls: new HeldCalls().calls }).callAll([], async () => undefined)()), []);
  });
});
