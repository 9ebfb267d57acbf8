import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { ExposureRepository } from '../../../src/domains/vulnerabilities/exposure-repository.ts';
import { FeedGenerationRepository } from '../../../src/domains/vulnerabilities/feed-generation-repository.ts';
import { FeedRepository } from '../../../src/domains/vulnerabilities/feed-repository.ts';
import { readOsv } from '../../../src/domains/vulnerabilities/feeds/osv.ts';
import { withFreshDatabase } from '../../support/database.ts';
import { osvRecord } from '../../support/vulnerabilities.ts';

describe('stored feeds', () => {
  let knex: Knex;
  withFreshDatabase(({ database }) => (knex = database.knex));

  it('when two processes write the same generation, then the software of a record is stored once', async () => {
    await new FeedRepository(knex).ensure({ kind: 'osv', location: 'feed.json' });
    const [feed] = await new FeedRepository(knex).list();
    assert.ok(feed);
    for (const fixed of ['5.3', '5.4']) {
      const record = readOsv(osvRecord('akismet', fixed));
      assert.ok(record !== null && record !== 'other');
      await knex.transaction((trx) => new FeedRepository(trx).put(feed, [{ hash: fixed, record }]));
    }
    await new FeedGenerationRepository(knex, feed).activate();
    const advisories = await new ExposureRepository(knex).advisories([{ type: 'plugin', slug: 'akismet' }]);
    assert.deepEqual(
      advisories.map(({ patched }) => patched),
      [['5.4']],
    );
    const stored = await knex('vulnerable_versions').select('vulnerability_id', 'type', 'slug');
    await assert.rejects(
      knex('vulnerable_versions').insert({ ...stored[0], name: '', ranges: '[]', patched: '[]', born_in: 1 }),
    );
  });
});
