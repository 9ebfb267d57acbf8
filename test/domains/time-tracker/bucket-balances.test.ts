import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { chunks } from '../../../src/db/chunks.ts';
import type { TrackerSettings } from '../../../src/domains/time-tracker/billing-terms.ts';
import type { BucketRules } from '../../../src/domains/time-tracker/bucket.ts';
import { BucketReadModel } from '../../../src/domains/time-tracker/bucket-read-model.ts';
import { BucketRepository } from '../../../src/domains/time-tracker/bucket-repository.ts';
import { TaskReadModel } from '../../../src/domains/time-tracker/task-read-model.ts';
import { TrackedClientReadModel } from '../../../src/domains/time-tracker/tracked-client-read-model.ts';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import { withFreshDatabase } from '../../support/database.ts';
import { servicesOfFleet } from '../../support/limited-fleet.ts';

const HOUR = 3600;
const settings: TrackerSettings = {
  ...{ timer_mode: 'count_up', currency: 'EUR', currency_position: 'left', thousand_separator: ',' },
  ...{ decimal_separator: '.', decimals: 2, rounding_enabled: 0, rounding_mode: 'up', rounding_minutes: 15 },
  default_hourly_price: 60,
};
const moment = { now: Date.UTC(2026, 10, 21, 12), today: '2026-11-21', settings };
const BY_DATE = { by: 'task_date', direction: 'asc' } as const;
const EVERY = { page: 1, perPage: 500 };

describe('balances of buckets', () => {
  let knex: Knex;
  let clients: number[];
  let buckets: BucketReadModel;

  withFreshDatabase(({ database }) => {
    knex = database.knex;
    buckets = new BucketReadModel(knex, moment);
  });
  beforeEach(async () => {
    clients = [];
    for (const name of ['Bakery', 'Harbour', 'Shop'])
      clients.push((await servicesOfFleet(knex).clients.create({ name }, 'tester')).id);
  });

  async function storeBucket(title: string, rules: Partial<BucketRules>): Promise<number> {
    const repository = new BucketRepository(knex, moment.now);
    const id = await repository.insert({
      ...{ title, description: '', seconds: 10 * HOUR, hourlyUnits: null, currency: 'EUR', archived: false },
      ...{ recurrence: 'none', anchorDay: '2026-01-01', carryOver: false, carriedSeconds: 0, carriedDay: '2026-01-01' },
      ...rules,
    });
    await repository.setClients(id, clients);
    return id;
  }

  /** Stores stopped tasks. `client` is a place in the list of clients. */
  async function debit(
    bucketId: number,
    debits: readonly { client: number | null; day: string; hours: number }[],
  ): Promise<void> {
    const rows = debits.map(({ client, day, hours }) => ({
      ...{ title: 'Task', title_key: 'task', description: '', client_name: '', site_url: '', operator: 'ann' },
      ...{ client_id: client === null ? null : clients[client], bucket_id: bucketId, status: 'stopped' },
      ...{ payment_status: 'unbilled', timer_mode: 'count_up', billable: 1, task_date: day },
      ...{ recorded_seconds: hours * HOUR, billed_seconds: hours * HOUR, billed_hourly_units: 1 },
      ...{ billed_source: 'settings', billed_currency: 'EUR', total_minor: 0, total_decimals: 2 },
      ...{ debit_seconds: hours * HOUR, debit_day: day, latest_at: 0, revision: 1, created_at: 0, updated_at: 0 },
    }));
    for (const part of chunks(rows)) await knex('time_tasks').insert(part);
  }

  const days = (month: string, count: number): string[] =>
    Array.from({ length: count }, (_, day) => `${month}-${String(day + 1).padStart(2, '0')}`);

  async function storeThree(): Promise<{ once: number; monthly: number; carrying: number }> {
    const once = await storeBucket('Once', {});
    await debit(once, [
      ...days('2025-03', 3).map((day) => ({ client: 0, day, hours: 1 })),
      ...days('2026-10', 2).map((day) => ({ client: 1, day, hours: 1 })),
      { client: null, day: '2026-11-02', hours: 1 },
    ]);
    const monthly = await storeBucket('Monthly', { recurrence: 'monthly' });
    await debit(monthly, [
      ...days('2026-10', 20).map((day) => ({ client: 0, day, hours: 1 })),
      ...days('2026-11', 4).map((day) => ({ client: 0, day, hours: 1 })),
      { client: 2, day: '2026-11-03', hours: 6 },
      { client: 2, day: '2026-12-01', hours: 1 },
    ]);
    const carrying = await storeBucket('Carrying', {
      ...{ recurrence: 'monthly', carryOver: true, carriedSeconds: 2 * HOUR, carriedDay: '2026-09-10' },
    });
    await debit(carrying, [
      ...days('2026-08', 20).map((day) => ({ client: 1, day, hours: 5 })),
      ...days('2026-09', 3).flatMap((day) => [0, 1, 2].map((client) => ({ client, day, hours: 1 }))),
      { client: 1, day: '2026-10-31', hours: 20 },
      ...days('2026-11', 2).map((day) => ({ client: 1, day, hours: 1 })),
    ]);
    return { once, monthly, carrying };
  }

  it('when time was debited over years, then each balance counts its own periods', async () => {
    await storeThree();
    const { items } = await buckets.list(ALL_SITES, {}, EVERY);
    const balances = items.map(({ title, standing }) => ({
      title,
      carried: standing.carriedSeconds / HOUR,
      remaining: standing.remainingSeconds / HOUR,
      usage: standing.usage.map(({ clientId, seconds }) => [clientId, seconds / HOUR]),
      status: standing.status,
    }));
    const [first, second, third] = clients;
    assert.deepEqual(balances, [
      // September leaves 2 + 10 - 9 hours, and October uses more than it has.
      { title: 'Carrying', carried: 0, remaining: 8, usage: [[second, 2]], status: 'active' },
      {
        title: 'Monthly',
        carried: 0,
        remaining: 0,
        usage: [
          [first, 4],
          [third, 6],
        ],
        status: 'exhausted',
      },
      {
        title: 'Once',
        carried: 0,
        remaining: 4,
        usage: [
          [first, 3],
          [second, 2],
          [null, 1],
        ],
        status: 'active',
      },
    ]);
    const active = await buckets.list(ALL_SITES, { status: 'active' }, EVERY);
    assert.deepEqual(
      active.items.map(({ title }) => title),
      ['Carrying', 'Once'],
    );
    const [client] = (await new TrackedClientReadModel(knex, moment).list(ALL_SITES, {}, EVERY)).items;
    assert.equal((client?.remainingSeconds ?? 0) / HOUR, 8 + 0 + 4);
  });

  it('when balances are computed, then one row per client is read, and one per earlier day that carries over', async () => {
    await storeThree();
    let read = 0;
    const count = (rows: unknown, { sql }: { sql: string }): void => {
      if (sql.includes('debit_seconds')) read += (rows as unknown[]).length;
    };
    knex.on('query-response', count);
    await buckets.list(ALL_SITES, { status: 'active' }, EVERY);
    // Once: three clients. Monthly: two clients. Carrying: one client, and four earlier days.
    assert.equal(read, 3 + 2 + 1 + 4);
  });

  it('when many tasks count down one bucket, then its periods are computed once', async () => {
    const { carrying } = await storeThree();
    const tasks = new TaskReadModel(knex, moment);
    const parsedFor = async (perPage: number): Promise<number> => {
      const parse = Date.parse;
      let calls = 0;
      Date.parse = (text) => (calls++, parse(text));
      try {
        const page = await tasks.list(ALL_SITES, { bucketId: carrying }, BY_DATE, { page: 1, perPage });
        assert.deepEqual(
          page.items.map(({ remainingSeconds }) => remainingSeconds),
          Array(perPage).fill(8 * HOUR),
        );
      } finally {
        Date.parse = parse;
      }
      return calls;
    };
    await knex('time_tasks').update({ timer_mode: 'count_down' });
    const one = await parsedFor(1);
    assert.ok(one > 0);
    assert.equal(await parsedFor(30), one);
  });
});
