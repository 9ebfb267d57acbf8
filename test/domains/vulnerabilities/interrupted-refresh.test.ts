import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import type { Lease } from '../../../src/db/lease.ts';
import { LeaseLostError } from '../../../src/db/lease.ts';
import { FeedGenerationRepository } from '../../../src/domains/vulnerabilities/feed-generation-repository.ts';
import { FeedRefresh } from '../../../src/domains/vulnerabilities/feed-refresh.ts';
import { FeedRepository, type StoredFeed } from '../../../src/domains/vulnerabilities/feed-repository.ts';
import { FeedFetcher } from '../../../src/domains/vulnerabilities/feeds/feed-fetcher.ts';
import { readOsv } from '../../../src/domains/vulnerabilities/feeds/osv.ts';
import { ItemLeaseStore } from '../../../src/queue/item-lease-store.ts';
import type { LeasedItem } from '../../../src/queue/index.ts';
import { withFreshDatabase } from '../../support/database.ts';
import { osvRecord } from '../../support/vulnerabilities.ts';

const clock = { now: () => 1_795_000_000_000 };
const LEASE_MS = 30_000;
const RECORD = osvRecord('akismet', '5.3');

describe('interrupted feed refreshes', () => {
  let knex: Knex;
  let folder: string;
  withFreshDatabase(({ database }) => (knex = database.knex));

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sitefleet-test-feed-'));
    await writeFile(join(folder, 'feed.json'), JSON.stringify(RECORD));
    await new FeedRepository(knex).ensure({ kind: 'osv', location: 'feed.json' });
    const times = { created_at: 1, started_at: 1, open_stage: 0 };
    await knex('jobs').insert({
      ...{ id: 'refresh', kind: 'refresh-vulnerabilities', state: 'processing', total: 1, processed: 0, succeeded: 0 },
      ...{ failed: 0, requested_by: 'schedule', input: '{}', ...times },
    });
    await knex('job_items').insert({
      ...{ job_id: 'refresh', position: 0, identifier: 'feed', state: 'waiting', attempt: 0 },
    });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const storedFeed = async (): Promise<StoredFeed> => (await new FeedRepository(knex).list())[0] ?? assert.fail();
  const rows = () => knex('vulnerabilities').select<{ hash: string; title: string }[]>('hash', 'title');

  /** Claims the item, as a worker does. */
  async function claim(owner: string): Promise<Lease> {
    const store = new ItemLeaseStore(knex, clock, LEASE_MS);
    const [item]: LeasedItem[] = await store.claim(owner, 1);
    assert.ok(item);
    return { confirm: () => store.confirm(owner, item), lock: (trx) => store.lock(trx, owner, item) };
  }
  function createRefresh(afterFetch: () => Promise<unknown> = () => Promise.resolve()): FeedRefresh {
    const outbound = { request: () => assert.fail('The feed is a file.') };
    const options = { deadlineMs: 1_000, maxBytes: () => 1_000_000, wordfenceKey: () => Promise.resolve(null) };
    const files = new FeedFetcher({ outbound, folder, ...options });
    const fetcher: Pick<FeedFetcher, 'fetch'> = {
      fetch: async (...call) => {
        const fetched = await files.fetch(...call);
        await afterFetch();
        return fetched;
      },
    };
    return new FeedRefresh({ knex, clock, fetcher });
  }
  const { signal } = new AbortController();

  it('when another process has taken the lease meanwhile, then a refresh writes nothing', async () => {
    const lease = await claim('hung');
    const refresh = createRefresh(async () => {
      await knex('job_items').update({ lease_until: 0 });
      await claim('successor');
    });
    await assert.rejects(refresh.refresh(await storedFeed(), lease, signal), LeaseLostError);
    assert.deepEqual(await rows(), []);
    const { generation, mark, error } = await storedFeed();
    assert.deepEqual([generation, mark, error], [0, '', null]);
  });

  it('when a process dies after it has taken records back, then the unchanged feed is read again', async () => {
    const lease = await claim('first');
    await createRefresh().refresh(await storedFeed(), lease, signal);
    const complete = await rows();
    const feed = await storedFeed();
    assert.equal(feed.generation, 1);
    const changed = readOsv({ ...RECORD, summary: 'Changed' });
    assert.ok(changed !== null && changed !== 'other');
    await knex.transaction((trx) => new FeedRepository(trx).put(feed, [{ hash: 'other', record: changed }]));
    await knex.transaction((trx) => new FeedGenerationRepository(trx, feed).rollBack(10));
    const { changed: isRead } = await createRefresh().refresh(await storedFeed(), lease, signal);
    assert.equal(isRead, true);
    assert.deepEqual(await rows(), complete);
    const [{ n = 0 } = {}] = await knex('vulnerable_versions').where('born_in', '<=', 2).count({ n: '*' });
    assert.equal(Number(n), 1);
  });
});
