import assert from 'node:assert/strict';
import { freePort } from '../../scripts/support/free-port.ts';
import { openDatabase } from '../../src/db/database.ts';
import { toStartupError } from '../../src/db/startup-errors.ts';

describe('addresses of database servers', () => {
  it('when the address is IPv6, then it is dialled, and not looked up as a name', async () => {
    const target = { dialect: 'mysql', url: `mysql://user:secret@[::1]:${await freePort()}/name` } as const;
    const database = openDatabase(target);
    const error = await database.knex.raw('select 1').then(
      () => assert.fail('Nobody listens there.'),
      (thrown: unknown) => thrown,
    );
    await database.close();
    const { message } = toStartupError(target, error) as Error;
    // Machines without IPv6 have another code than those where nobody listens.
    assert.match(
      message,
      /^The database server \[::1\]:\d+ cannot be reached \((ECONNREFUSED|EADDRNOTAVAIL|ENETUNREACH)\)/,
    );
  });
});
