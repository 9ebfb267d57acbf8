import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { CallLeaseStore } from '../../../src/domains/sites/call-lease-store.ts';
import { CallLeases } from '../../../src/domains/sites/index.ts';
import { isShared } from '../../../src/db/dialect.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { withFreshDatabase } from '../../support/database.ts';
import { storeSite } from '../../support/sites.ts';

describe('leases of calls', () => {
  let knex: Knex;
  withFreshDatabase(({ database }) => (knex = database.knex));
  const options = () => ({ knex, clock: systemClock, leaseMs: 30_000 });

  it('when a holder has the lease of a site, then another one gets it after the release', async () => {
    const store = new CallLeaseStore(options());
    const id = await storeSite(knex, 'a.example');
    assert.equal(await store.take(id, 'one'), true);
    assert.equal(await store.take(id, 'two'), false);
    await store.release(id, 'one');
    assert.equal(await store.take(id, 'two'), true);
  });

  it('when the site does not exist, then the call fails instead of waiting', async () => {
    await assert.rejects(new CallLeaseStore(options()).take(4_711, 'one'), { code: 'svc_site_not_found' });
    if (isShared(knex))
      await assert.rejects(
        new CallLeases(options()).runExclusive(4_711, () => Promise.resolve()),
        { code: 'svc_site_not_found' },
      );
  });
});
