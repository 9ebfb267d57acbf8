import assert from 'node:assert/strict';
import { KeyUsage } from '../../../src/domains/access/key-usage.ts';
import type { Caller } from '../../../src/shared/caller.ts';
import { DAY } from '../../../src/shared/clock.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { accessTo, createAlice, createKey } from '../../support/access.ts';
import { recordStatements, withFreshDatabase, type TestDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';

/** 2026-11-21, which is day 20,778 since 1970. */
const START = Date.UTC(2026, 10, 21);
const TODAY = 20_778;
const ALL = { from: null, to: null };
const PAGE = { page: 1, perPage: 500 };

describe('use of API keys', () => {
  let store: TestDatabase;
  let time: number;
  let caller: Caller;
  let keyId: number;
  withFreshDatabase((opened) => {
    store = opened;
    time = START;
  });
  beforeEach(async () => {
    const access = accessTo(store);
    const { key, secret } = await createKey(access, (await createAlice(access)).user.id);
    keyId = key.id;
    caller = (await access.byKey(secret)) ?? assert.fail();
    await access.waitForWrites();
  });

  const usageOf = (writeEveryMs?: number): KeyUsage =>
    new KeyUsage({
      ...{ knex: store.database.knex, clock: { now: () => time }, logger: createLogger('silent') },
      ...(writeEveryMs === undefined ? {} : { writeEveryMs }),
    });
  const stored = async () =>
    (await store.database.knex('key_usage').orderBy(['key_id', 'day', 'operation']).select()).map((row) => ({
      ...row,
    }));

  it('when calls are counted, then they are stored by UTC day and operation, and without SQL before', async () => {
    const usage = usageOf();
    const sent = await recordStatements(store.database.knex, async () => {
      for (const status of [200, 399, 400, 503]) usage.record(caller, 'sites_list', status);
      time = START + DAY - 1;
      usage.record(caller, 'tags_list', 200);
      time = START + DAY;
      usage.record(caller, 'sites_list', 200);
      usage.record({ ...caller, keyId: null }, 'sites_list', 200);
    });
    assert.deepEqual(sent, []);
    await usage.write();
    assert.deepEqual(await stored(), [
      { key_id: keyId, day: TODAY, operation: 'sites_list', calls: 4, errors: 2 },
      { key_id: keyId, day: TODAY, operation: 'tags_list', calls: 1, errors: 0 },
      { key_id: keyId, day: TODAY + 1, operation: 'sites_list', calls: 1, errors: 0 },
    ]);
  });

  it('when several processes write the same rows at the same time, then the counts add up', async () => {
    const processes = Array.from({ length: 4 }, () => usageOf());
    for (let round = 0; round < 5; round++) {
      for (const usage of processes)
        for (let index = 0; index < 150; index++) usage.record(caller, `operation_${index}`, index === 0 ? 500 : 200);
      await Promise.all(processes.map((usage) => usage.write()));
    }
    const rows = await stored();
    assert.equal(rows.length, 150);
    assert.ok(rows.every(({ calls }) => calls === 20));
    assert.deepEqual([rows[0]?.errors, rows[1]?.errors], [20, 0]);
  });

  it('when the counts cannot be written, then they are written later, once', async () => {
    const usage = usageOf();
    usage.record(caller, 'sites_list', 200);
    await store.database.knex.schema.renameTable('key_usage', 'key_usage_away');
    await usage.write();
    usage.record(caller, 'sites_list', 500);
    await store.database.knex.schema.renameTable('key_usage_away', 'key_usage');
    await usage.write();
    await usage.write();
    assert.deepEqual(await stored(), [{ key_id: keyId, day: TODAY, operation: 'sites_list', calls: 2, errors: 1 }]);
  });

  it('when a key was deleted, then its counts are dropped and those of others are stored', async () => {
    const usage = usageOf();
    usage.record({ ...caller, keyId: 999_999 }, 'sites_list', 200);
    usage.record(caller, 'sites_list', 200);
    await usage.write();
    assert.deepEqual(
      (await stored()).map(({ key_id }) => key_id),
      [keyId],
    );
    await accessTo(store).keys.delete(keyId, 'tester', { force: true });
    assert.deepEqual(await stored(), []);
  });

  it('when counts are not written, then their number in memory is bounded', async () => {
    const usage = usageOf();
    for (let index = 0; index < KeyUsage.MAX_COUNTS + 10; index++) usage.record(caller, `operation_${index}`, 200);
    usage.record(caller, 'operation_0', 200);
    await usage.write();
    assert.equal((await stored()).length, KeyUsage.MAX_COUNTS);
    const { items } = await usage.days(keyId, ALL, PAGE);
    assert.deepEqual(items[0]?.operations[0], { operation: 'operation_0', calls: 2, errors: 0 });
  });

  it('when the process runs or stops, then the counts are written', async () => {
    const usage = usageOf(5);
    usage.start();
    usage.record(caller, 'sites_list', 200);
    await until(async () => (await stored()).length === 1, 'the counts to be written');
    usage.record(caller, 'tags_list', 200);
    await usage.stop();
    assert.equal((await stored()).length, 2);
  });

  it('when counts are older than 90 days, then they are deleted', async () => {
    const usage = usageOf();
    for (const age of [92, 91, 90, 0]) {
      time = START - age * DAY;
      usage.record(caller, 'sites_list', 200);
      usage.record(caller, 'tags_list', 200);
    }
    await usage.write();
    assert.deepEqual([await usage.prune(), await usage.prune()], [4, 0]);
    assert.deepEqual([...new Set((await stored()).map(({ day }) => day))], [TODAY - 90, TODAY]);
  });
});
