import assert from 'node:assert/strict';
import { Sealing } from '../../../src/db/sealing.ts';
import { IdempotentCalls } from '../../../src/domains/idempotency/index.ts';
import { DAY, MINUTE } from '../../../src/shared/clock.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';

describe('calls with an idempotency key', () => {
  let store: TestDatabase;
  const clock = { time: 1_795_000_000_000, now: () => clock.time };
  const sealing = new Sealing(Sealing.newKey());
  const stores: IdempotentCalls[] = [];
  /** Returns the store of another process on the same database. */
  const process = (): IdempotentCalls => {
    const calls = new IdempotentCalls({
      knex: store.database.knex,
      sealing,
      clock,
      logger: createLogger('silent'),
      leaseMs: 30_000,
    });
    stores.push(calls);
    return calls;
  };
  const call = (key: string, isRepeatable = false) => ({ owner: 'key:1', key, fingerprint: 'f', isRepeatable });
  const rows = async (): Promise<number> => {
    const [row] = await store.database.knex('idempotent_calls').count<{ n: number | string }[]>({ n: '*' });
    return Number(row?.n);
  };
  before(async () => {
    store = await openTestDatabase();
  });
  after(async () => {
    for (const calls of stores) calls.close();
    await store.close();
  });

  it('when several processes claim one key, then one of them gets it', async () => {
    const claims = await Promise.all([process(), process(), process()].map((each) => each.claim(call('several'))));
    assert.deepEqual(claims.map(({ kind }) => kind).sort(), ['mine', 'running', 'running']);
  });

  it('when a response is stored, then every process returns that response', async () => {
    const [first, second] = [process(), process()];
    const claim = await first.claim(call('answered'));
    assert.ok(claim.kind === 'mine');
    const answer = { status: 200, headers: { 'X-Kept': 'yes' }, body: { id: 1 }, etag: '"tag"' };
    await first.settle(claim.id, answer);
    assert.deepEqual(await second.claim(call('answered')), { kind: 'answered', answer });
  });

  it('when the response contained a secret, then no response is stored', async () => {
    const first = process();
    const claim = await first.claim(call('secret'));
    assert.ok(claim.kind === 'mine');
    await first.settle(claim.id, null);
    assert.deepEqual(await process().claim(call('secret')), { kind: 'secret' });
  });

  it('when a process dies, then after the lease its call is interrupted, or another process takes over a repeatable call', async () => {
    const dead = process();
    for (const key of ['risky', 'harmless']) await dead.claim(call(key, key === 'harmless'));
    clock.time += 29_000;
    assert.equal((await process().claim(call('harmless', true))).kind, 'running');
    clock.time += 2_000;
    assert.equal((await process().claim(call('risky'))).kind, 'interrupted');
    const claims = await Promise.all([process(), process()].map((each) => each.claim(call('harmless', true))));
    assert.deepEqual(claims.map(({ kind }) => kind).sort(), ['mine', 'running']);
  });

  it('when a call is abandoned, then its key is free, or the call counts as interrupted if it may have had an effect', async () => {
    const abandon = async (key: string, mayHaveRun: boolean, isRepeatable = false): Promise<string> => {
      const first = process();
      const claim = await first.claim(call(key, isRepeatable));
      assert.ok(claim.kind === 'mine');
      await first.abandon(claim.id, { mayHaveRun });
      return (await process().claim(call(key, isRepeatable))).kind;
    };
    assert.equal(await abandon('nothing done', false), 'mine');
    assert.equal(await abandon('maybe done', true), 'interrupted');
    assert.equal(await abandon('repeatable', true, true), 'mine');
  });

  it('when no other process uses the database, then the calls of a killed process are interrupted at once', async () => {
    await process().claim(call('killed'));
    const next = process();
    const mine = await next.claim(call('own'));
    assert.equal(mine.kind, 'mine');
    await next.expireStale();
    assert.equal((await next.claim(call('killed'))).kind, 'interrupted');
    assert.equal((await next.claim(call('own'))).kind, 'running');
  });

  it('when a process has lost its claim, then its response is not stored', async () => {
    const slow = process();
    const claim = await slow.claim(call('lost', true));
    assert.ok(claim.kind === 'mine');
    clock.time += 2 * MINUTE;
    assert.equal((await process().claim(call('lost', true))).kind, 'mine');
    await slow.settle(claim.id, { status: 200, body: 'late' });
    assert.equal((await process().claim(call('lost', true))).kind, 'running');
  });

  it('when a day has passed, then keys are deleted', async () => {
    const before = await rows();
    assert.ok(before > 3);
    clock.time += DAY + 1;
    assert.equal((await process().claim(call('answered'))).kind, 'mine');
    assert.equal(await process().prune(), before - 1);
    assert.equal(await rows(), 1);
  });
});
