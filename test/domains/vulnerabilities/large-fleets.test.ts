import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { VulnerabilityReadModel } from '../../../src/domains/vulnerabilities/vulnerability-read-model.ts';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import { recordStatements, withFreshDatabase } from '../../support/database.ts';
import { insertSites } from '../../support/sites.ts';

const SITES = 40;
const RECORDS = 3;
/** Number of times that each site was exposed to each record. */
const TIMES = 75;
const WORST_FIRST = { by: 'severity', direction: 'desc' } as const;
const ALL = { page: 1, perPage: 50 };

describe('vulnerabilities of large fleets', () => {
  let knex: Knex;
  let ids: number[];
  withFreshDatabase(({ database }) => (knex = database.knex));

  beforeEach(async () => {
    await insertSites(knex, SITES);
    const [feed] = await knex('vulnerability_feeds').insert({ kind: 'osv', location: 'feed.json', feed_key: 'osv' });
    const texts = { description: '', cvss_vector: '', details: '{"references":[],"notices":[]}', hash: '' };
    ids = [];
    for (let index = 0; index < RECORDS; index++) {
      const row = { feed_id: feed, external_id: `V${index}`, title: `V${index}`, severity: 3 - index, ...texts };
      ids.push((await knex('vulnerabilities').insert(row))[0] as number);
    }
    const sites = await knex('sites').orderBy('id').pluck<number[]>('id');
    const item = { type: 'plugin', item: 'a/a.php', slug: 'a', name: 'A', version: '1', found_at: 1 };
    const rows = sites.flatMap((site_id, place) =>
      ids.flatMap((vulnerability_id, index) =>
        Array.from({ length: TIMES }, (_, time): object => ({
          ...{ ...item, site_id, vulnerability_id, severity: 3 - index, since: 100 + place },
          ...(time === 0 && place > index
            ? { lasting: 1, until: null, ending: null }
            : { lasting: null, until: 1_000 * (place + 1), ending: 'updated' }),
        })),
      ),
    );
    await knex.batchInsert('exposures', rows, 500);
  });

  it('when records have thousands of exposures, then each statement groups those of few records', async () => {
    const model = new VulnerabilityReadModel(knex);
    const read = () => model.page({ scope: ALL_SITES, state: 'any' }, WORST_FIRST, ALL);
    const { items, total } = await read();
    assert.equal(total, RECORDS);
    assert.deepEqual(
      items.map((each) => [each.id, each.sitesExposed, each.sitesEnded, each.since, each.clocks]),
      ids.map((id, index) => {
        const times = { fixKnownAt: null, firstOfferedAt: null, halfPatchedAt: null, lastPatchedAt: null };
        return [id, SITES - 1 - index, SITES, 101 + index, { sites: SITES, ...times, firstPatchedAt: 1_000 }];
      }),
    );
    const statements = await recordStatements(knex, read);
    for (const part of ['row_number()', 'as sites_exposed'])
      assert.equal(statements.filter((sql) => sql.includes(part)).length, RECORDS, part);
  });

  it('when the exposures fit into one statement, then the records are read together', async () => {
    await knex('exposures')
      .where('site_id', '>', (await knex('sites').min({ id: 'id' }))[0]?.id)
      .delete();
    const model = new VulnerabilityReadModel(knex);
    const read = () => model.page({ scope: ALL_SITES, state: 'any' }, WORST_FIRST, ALL);
    const statements = await recordStatements(knex, read);
    for (const part of ['row_number()', 'as sites_exposed'])
      assert.equal(statements.filter((sql) => sql.includes(part)).length, 1, part);
  });
});
