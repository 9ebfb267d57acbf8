import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { freePort } from '../../scripts/support/free-port.ts';
import { createMariadbDatabase, mariadbIsInstalled, startMariadb } from '../../scripts/support/private-mariadb.ts';
import { openDatabase } from '../../src/db/database.ts';
import { migrateUp } from '../../src/db/migrations/index.ts';
import { toStartupError } from '../../src/db/startup-errors.ts';
import { readConfig } from '../../src/platform/config.ts';
import { startWorld } from '../support/world.ts';

const hasIpv6 = (): boolean =>
  Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === '::1'));

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

  (mariadbIsInstalled() && hasIpv6() ? it : it.skip)(
    'when a server listens on IPv6, then a service uses it',
    async () => {
      const server = await startMariadb({ host: '::1' });
      try {
        const url = await createMariadbDatabase(server, 'ipv6');
        assert.match(url, /^mysql:\/\/sitefleet:sitefleet@\[::1\]:\d+\/ipv6$/);
        const { database: target } = readConfig({
          DATABASE_URL: url,
          SITEFLEET_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
        });
        const database = openDatabase(target);
        await migrateUp(database.knex);
        const world = await startWorld({ sites: 1, overrides: { database } });
        assert.equal((await world.ability('list-sites-v1')).total, 1);
        assert.equal((await world.agent('nobody').get('/readyz')).status, 200);
        await world.close();
        await database.close();
      } finally {
        await server.stop();
      }
    },
  );
});
