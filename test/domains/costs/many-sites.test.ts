import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { chunks } from '../../../src/db/chunks.ts';
import { ChangeLog } from '../../../src/domains/changes/index.ts';
import { CostService, CostShareReadModel } from '../../../src/domains/costs/index.ts';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import { withFreshDatabase } from '../../support/database.ts';
import { servicesOfFleet } from '../../support/limited-fleet.ts';

const clock = { now: () => Date.UTC(2026, 10, 21, 12) };
const context = { today: () => '2026-11-21', currencyDecimals: () => 2 };
const SITES = 2600;
const ROWS_A_STATEMENT = 5000;
/** Price units of a cent. */
const CENT = 10_000;

describe('costs of a client with many sites', () => {
  let knex: Knex;
  let client: number;
  withFreshDatabase(({ database }) => (knex = database.knex));
  beforeEach(async () => {
    client = (await servicesOfFleet(knex).clients.create({ name: 'Bakery' }, 'tester')).id;
    const sites = Array.from({ length: SITES }, (_, n) => {
      const host = `${String(SITES - n).padStart(4, '0')}.example`;
      const names = { url: `https://${host}/`, url_key: host, name: host, name_key: host };
      return { ...names, client_id: client, status: 'connected', created_at: 1, updated_at: 1 };
    });
    for (const part of chunks(sites)) await knex('sites').insert(part);
    const costs = new CostService({ knex, clock, ...context, changeLog: new ChangeLog(clock) });
    for (const licenseType of ['single_site', 'multi_site'] as const) {
      const targets = [{ kind: 'client' as const, id: client }];
      await costs.create(
        ALL_SITES,
        { name: licenseType, price: 26, licenseType, lastRenewal: '2026-11-01', targets },
        'tester',
      );
    }
  });

  it('when its costs are read, then no statement returns all rows, and each due date is computed once', async () => {
    const parse = Date.parse;
    let [parsed, mostRows] = [0, 0];
    knex.on('query-response', (rows: unknown) => {
      if (Array.isArray(rows)) mostRows = Math.max(mostRows, rows.length);
    });
    Date.parse = (text) => (parsed++, parse(text));
    const { costs, yearlyUnits } = await new CostShareReadModel(knex, context)
      .ofClient(ALL_SITES, client)
      .finally(() => (Date.parse = parse));
    assert.equal(costs.length, 2 * SITES);
    assert.ok(mostRows > 0 && mostRows <= ROWS_A_STATEMENT, `${mostRows} rows`);
    assert.ok(parsed <= 10, `${parsed} parsed dates`);
    const [first, last] = [costs[0], costs.at(-1)];
    assert.deepEqual([first?.name, first?.siteName, first?.amountUnits], ['single_site', '0001.example', 2600 * CENT]);
    assert.deepEqual([last?.name, last?.siteName, last?.amountUnits], ['multi_site', '2600.example', CENT]);
    assert.deepEqual([...new Set(costs.map(({ nextDue }) => nextDue))], ['2026-12-01']);
    assert.equal(yearlyUnits, BigInt(12 * 2600 * CENT) * BigInt(SITES + 1));
  });
});
