import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { KeyUsageRepository } from '../../src/domains/access/key-usage-repository.ts';
import { IdempotentCallRepository } from '../../src/domains/idempotency/idempotent-call-repository.ts';
import { CertificateRepository } from '../../src/domains/ssl-monitor/certificate-repository.ts';
import { HeartbeatRepository } from '../../src/domains/uptime/heartbeat-repository.ts';
import { IncidentRepository } from '../../src/domains/uptime/incident-repository.ts';
import { MonitorSpanRepository } from '../../src/domains/uptime/monitor-span-repository.ts';
import { FixRepository } from '../../src/domains/vulnerability-fixes/fix-repository.ts';
import { accessTo, createAlice, createKey } from '../support/access.ts';
import { recordStatements, withFreshDatabase, type TestDatabase } from '../support/database.ts';
import { storeSite } from '../support/sites.ts';

/** Ages in an order that is neither the order of insertion nor its reverse. Each age from 0 to `count - 1` is once. */
const shuffled = (count: number): number[] => Array.from({ length: count }, (_, index) => (index * 7) % count);

interface Case {
  name: string;
  table: string;
  column: string;
  /** Maximum number of rows of one call. */
  most: number;
  rowAt: (age: number, siteId: number, keyId: number) => object;
  prune: (knex: Knex, before: number) => Promise<number>;
}

const OLD = 1_102;
const KEPT = 3;

const fixAt = (looked_at: number, site_id: number): object => ({
  ...{ site_id, type: 'plugin', item: `item-${looked_at}`, slug: 'a', name: 'A', action: 'update', old_version: '1' },
  ...{ new_version: '2', severity: 1, closes: '[]', state: 'done', blocks: 0, put_back: 0, attempts: 1 },
  ...{ created_at: 0, looked_at },
});
const certificateAt = (last_seen_at: number, site_id: number): object => ({
  ...{ site_id, fingerprint: `f${last_seen_at}`, key_fingerprint: 'k', facts: '{}', changed: '' },
  ...{ first_seen_at: 0, last_seen_at },
});

const CASES: readonly Case[] = [
  {
    ...{ name: 'the use of a key', table: 'key_usage', column: 'day', most: 500 },
    rowAt: (age, _siteId, key_id) => ({ key_id, day: age, operation: 'sites_list', calls: 1, errors: 0 }),
    prune: (knex, before) => new KeyUsageRepository(knex).deleteOldest(before),
  },
  {
    ...{ name: 'the spans of one site', table: 'monitor_spans', column: 'ended_at', most: 500 },
    rowAt: (age, site_id) => ({ site_id, kind: 'watched', started_at: 10_000 - age, ended_at: age }),
    prune: (knex, before) => new MonitorSpanRepository(knex).prune(before),
  },
  {
    ...{ name: 'incidents', table: 'incidents', column: 'ended_at', most: 500 },
    rowAt: (age, site_id) => ({ site_id, started_at: 0, ended_at: age, down_count: 1, cause: '', beat: '' }),
    prune: (knex, before) => new IncidentRepository(knex).prune(before),
  },
  {
    ...{ name: 'the days of one monitor', table: 'monitor_days', column: 'day', most: 200 },
    rowAt: (age, site_id) => ({ site_id, day: age, up: 1, down: 0, hours: '' }),
    prune: (knex, before) => new HeartbeatRepository(knex).prune('monitor_days', before, 200),
  },
  {
    ...{ name: 'idempotent calls', table: 'idempotent_calls', column: 'created_at', most: 500 },
    rowAt: (age) => ({
      key_hash: `h${age}`,
      fingerprint: 'f',
      holder: 'h',
      state: 'secret',
      leased_until: 0,
      created_at: age,
    }),
    prune: (knex, before) => new IdempotentCallRepository(knex).purge(before),
  },
  {
    ...{ name: 'certificates', table: 'ssl_certificates', column: 'last_seen_at', most: 200 },
    rowAt: certificateAt,
    prune: (knex, before) => new CertificateRepository(knex).prune(before, 200),
  },
  {
    ...{ name: 'vulnerability fixes', table: 'vulnerability_fixes', column: 'looked_at', most: 200 },
    rowAt: fixAt,
    prune: (knex, before) => new FixRepository(knex).prune(before, 200),
  },
];

describe('deletion of old rows', () => {
  let store: TestDatabase;
  let knex: Knex;
  withFreshDatabase((opened) => {
    store = opened;
    knex = opened.database.knex;
  });

  const storeKey = async (): Promise<number> => {
    const access = accessTo(store);
    const { key } = await createKey(access, (await createAlice(access)).user.id);
    await access.waitForWrites();
    return key.id;
  };

  for (const { name, table, column, most, rowAt, prune } of CASES)
    it(`when ${name} expired, then each call deletes the oldest rows with one statement`, async () => {
      const siteId = await storeSite(knex, 'a.example');
      const keyId = await storeKey();
      const rows = shuffled(OLD + KEPT).map((age) => rowAt(age, siteId, keyId));
      await knex.batchInsert(table, rows, 100);
      for (let gone = 0; gone < OLD; gone += most) {
        let deleted = 0;
        const sent = await recordStatements(knex, async () => (deleted = await prune(knex, OLD)));
        assert.equal(deleted, Math.min(most, OLD - gone));
        assert.equal(sent.length, 1, sent.join('\n'));
        const [oldest] = await knex(table).orderBy(column).limit(1).pluck<number[]>(column);
        assert.equal(Number(oldest), gone + deleted);
      }
      assert.equal(await prune(knex, OLD), 0);
      const left = await knex(table).orderBy(column).pluck<number[]>(column);
      assert.deepEqual(left.map(Number), [OLD, OLD + 1, OLD + 2]);
    });

  it('when one key has many operations on an expired day, then a call deletes only some of them', async () => {
    const key_id = await storeKey();
    const rows = shuffled(1_102).map((n) => ({ key_id, day: 1, operation: `operation-${n}`, calls: 1, errors: 0 }));
    await knex.batchInsert('key_usage', rows, 100);
    const usage = new KeyUsageRepository(knex);
    const counts: number[] = [];
    for (let call = 0; call < 4; call++) counts.push(await usage.deleteOldest(2));
    assert.deepEqual(counts, [500, 500, 102, 0]);
  });
});
